// layer_norm (kernels_dsl/normalization.netcl)
//     y[i0, n0] = (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps) * w[n0] + b[n0]
__attribute__((noinline)) void layer_norm_item(
    __global float *y,
    __global const float *x,
    __global const float *w,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_i0,
    const long size_n0,
    const long x_offset,
    const long x_stride_i0,
    const float eps,
    const long w_offset,
    const long b_offset,
    const long y_offset,
    const long y_stride_i0,
    const long item) {
    const float t = (float)size_n0;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0 = begin; i0 < end; ++i0) {
        float sum_n0 = 0.0f, sum_n0_low = 0.0f;
        float16 sum_n0_lanes = 0.0f, sum_n0_lanes_low = 0.0f;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_lanes_part = 0.0f;
                float16 sum_n0_lanes_2_part = 0.0f;
                float16 sum_n0_lanes_3_part = 0.0f;
                float16 sum_n0_lanes_4_part = 0.0f;
                for (; n0 + 64 <= n0_stop + 15; n0 += 64) {
                    const long n0_here = n0;
                    const float16 x_value_3 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    sum_n0_lanes_part += x_value_3;
                    {
                        const long n0 = n0_here + 16;
                        const float16 x_value_4 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_2_part += x_value_4;
                    }
                    {
                        const long n0 = n0_here + 32;
                        const float16 x_value_5 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_3_part += x_value_5;
                    }
                    {
                        const long n0 = n0_here + 48;
                        const float16 x_value_6 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_4_part += x_value_6;
                    }
                }
                sum_n0_lanes_part += sum_n0_lanes_2_part;
                sum_n0_lanes_part += sum_n0_lanes_3_part;
                sum_n0_lanes_part += sum_n0_lanes_4_part;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value_2 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    sum_n0_lanes_part += x_value_2;
                }
                add_pair_float16(&sum_n0_lanes, &sum_n0_lanes_low, sum_n0_lanes_part);
            }
            float sum_n0_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_7 = x[x_offset + i0 * x_stride_i0 + n0];
                sum_n0_part += x_value_7;
            }
            add_pair_float(&sum_n0, &sum_n0_low, sum_n0_part);
        }
        add_pair_float(&sum_n0, &sum_n0_low, fold_sum_float16(sum_n0_lanes));
        sum_n0_low += fold_sum_float16(sum_n0_lanes_low);
        const float sum_n0_total = close_pair_float(sum_n0, sum_n0_low);
        const float t_2 = sum_n0_total / t;
        float sum_n0_2 = 0.0f, sum_n0_2_low = 0.0f;
        float16 sum_n0_2_lanes = 0.0f, sum_n0_2_lanes_low = 0.0f;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_2_lanes_part = 0.0f;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value_8 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    const float16 t_4 = x_value_8 - (float16)(t_2);
                    sum_n0_2_lanes_part += t_4 * t_4;
                }
                add_pair_float16(&sum_n0_2_lanes, &sum_n0_2_lanes_low, sum_n0_2_lanes_part);
            }
            float sum_n0_2_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_9 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_5 = x_value_9 - t_2;
                sum_n0_2_part += t_5 * t_5;
            }
            add_pair_float(&sum_n0_2, &sum_n0_2_low, sum_n0_2_part);
        }
        add_pair_float(&sum_n0_2, &sum_n0_2_low, fold_sum_float16(sum_n0_2_lanes));
        sum_n0_2_low += fold_sum_float16(sum_n0_2_lanes_low);
        const float sum_n0_2_total = close_pair_float(sum_n0_2, sum_n0_2_low);
        const float t_6 = 1.0f / sqrt((sum_n0_2_total / t) + eps);
        {
            long n0 = 0;
            for (; n0 + 16 <= size_n0; n0 += 16) {
                const float16 x_value = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                const float16 t_3 = x_value - (float16)(t_2);
                store_floats(((t_3 * (float16)(t_6)) * load_floats(w + w_offset + n0)) + load_floats(b + b_offset + n0), y + y_offset + i0 * y_stride_i0 + n0);
            }
            for (; n0 < size_n0; ++n0) {
                const float x_value_10 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_7 = x_value_10 - t_2;
                y[y_offset + i0 * y_stride_i0 + n0] = ((t_7 * t_6) * w[w_offset + n0]) + b[b_offset + n0];
            }
        }
    }
}

