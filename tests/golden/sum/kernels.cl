// sum (kernels_dsl/reduction.netcl)
//     y[] = sum[i0](x[i0])
__attribute__((noinline)) void sum_item(
    __global float *y,
    __global const float *x,
    const long size_i0,
    const long x_offset,
    const long y_offset,
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
                sum_i0_lanes_part += load_floats(x + x_offset + i0);
                {
                    const long i0 = i0_here + 16;
                    sum_i0_lanes_2_part += load_floats(x + x_offset + i0);
                }
                {
                    const long i0 = i0_here + 32;
                    sum_i0_lanes_3_part += load_floats(x + x_offset + i0);
                }
                {
                    const long i0 = i0_here + 48;
                    sum_i0_lanes_4_part += load_floats(x + x_offset + i0);
                }
            }
            sum_i0_lanes_part += sum_i0_lanes_2_part;
            sum_i0_lanes_part += sum_i0_lanes_3_part;
            sum_i0_lanes_part += sum_i0_lanes_4_part;
            for (; i0 < i0_stop; i0 += 16) {
                sum_i0_lanes_part += load_floats(x + x_offset + i0);
            }
            add_pair_float16(&sum_i0_lanes, &sum_i0_lanes_low, sum_i0_lanes_part);
        }
        float sum_i0_part = 0.0f;
        for (; i0 < size_i0; ++i0) {
            sum_i0_part += x[x_offset + i0];
        }
        add_pair_float(&sum_i0, &sum_i0_low, sum_i0_part);
    }
    add_pair_float(&sum_i0, &sum_i0_low, fold_sum_float16(sum_i0_lanes));
    sum_i0_low += fold_sum_float16(sum_i0_lanes_low);
    const float sum_i0_total = close_pair_float(sum_i0, sum_i0_low);
    y[y_offset] = sum_i0_total;
}

__kernel void sum_kernel(
    __global float *y,
    __global const float *x,
    const long size_i0,
    const long x_offset,
    const long y_offset) {
    sum_item(y, x, size_i0, x_offset, y_offset, get_global_id(0));
}


// grad_x is a view
