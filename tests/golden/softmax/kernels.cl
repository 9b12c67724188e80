// softmax (kernels_dsl/normalization.netcl)
//     y[i0] = exp(x[i0] - max[i0](x[i0])) / sum[i0](exp(x[i0] - max[i0](x[i0])))
__attribute__((noinline)) void softmax_item(
    __global float *y,
    __global const float *x,
    const long size_i0,
    const long x_offset,
    const long y_offset,
    const long item) {
    float max_i0 = (-INFINITY);
    int max_i0_nan = 0;
    float16 max_i0_lanes = (float16)((-INFINITY));
    int16 max_i0_lanes_nan = 0;
    {
        long i0 = 0;
        float16 max_i0_lanes_2 = (float16)((-INFINITY));
        int16 max_i0_lanes_2_nan = 0;
        float16 max_i0_lanes_3 = (float16)((-INFINITY));
        int16 max_i0_lanes_3_nan = 0;
        float16 max_i0_lanes_4 = (float16)((-INFINITY));
        int16 max_i0_lanes_4_nan = 0;
        for (; i0 + 64 <= size_i0; i0 += 64) {
            const long i0_here = i0;
            const float16 x_value_3 = load_floats(x + x_offset + i0);
            const float16 max_i0_lanes_value = x_value_3;
            max_i0_lanes_nan |= max_i0_lanes_value != max_i0_lanes_value;
            max_i0_lanes = max_i0_lanes > max_i0_lanes_value ? max_i0_lanes : max_i0_lanes_value;
            {
                const long i0 = i0_here + 16;
                const float16 x_value_4 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_2_value = x_value_4;
                max_i0_lanes_2_nan |= max_i0_lanes_2_value != max_i0_lanes_2_value;
                max_i0_lanes_2 = max_i0_lanes_2 > max_i0_lanes_2_value ? max_i0_lanes_2 : max_i0_lanes_2_value;
            }
            {
                const long i0 = i0_here + 32;
                const float16 x_value_5 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_3_value = x_value_5;
                max_i0_lanes_3_nan |= max_i0_lanes_3_value != max_i0_lanes_3_value;
                max_i0_lanes_3 = max_i0_lanes_3 > max_i0_lanes_3_value ? max_i0_lanes_3 : max_i0_lanes_3_value;
            }
            {
                const long i0 = i0_here + 48;
                const float16 x_value_6 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_4_value = x_value_6;
                max_i0_lanes_4_nan |= max_i0_lanes_4_value != max_i0_lanes_4_value;
                max_i0_lanes_4 = max_i0_lanes_4 > max_i0_lanes_4_value ? max_i0_lanes_4 : max_i0_lanes_4_value;
            }
        }
        max_i0_lanes = max_i0_lanes > max_i0_lanes_2 ? max_i0_lanes : max_i0_lanes_2;
        max_i0_lanes_nan |= max_i0_lanes_2_nan;
        max_i0_lanes = max_i0_lanes > max_i0_lanes_3 ? max_i0_lanes : max_i0_lanes_3;
        max_i0_lanes_nan |= max_i0_lanes_3_nan;
        max_i0_lanes = max_i0_lanes > max_i0_lanes_4 ? max_i0_lanes : max_i0_lanes_4;
        max_i0_lanes_nan |= max_i0_lanes_4_nan;
        for (; i0 + 16 <= size_i0; i0 += 16) {
            const float16 x_value_2 = load_floats(x + x_offset + i0);
            const float16 max_i0_lanes_value = x_value_2;
            max_i0_lanes_nan |= max_i0_lanes_value != max_i0_lanes_value;
            max_i0_lanes = max_i0_lanes > max_i0_lanes_value ? max_i0_lanes : max_i0_lanes_value;
        }
        for (; i0 < size_i0; ++i0) {
            const float x_value_7 = x[x_offset + i0];
            const float max_i0_value = x_value_7;
            max_i0_nan |= max_i0_value != max_i0_value;
            max_i0 = max_i0 > max_i0_value ? max_i0 : max_i0_value;
        }
    }
    max_i0 = maximum_float(max_i0, fold_max_float16(max_i0_lanes));
    max_i0_nan |= fold_any_int16(max_i0_lanes_nan);
    const float max_i0_total = or_nan_float(max_i0, max_i0_nan);
    float sum_i0 = 0.0f, sum_i0_low = 0.0f;
    float16 sum_i0_lanes = 0.0f, sum_i0_lanes_low = 0.0f;
    {
        long i0 = 0;
        while (i0 + 16 <= size_i0) {
            const long i0_stop = min(i0 + 4096, size_i0 - 15);
            float16 sum_i0_lanes_part = 0.0f;
            for (; i0 < i0_stop; i0 += 16) {
                const float16 x_value_8 = load_floats(x + x_offset + i0);
                const float16 t_2 = exp_float16(x_value_8 - (float16)(max_i0_total));
                sum_i0_lanes_part += t_2;
            }
            add_pair_float16(&sum_i0_lanes, &sum_i0_lanes_low, sum_i0_lanes_part);
        }
        float sum_i0_part = 0.0f;
        for (; i0 < size_i0; ++i0) {
            const float x_value_9 = x[x_offset + i0];
            const float t_3 = exp_float(x_value_9 - max_i0_total);
            sum_i0_part += t_3;
        }
        add_pair_float(&sum_i0, &sum_i0_low, sum_i0_part);
    }
    add_pair_float(&sum_i0, &sum_i0_low, fold_sum_float16(sum_i0_lanes));
    sum_i0_low += fold_sum_float16(sum_i0_lanes_low);
    const float sum_i0_total = close_pair_float(sum_i0, sum_i0_low);
    {
        long i0 = 0;
        for (; i0 + 16 <= size_i0; i0 += 16) {
            const float16 x_value = load_floats(x + x_offset + i0);
            const float16 t = exp_float16(x_value - (float16)(max_i0_total));
            store_floats(t / (float16)(sum_i0_total), y + y_offset + i0);
        }
        for (; i0 < size_i0; ++i0) {
            const float x_value_10 = x[x_offset + i0];
            const float t_4 = exp_float(x_value_10 - max_i0_total);
            y[y_offset + i0] = t_4 / sum_i0_total;
        }
    }
}