__kernel void layer_norm_kernel(
    __global float *y,
    __global const float *x,
    __global const float *w,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_i0,
    const long size_n0,
    const long x_offset,
    const long x_stride_i0,
    const float eps,
    const long w_offset,
    const long b_offset,
    const long y_offset,
    const long y_stride_i0) {
    layer_norm_item(y, x, w, b, chunk, units, size_i0, size_n0, x_offset, x_stride_i0, eps, w_offset, b_offset, y_offset, y_stride_i0, get_global_id(0));
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_x[i0, n0] = a function of dy, w, x with sum[n0]
__attribute__((noinline)) void layer_norm_grad_x_w_b_1_item(
    __global float *grad_x,
    __global const float *x,
    __global const float *dy,
    __global const float *w,
    const long chunk,
    const long units,
    const long size_i0,
    const long size_n0,
    const long x_offset,
    const long x_stride_i0,
    const long dy_offset,
    const long dy_stride_i0,
    const long w_offset,
    const float eps,
    const long grad_x_offset,
    const long grad_x_stride_i0,
    const long item) {
    const float t_3 = (float)size_n0;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0 = begin; i0 < end; ++i0) {
        float sum_n0 = 0.0f, sum_n0_low = 0.0f;
        float sum_n0_2 = 0.0f, sum_n0_2_low = 0.0f;
        float16 sum_n0_lanes = 0.0f, sum_n0_lanes_low = 0.0f;
        float16 sum_n0_2_lanes = 0.0f, sum_n0_2_lanes_low = 0.0f;
        float sum_n0_3 = 0.0f, sum_n0_3_low = 0.0f;
        float sum_n0_4 = 0.0f, sum_n0_4_low = 0.0f;
        float16 sum_n0_3_lanes = 0.0f, sum_n0_3_lanes_low = 0.0f;
        float16 sum_n0_4_lanes = 0.0f, sum_n0_4_lanes_low = 0.0f;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_3_lanes_part = 0.0f;
                float16 sum_n0_4_lanes_part = 0.0f;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value_2 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    const float16 t = load_floats(dy + dy_offset + i0 * dy_stride_i0 + n0) * load_floats(w + w_offset + n0);
                    sum_n0_3_lanes_part += x_value_2;
                    sum_n0_4_lanes_part += t;
                }
                add_pair_float16(&sum_n0_3_lanes, &sum_n0_3_lanes_low, sum_n0_3_lanes_part);
                add_pair_float16(&sum_n0_4_lanes, &sum_n0_4_lanes_low, sum_n0_4_lanes_part);
            }
            float sum_n0_3_part = 0.0f;
            float sum_n0_4_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_3 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_2 = dy[dy_offset + i0 * dy_stride_i0 + n0] * w[w_offset + n0];
                sum_n0_3_part += x_value_3;
                sum_n0_4_part += t_2;
            }
            add_pair_float(&sum_n0_3, &sum_n0_3_low, sum_n0_3_part);
            add_pair_float(&sum_n0_4, &sum_n0_4_low, sum_n0_4_part);
        }
        add_pair_float(&sum_n0_3, &sum_n0_3_low, fold_sum_float16(sum_n0_3_lanes));
        sum_n0_3_low += fold_sum_float16(sum_n0_3_lanes_low);
        add_pair_float(&sum_n0_4, &sum_n0_4_low, fold_sum_float16(sum_n0_4_lanes));
        sum_n0_4_low += fold_sum_float16(sum_n0_4_lanes_low);
        const float sum_n0_3_total = close_pair_float(sum_n0_3, sum_n0_3_low);
        const float sum_n0_4_total = close_pair_float(sum_n0_4, sum_n0_4_low);
        const float t_4 = sum_n0_3_total / t_3;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_lanes_part = 0.0f;
                float16 sum_n0_2_lanes_part = 0.0f;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    const float16 t_5 = x_value - (float16)(t_4);
                    const float16 t_6 = load_floats(dy + dy_offset + i0 * dy_stride_i0 + n0) * load_floats(w + w_offset + n0);
                    sum_n0_lanes_part += t_5 * t_5;
                    sum_n0_2_lanes_part += t_6 * t_5;
                }
                add_pair_float16(&sum_n0_lanes, &sum_n0_lanes_low, sum_n0_lanes_part);
                add_pair_float16(&sum_n0_2_lanes, &sum_n0_2_lanes_low, sum_n0_2_lanes_part);
            }
            float sum_n0_part = 0.0f;
            float sum_n0_2_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_4 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_7 = x_value_4 - t_4;
                const float t_8 = dy[dy_offset + i0 * dy_stride_i0 + n0] * w[w_offset + n0];
                sum_n0_part += t_7 * t_7;
                sum_n0_2_part += t_8 * t_7;
            }
            add_pair_float(&sum_n0, &sum_n0_low, sum_n0_part);
            add_pair_float(&sum_n0_2, &sum_n0_2_low, sum_n0_2_part);
        }
        add_pair_float(&sum_n0, &sum_n0_low, fold_sum_float16(sum_n0_lanes));
        sum_n0_low += fold_sum_float16(sum_n0_lanes_low);
        add_pair_float(&sum_n0_2, &sum_n0_2_low, fold_sum_float16(sum_n0_2_lanes));
        sum_n0_2_low += fold_sum_float16(sum_n0_2_lanes_low);
        const float sum_n0_total = close_pair_float(sum_n0, sum_n0_low);
        const float sum_n0_2_total = close_pair_float(sum_n0_2, sum_n0_2_low);
        const float t_9 = 1.0f / sqrt((sum_n0_total / t_3) + eps);
        const float t_11 = sum_n0_4_total / t_3;
        const float t_13 = (t_9 * sum_n0_2_total) / t_3;
        {
            long n0 = 0;
            for (; n0 + 16 <= size_n0; n0 += 16) {
                const float16 t_10 = load_floats(dy + dy_offset + i0 * dy_stride_i0 + n0) * load_floats(w + w_offset + n0);
                const float16 x_value_5 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                const float16 t_12 = x_value_5 - (float16)(t_4);
                store_floats((float16)(t_9) * ((t_10 - (float16)(t_11)) - ((t_12 * (float16)(t_9)) * (float16)(t_13))), grad_x + grad_x_offset + i0 * grad_x_stride_i0 + n0);
            }
            for (; n0 < size_n0; ++n0) {
                const float t_14 = dy[dy_offset + i0 * dy_stride_i0 + n0] * w[w_offset + n0];
                const float x_value_6 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_15 = x_value_6 - t_4;
                grad_x[grad_x_offset + i0 * grad_x_stride_i0 + n0] = t_9 * ((t_14 - t_11) - ((t_15 * t_9) * t_13));
            }
        }
    }
}

// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     part_1[i0] = sum[n0](x[i0, n0]) / float32(size[n0])
//     part_2[i0] = rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps)
__attribute__((noinline)) void layer_norm_grad_x_w_b_2_item(
    __global float *part_1,
    __global float *part_2,
    __global const float *x,
    const long chunk,
    const long units,
    const long size_i0,
    const long size_n0,
    const long x_offset,
    const long x_stride_i0,
    const long part_1_offset,
    const float eps,
    const long part_2_offset,
    const long item) {
    const float t = (float)size_n0;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0 = begin; i0 < end; ++i0) {
        float sum_n0 = 0.0f, sum_n0_low = 0.0f;
        float16 sum_n0_lanes = 0.0f, sum_n0_lanes_low = 0.0f;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_lanes_part = 0.0f;
                float16 sum_n0_lanes_2_part = 0.0f;
                float16 sum_n0_lanes_3_part = 0.0f;
                float16 sum_n0_lanes_4_part = 0.0f;
                for (; n0 + 64 <= n0_stop + 15; n0 += 64) {
                    const long n0_here = n0;
                    const float16 x_value_2 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    sum_n0_lanes_part += x_value_2;
                    {
                        const long n0 = n0_here + 16;
                        const float16 x_value_3 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_2_part += x_value_3;
                    }
                    {
                        const long n0 = n0_here + 32;
                        const float16 x_value_4 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_3_part += x_value_4;
                    }
                    {
                        const long n0 = n0_here + 48;
                        const float16 x_value_5 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                        sum_n0_lanes_4_part += x_value_5;
                    }
                }
                sum_n0_lanes_part += sum_n0_lanes_2_part;
                sum_n0_lanes_part += sum_n0_lanes_3_part;
                sum_n0_lanes_part += sum_n0_lanes_4_part;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    sum_n0_lanes_part += x_value;
                }
                add_pair_float16(&sum_n0_lanes, &sum_n0_lanes_low, sum_n0_lanes_part);
            }
            float sum_n0_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_6 = x[x_offset + i0 * x_stride_i0 + n0];
                sum_n0_part += x_value_6;
            }
            add_pair_float(&sum_n0, &sum_n0_low, sum_n0_part);
        }
        add_pair_float(&sum_n0, &sum_n0_low, fold_sum_float16(sum_n0_lanes));
        sum_n0_low += fold_sum_float16(sum_n0_lanes_low);
        const float sum_n0_total = close_pair_float(sum_n0, sum_n0_low);
        const float t_2 = sum_n0_total / t;
        part_1[part_1_offset + i0] = t_2;
        float sum_n0_2 = 0.0f, sum_n0_2_low = 0.0f;
        float16 sum_n0_2_lanes = 0.0f, sum_n0_2_lanes_low = 0.0f;
        {
            long n0 = 0;
            while (n0 + 16 <= size_n0) {
                const long n0_stop = min(n0 + 4096, size_n0 - 15);
                float16 sum_n0_2_lanes_part = 0.0f;
                for (; n0 < n0_stop; n0 += 16) {
                    const float16 x_value_7 = load_floats(x + x_offset + i0 * x_stride_i0 + n0);
                    const float16 t_3 = x_value_7 - (float16)(t_2);
                    sum_n0_2_lanes_part += t_3 * t_3;
                }
                add_pair_float16(&sum_n0_2_lanes, &sum_n0_2_lanes_low, sum_n0_2_lanes_part);
            }
            float sum_n0_2_part = 0.0f;
            for (; n0 < size_n0; ++n0) {
                const float x_value_8 = x[x_offset + i0 * x_stride_i0 + n0];
                const float t_4 = x_value_8 - t_2;
                sum_n0_2_part += t_4 * t_4;
            }
            add_pair_float(&sum_n0_2, &sum_n0_2_low, sum_n0_2_part);
        }
        add_pair_float(&sum_n0_2, &sum_n0_2_low, fold_sum_float16(sum_n0_2_lanes));
        sum_n0_2_low += fold_sum_float16(sum_n0_2_lanes_low);
        const float sum_n0_2_total = close_pair_float(sum_n0_2, sum_n0_2_low);
        part_2[part_2_offset + i0] = 1.0f / sqrt((sum_n0_2_total / t) + eps);
    }
}

