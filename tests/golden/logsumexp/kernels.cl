// logsumexp (kernels_dsl/reduction.netcl)
//     y[] = (isfinite(max[i0](x[i0])) ? max[i0](x[i0]) : 0)
//         + log(sum[i0](exp(x[i0] - (isfinite(max[i0](x[i0])) ? max[i0](x[i0]) : 0))))
__attribute__((noinline)) void logsumexp_item(
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
            const float16 x_value_2 = load_floats(x + x_offset + i0);
            const float16 max_i0_lanes_value = x_value_2;
            max_i0_lanes_nan |= max_i0_lanes_value != max_i0_lanes_value;
            max_i0_lanes = max_i0_lanes > max_i0_lanes_value ? max_i0_lanes : max_i0_lanes_value;
            {
                const long i0 = i0_here + 16;
                const float16 x_value_3 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_2_value = x_value_3;
                max_i0_lanes_2_nan |= max_i0_lanes_2_value != max_i0_lanes_2_value;
                max_i0_lanes_2 = max_i0_lanes_2 > max_i0_lanes_2_value ? max_i0_lanes_2 : max_i0_lanes_2_value;
            }
            {
                const long i0 = i0_here + 32;
                const float16 x_value_4 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_3_value = x_value_4;
                max_i0_lanes_3_nan |= max_i0_lanes_3_value != max_i0_lanes_3_value;
                max_i0_lanes_3 = max_i0_lanes_3 > max_i0_lanes_3_value ? max_i0_lanes_3 : max_i0_lanes_3_value;
            }
            {
                const long i0 = i0_here + 48;
                const float16 x_value_5 = load_floats(x + x_offset + i0);
                const float16 max_i0_lanes_4_value = x_value_5;
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
            const float16 x_value = load_floats(x + x_offset + i0);
            const float16 max_i0_lanes_value = x_value;
            max_i0_lanes_nan |= max_i0_lanes_value != max_i0_lanes_value;
            max_i0_lanes = max_i0_lanes > max_i0_lanes_value ? max_i0_lanes : max_i0_lanes_value;
        }
        for (; i0 < size_i0; ++i0) {
            const float x_value_6 = x[x_offset + i0];
            const float max_i0_value = x_value_6;
            max_i0_nan |= max_i0_value != max_i0_value;
            max_i0 = max_i0 > max_i0_value ? max_i0 : max_i0_value;
        }
    }
    max_i0 = maximum_float(max_i0, fold_max_float16(max_i0_lanes));
    max_i0_nan |= fold_any_int16(max_i0_lanes_nan);
    const float max_i0_total = or_nan_float(max_i0, max_i0_nan);
    const float t = (isfinite(max_i0_total)) ? max_i0_total : 0.0f;
    float sum_i0 = 0.0f, sum_i0_low = 0.0f;
    float16 sum_i0_lanes = 0.0f, sum_i0_lanes_low = 0.0f;
    {
        long i0 = 0;
        while (i0 + 16 <= size_i0) {
            const long i0_stop = min(i0 + 4096, size_i0 - 15);
            float16 sum_i0_lanes_part = 0.0f;
            for (; i0 < i0_stop; i0 += 16) {
                const float16 x_value_7 = load_floats(x + x_offset + i0);
                sum_i0_lanes_part += exp_float16(x_value_7 - (float16)(t));
            }
            add_pair_float16(&sum_i0_lanes, &sum_i0_lanes_low, sum_i0_lanes_part);
        }
        float sum_i0_part = 0.0f;
        for (; i0 < size_i0; ++i0) {
            const float x_value_8 = x[x_offset + i0];
            sum_i0_part += exp_float(x_value_8 - t);
        }
        add_pair_float(&sum_i0, &sum_i0_low, sum_i0_part);
    }
    add_pair_float(&sum_i0, &sum_i0_low, fold_sum_float16(sum_i0_lanes));
    sum_i0_low += fold_sum_float16(sum_i0_lanes_low);
    const float sum_i0_total = close_pair_float(sum_i0, sum_i0_low);
    y[y_offset] = t + log_float(sum_i0_total);
}

__kernel void logsumexp_kernel(
    __global float *y,
    __global const float *x,
    const long size_i0,
    const long x_offset,
    const long y_offset) {
    logsumexp_item(y, x, size_i0, x_offset, y_offset, get_global_id(0));
}


// logsumexp_grad (kernels_dsl/reduction.netcl)
//     grad_x[i0] = dy[] * exp(x[i0] - y[])
__attribute__((noinline)) void logsumexp_grad_item(
    __global float *grad_x,
    __global const float *dy,
    __global const float *x,
    __global const float *y,
    const long chunk,
    const long units,
    const long dy_offset,
    const long x_offset,
    const long y_offset,
    const long grad_x_offset,
    const long item) {
    const float dy_value = dy[dy_offset];
    const float y_value = y[y_offset];
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        store_floats((float16)(dy_value) * exp_float16(load_floats(x + x_offset + i0) - (float16)(y_value)), grad_x + grad_x_offset + i0);
    }
    for (; i0 < end; ++i0) {
        grad_x[grad_x_offset + i0] = dy_value * exp_float(x[x_offset + i0] - y_value);
    }
}

__kernel void logsumexp_grad_kernel(
    __global float *grad_x,
    __global const float *dy,
    __global const float *x,
    __global const float *y,
    const long chunk,
    const long units,
    const long dy_offset,
    const long x_offset,
    const long y_offset,
    const long grad_x_offset) {
    logsumexp_grad_item(grad_x, dy, x, y, chunk, units, dy_offset, x_offset, y_offset, grad_x_offset, get_global_id(0));
}