__kernel void softmax_kernel(
    __global float *y,
    __global const float *x,
    const long size_i0,
    const long x_offset,
    const long y_offset) {
    softmax_item(y, x, size_i0, x_offset, y_offset, get_global_id(0));
}


// softmax_grad (kernels_dsl/normalization.netcl)
//     grad_x[i0] = y[i0] * (dy[i0] - sum[i0](dy[i0] * y[i0]))
__attribute__((noinline)) void softmax_grad_item(
    __global float *grad_x,
    __global const float *y,
    __global const float *dy,
    const long size_i0,
    const long y_offset,
    const long dy_offset,
    const long grad_x_offset,
    const long item) {
    float sum_i0 = 0.0f, sum_i0_low = 0.0f;
    float16 sum_i0_lanes = 0.0f, sum_i0_lanes_low = 0.0f;
    {
        long i0 = 0;
        while (i0 + 16 <= size_i0) {
            const long i0_stop = min(i0 + 4096, size_i0 - 15);
            float16 sum_i0_lanes_part = 0.0f;
            float16 sum_i0_lanes_2_part = 0.0f;
            float16 sum_i0_lanes_3_part = 0.0f;
            float16 sum_i0_lanes_4_part = 0.0f;
            for (; i0 + 64 <= i0_stop + 15; i0 += 64) {
                const long i0_here = i0;
                const float16 dy_value_3 = load_floats(dy + dy_offset + i0);
                const float16 y_value_3 = load_floats(y + y_offset + i0);
                sum_i0_lanes_part += dy_value_3 * y_value_3;
                {
                    const long i0 = i0_here + 16;
                    const float16 dy_value_4 = load_floats(dy + dy_offset + i0);
                    const float16 y_value_4 = load_floats(y + y_offset + i0);
                    sum_i0_lanes_2_part += dy_value_4 * y_value_4;
                }
                {
                    const long i0 = i0_here + 32;
                    const float16 dy_value_5 = load_floats(dy + dy_offset + i0);
                    const float16 y_value_5 = load_floats(y + y_offset + i0);
                    sum_i0_lanes_3_part += dy_value_5 * y_value_5;
                }
                {
                    const long i0 = i0_here + 48;
                    const float16 dy_value_6 = load_floats(dy + dy_offset + i0);
                    const float16 y_value_6 = load_floats(y + y_offset + i0);
                    sum_i0_lanes_4_part += dy_value_6 * y_value_6;
                }
            }
            sum_i0_lanes_part += sum_i0_lanes_2_part;
            sum_i0_lanes_part += sum_i0_lanes_3_part;
            sum_i0_lanes_part += sum_i0_lanes_4_part;
            for (; i0 < i0_stop; i0 += 16) {
                const float16 dy_value_2 = load_floats(dy + dy_offset + i0);
                const float16 y_value_2 = load_floats(y + y_offset + i0);
                sum_i0_lanes_part += dy_value_2 * y_value_2;
            }
            add_pair_float16(&sum_i0_lanes, &sum_i0_lanes_low, sum_i0_lanes_part);
        }
        float sum_i0_part = 0.0f;
        for (; i0 < size_i0; ++i0) {
            const float dy_value_7 = dy[dy_offset + i0];
            const float y_value_7 = y[y_offset + i0];
            sum_i0_part += dy_value_7 * y_value_7;
        }
        add_pair_float(&sum_i0, &sum_i0_low, sum_i0_part);
    }
    add_pair_float(&sum_i0, &sum_i0_low, fold_sum_float16(sum_i0_lanes));
    sum_i0_low += fold_sum_float16(sum_i0_lanes_low);
    const float sum_i0_total = close_pair_float(sum_i0, sum_i0_low);
    {
        long i0 = 0;
        for (; i0 + 16 <= size_i0; i0 += 16) {
            const float16 y_value = load_floats(y + y_offset + i0);
            const float16 dy_value = load_floats(dy + dy_offset + i0);
            store_floats(y_value * (dy_value - (float16)(sum_i0_total)), grad_x + grad_x_offset + i0);
        }
        for (; i0 < size_i0; ++i0) {
            const float y_value_8 = y[y_offset + i0];
            const float dy_value_8 = dy[dy_offset + i0];
            grad_x[grad_x_offset + i0] = y_value_8 * (dy_value_8 - sum_i0_total);
        }
    }
}

__kernel void softmax_grad_kernel(
    __global float *grad_x,
    __global const float *y,
    __global const float *dy,
    const long size_i0,
    const long y_offset,
    const long dy_offset,
    const long grad_x_offset) {
    softmax_grad_item(grad_x, y, dy, size_i0, y_offset, dy_offset, grad_x_offset, get_global_id(0));
}