__kernel void layer_norm_grad_x_w_b_1_kernel(
    __global float *grad_x,
    __global const float *x,
    __global const float *dy,
    __global const float *w,
    const long chunk,
    const long units,
    const long size_i0,
    const long size_n0,
    const long x_offset,
    const long x_stride_i0,
    const long dy_offset,
    const long dy_stride_i0,
    const long w_offset,
    const float eps,
    const long grad_x_offset,
    const long grad_x_stride_i0,
    const long items,
    __global float *part_1_of_2,
    __global float *part_2_of_2,
    __global const float *x_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long size_i0_of_2,
    const long size_n0_of_2,
    const long x_offset_of_2,
    const long x_stride_i0_of_2,
    const long part_1_offset_of_2,
    const float eps_of_2,
    const long part_2_offset_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        layer_norm_grad_x_w_b_1_item(grad_x, x, dy, w, chunk, units, size_i0, size_n0, x_offset, x_stride_i0, dy_offset, dy_stride_i0, w_offset, eps, grad_x_offset, grad_x_stride_i0, item);
    } else {
        item -= items;
        layer_norm_grad_x_w_b_2_item(part_1_of_2, part_2_of_2, x_of_2, chunk_of_2, units_of_2, size_i0_of_2, size_n0_of_2, x_offset_of_2, x_stride_i0_of_2, part_1_offset_of_2, eps_of_2, part_2_offset_of_2, item);
    }
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part_1[i0]) * part_2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_3_blocks_item(
    __global float *layer_norm_grad_x_w_b_3_part_1,
    __global float *layer_norm_grad_x_w_b_3_part_2,
    __global const float *dy,
    __global const float *x,
    __global const float *part_1,
    __global const float *part_2,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i0,
    const long size_i0,
    const long size_n0,
    const long dy_offset,
    const long dy_stride_i0,
    const long x_offset,
    const long x_stride_i0,
    const long part_1_offset,
    const long part_2_offset,
    const long layer_norm_grad_x_w_b_3_part_1_offset,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block,
    const long layer_norm_grad_x_w_b_3_part_2_offset,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0_block = begin; i0_block < end; ++i0_block) {
        const long i0_begin = i0_block * block_i0;
        const long i0_end = min(i0_begin + block_i0, size_i0);
        {
            long n0 = 0;
            for (; n0 + 16 <= size_n0; n0 += 16) {
                float16 sum_i0 = 0.0f, sum_i0_low = 0.0f;
                float16 sum_i0_2 = 0.0f, sum_i0_2_low = 0.0f;
                for (long i0_run = i0_begin; i0_run < i0_end; i0_run += 256) {
                    const long i0_stop = min(i0_run + 256, i0_end);
                    float16 sum_i0_part = 0.0f;
                    float16 sum_i0_2_part = 0.0f;
                    for (long i0 = i0_run; i0 < i0_stop; ++i0) {
                        const float16 dy_value = load_floats(dy + dy_offset + i0 * dy_stride_i0 + n0);
                        const float16 t = dy_value * (load_floats(x + x_offset + i0 * x_stride_i0 + n0) - (float16)(part_1[part_1_offset + i0]));
                        sum_i0_part += t * (float16)(part_2[part_2_offset + i0]);
                        sum_i0_2_part += dy_value;
                    }
                    add_pair_float16(&sum_i0, &sum_i0_low, sum_i0_part);
                    add_pair_float16(&sum_i0_2, &sum_i0_2_low, sum_i0_2_part);
                }
                const float16 sum_i0_total = close_pair_float16(sum_i0, sum_i0_low);
                const float16 sum_i0_2_total = close_pair_float16(sum_i0_2, sum_i0_2_low);
                store_floats(sum_i0_total, layer_norm_grad_x_w_b_3_part_1 + layer_norm_grad_x_w_b_3_part_1_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_1_stride_i0_block);
                store_floats(sum_i0_2_total, layer_norm_grad_x_w_b_3_part_2 + layer_norm_grad_x_w_b_3_part_2_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_2_stride_i0_block);
            }
            for (; n0 < size_n0; ++n0) {
                float sum_i0_3 = 0.0f, sum_i0_3_low = 0.0f;
                float sum_i0_4 = 0.0f, sum_i0_4_low = 0.0f;
                for (long i0_run = i0_begin; i0_run < i0_end; i0_run += 256) {
                    const long i0_stop = min(i0_run + 256, i0_end);
                    float sum_i0_3_part = 0.0f;
                    float sum_i0_4_part = 0.0f;
                    for (long i0 = i0_run; i0 < i0_stop; ++i0) {
                        const float dy_value_2 = dy[dy_offset + i0 * dy_stride_i0 + n0];
                        const float t_2 = (dy_value_2 * (x[x_offset + i0 * x_stride_i0 + n0] - part_1[part_1_offset + i0])) * part_2[part_2_offset + i0];
                        sum_i0_3_part += t_2;
                        sum_i0_4_part += dy_value_2;
                    }
                    add_pair_float(&sum_i0_3, &sum_i0_3_low, sum_i0_3_part);
                    add_pair_float(&sum_i0_4, &sum_i0_4_low, sum_i0_4_part);
                }
                const float sum_i0_3_total = close_pair_float(sum_i0_3, sum_i0_3_low);
                const float sum_i0_4_total = close_pair_float(sum_i0_4, sum_i0_4_low);
                layer_norm_grad_x_w_b_3_part_1[layer_norm_grad_x_w_b_3_part_1_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_1_stride_i0_block] = sum_i0_3_total;
                layer_norm_grad_x_w_b_3_part_2[layer_norm_grad_x_w_b_3_part_2_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_2_stride_i0_block] = sum_i0_4_total;
            }
        }
    }
}

// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part_1[i0]) * part_2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_3_item(
    __global float *grad_w,
    __global float *grad_b,
    __global const float *layer_norm_grad_x_w_b_3_part_1,
    __global const float *layer_norm_grad_x_w_b_3_part_2,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n0,
    const long size_n0,
    const long size_i0_block,
    const long layer_norm_grad_x_w_b_3_part_1_offset,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block,
    const long layer_norm_grad_x_w_b_3_part_2_offset,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block,
    const long grad_w_offset,
    const long grad_b_offset,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long n0_block = begin; n0_block < end; ++n0_block) {
        const long n0_begin = n0_block * block_n0;
        const long n0_end = min(n0_begin + block_n0, size_n0);
        {
            long n0 = n0_begin;
            for (; n0 + 16 <= n0_end; n0 += 16) {
                float16 sum_i0_block = 0.0f, sum_i0_block_low = 0.0f;
                float16 sum_i0_block_2 = 0.0f, sum_i0_block_2_low = 0.0f;
                for (long i0_block_run = 0; i0_block_run < size_i0_block; i0_block_run += 256) {
                    const long i0_block_stop = min(i0_block_run + 256, size_i0_block);
                    float16 sum_i0_block_part = 0.0f;
                    float16 sum_i0_block_2_part = 0.0f;
                    for (long i0_block = i0_block_run; i0_block < i0_block_stop; ++i0_block) {
                        const float16 layer_norm_grad_x_w_b_3_part_1_value = load_floats(layer_norm_grad_x_w_b_3_part_1 + layer_norm_grad_x_w_b_3_part_1_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_1_stride_i0_block);
                        const float16 layer_norm_grad_x_w_b_3_part_2_value = load_floats(layer_norm_grad_x_w_b_3_part_2 + layer_norm_grad_x_w_b_3_part_2_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_2_stride_i0_block);
                        sum_i0_block_part += layer_norm_grad_x_w_b_3_part_1_value;
                        sum_i0_block_2_part += layer_norm_grad_x_w_b_3_part_2_value;
                    }
                    add_pair_float16(&sum_i0_block, &sum_i0_block_low, sum_i0_block_part);
                    add_pair_float16(&sum_i0_block_2, &sum_i0_block_2_low, sum_i0_block_2_part);
                }
                const float16 sum_i0_block_total = close_pair_float16(sum_i0_block, sum_i0_block_low);
                const float16 sum_i0_block_2_total = close_pair_float16(sum_i0_block_2, sum_i0_block_2_low);
                store_floats(sum_i0_block_total, grad_w + grad_w_offset + n0);
                store_floats(sum_i0_block_2_total, grad_b + grad_b_offset + n0);
            }
            for (; n0 < n0_end; ++n0) {
                float sum_i0_block_3 = 0.0f, sum_i0_block_3_low = 0.0f;
                float sum_i0_block_4 = 0.0f, sum_i0_block_4_low = 0.0f;
                for (long i0_block_run = 0; i0_block_run < size_i0_block; i0_block_run += 256) {
                    const long i0_block_stop = min(i0_block_run + 256, size_i0_block);
                    float sum_i0_block_3_part = 0.0f;
                    float sum_i0_block_4_part = 0.0f;
                    for (long i0_block = i0_block_run; i0_block < i0_block_stop; ++i0_block) {
                        const float layer_norm_grad_x_w_b_3_part_1_value_2 = layer_norm_grad_x_w_b_3_part_1[layer_norm_grad_x_w_b_3_part_1_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_1_stride_i0_block];
                        const float layer_norm_grad_x_w_b_3_part_2_value_2 = layer_norm_grad_x_w_b_3_part_2[layer_norm_grad_x_w_b_3_part_2_offset + n0 + i0_block * layer_norm_grad_x_w_b_3_part_2_stride_i0_block];
                        sum_i0_block_3_part += layer_norm_grad_x_w_b_3_part_1_value_2;
                        sum_i0_block_4_part += layer_norm_grad_x_w_b_3_part_2_value_2;
                    }
                    add_pair_float(&sum_i0_block_3, &sum_i0_block_3_low, sum_i0_block_3_part);
                    add_pair_float(&sum_i0_block_4, &sum_i0_block_4_low, sum_i0_block_4_part);
                }
                const float sum_i0_block_3_total = close_pair_float(sum_i0_block_3, sum_i0_block_3_low);
                const float sum_i0_block_4_total = close_pair_float(sum_i0_block_4, sum_i0_block_4_low);
                grad_w[grad_w_offset + n0] = sum_i0_block_3_total;
                grad_b[grad_b_offset + n0] = sum_i0_block_4_total;
            }
        }
    }
}

__kernel void layer_norm_grad_x_w_b_3_blocks_kernel(
    __global float *layer_norm_grad_x_w_b_3_part_1,
    __global float *layer_norm_grad_x_w_b_3_part_2,
    __global const float *dy,
    __global const float *x,
    __global const float *part_1,
    __global const float *part_2,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i0,
    const long size_i0,
    const long size_n0,
    const long dy_offset,
    const long dy_stride_i0,
    const long x_offset,
    const long x_stride_i0,
    const long part_1_offset,
    const long part_2_offset,
    const long layer_norm_grad_x_w_b_3_part_1_offset,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block,
    const long layer_norm_grad_x_w_b_3_part_2_offset,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block,
    __global float *grad_w_of_2,
    __global float *grad_b_of_2,
    __global const float *layer_norm_grad_x_w_b_3_part_1_of_2,
    __global const float *layer_norm_grad_x_w_b_3_part_2_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long blocks_of_2,
    const long block_n0_of_2,
    const long size_n0_of_2,
    const long size_i0_block_of_2,
    const long layer_norm_grad_x_w_b_3_part_1_offset_of_2,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block_of_2,
    const long layer_norm_grad_x_w_b_3_part_2_offset_of_2,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block_of_2,
    const long grad_w_offset_of_2,
    const long grad_b_offset_of_2,
    const long items,
    volatile __global int *finished) {
    layer_norm_grad_x_w_b_3_blocks_item(layer_norm_grad_x_w_b_3_part_1, layer_norm_grad_x_w_b_3_part_2, dy, x, part_1, part_2, chunk, units, blocks, block_i0, size_i0, size_n0, dy_offset, dy_stride_i0, x_offset, x_stride_i0, part_1_offset, part_2_offset, layer_norm_grad_x_w_b_3_part_1_offset, layer_norm_grad_x_w_b_3_part_1_stride_i0_block, layer_norm_grad_x_w_b_3_part_2_offset, layer_norm_grad_x_w_b_3_part_2_stride_i0_block, get_global_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&finished[0]) == items - 1) {  // the last one to finish
        finished[0] = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        layer_norm_grad_x_w_b_3_item(grad_w_of_2, grad_b_of_2, layer_norm_grad_x_w_b_3_part_1_of_2, layer_norm_grad_x_w_b_3_part_2_of_2, chunk_of_2, units_of_2, blocks_of_2, block_n0_of_2, size_n0_of_2, size_i0_block_of_2, layer_norm_grad_x_w_b_3_part_1_offset_of_2, layer_norm_grad_x_w_b_3_part_1_stride_i0_block_of_2, layer_norm_grad_x_w_b_3_part_2_offset_of_2, layer_norm_grad_x_w_b_3_part_2_stride_i0_block_of_2, grad_w_offset_of_2, grad_b_offset_of_2, 0);
    }
}
