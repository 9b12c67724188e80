// max_pool2d (kernels_dsl/convolution.netcl)
//     y[n, c, p, q] = a function of x with max[r, s]
//     k[n, c, p, q] = a function of x with argmax[r, s]
__attribute__((noinline)) void max_pool2d_item(
    __global float *y,
    __global long *k,
    __global const float *x,
    const long chunk,
    const long units,
    const long blocks,
    const long size_p,
    const long size_q,
    const long block_n_c,
    const long size_n_c,
    const long size_r,
    const long size_s,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_n_c,
    const long x_stride_p,
    const long x_stride_q,
    const long x_stride_r,
    const long y_offset,
    const long y_stride_n_c,
    const long y_stride_p,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_p,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long q = begin % size_q;
    long p = begin / size_q % size_p;
    long n_c_block = begin / size_q / size_p;
    for (long unit = begin; unit < end; ++unit) {
        const long n_c_begin = n_c_block * block_n_c;
        const long n_c_end = min(n_c_begin + block_n_c, size_n_c);
        const long at = p * stride_0;
        const long at_3 = q * stride_1;
        {
            long n_c = n_c_begin;
            for (; n_c + 16 <= n_c_end; n_c += 16) {
                float16 max_r_s = (float16)((-INFINITY));
                int16 max_r_s_nan = 0;
                float16 argmax_r_s_best = (float16)((-INFINITY));
                long16 argmax_r_s = 0;
                for (long r = 0; r < size_r; ++r) {
                    const long at_2 = ((dilation_0 * r) + at) - padding_0;
                    const int is = (0L <= at_2) && (at_2 < size_i);
                    for (long s = 0; s < size_s; ++s) {
                        const long at_4 = ((dilation_1 * s) + at_3) - padding_1;
                        const int is_2 = (is && (0L <= at_4)) && (at_4 < size_j);
                        const long x_at = x_offset + n_c * x_stride_n_c + p * x_stride_p + q * x_stride_q + r * x_stride_r + s;
                        float16 x_value = 0.0f;
                        if (is_2) x_value = (float16)(x[x_at], x[x_at + x_stride_n_c], x[x_at + 2 * x_stride_n_c], x[x_at + 3 * x_stride_n_c], x[x_at + 4 * x_stride_n_c], x[x_at + 5 * x_stride_n_c], x[x_at + 6 * x_stride_n_c], x[x_at + 7 * x_stride_n_c], x[x_at + 8 * x_stride_n_c], x[x_at + 9 * x_stride_n_c], x[x_at + 10 * x_stride_n_c], x[x_at + 11 * x_stride_n_c], x[x_at + 12 * x_stride_n_c], x[x_at + 13 * x_stride_n_c], x[x_at + 14 * x_stride_n_c], x[x_at + 15 * x_stride_n_c]);
                        const float16 t = is_2 ? x_value : (float16)(-INFINITY);
                        const float16 max_r_s_value = t;
                        max_r_s_nan |= max_r_s_value != max_r_s_value;
                        max_r_s = max_r_s > max_r_s_value ? max_r_s : max_r_s_value;
                        const float16 argmax_r_s_value = t;
                        const int16 argmax_r_s_better = (argmax_r_s_value > argmax_r_s_best) | (isnan(argmax_r_s_value) & ~isnan(argmax_r_s_best));
                        argmax_r_s_best = argmax_r_s_better ? argmax_r_s_value : argmax_r_s_best;
                        argmax_r_s = convert_long16(argmax_r_s_better) ? (r) * size_s + s : argmax_r_s;
                    }
                }
                const float16 max_r_s_total = max_r_s_nan ? (float16)(NAN) : max_r_s;
                const long y_at = y_offset + n_c * y_stride_n_c + p * y_stride_p + q;
                y[y_at + 0 * y_stride_n_c] = max_r_s_total.s0;
                y[y_at + 1 * y_stride_n_c] = max_r_s_total.s1;
                y[y_at + 2 * y_stride_n_c] = max_r_s_total.s2;
                y[y_at + 3 * y_stride_n_c] = max_r_s_total.s3;
                y[y_at + 4 * y_stride_n_c] = max_r_s_total.s4;
                y[y_at + 5 * y_stride_n_c] = max_r_s_total.s5;
                y[y_at + 6 * y_stride_n_c] = max_r_s_total.s6;
                y[y_at + 7 * y_stride_n_c] = max_r_s_total.s7;
                y[y_at + 8 * y_stride_n_c] = max_r_s_total.s8;
                y[y_at + 9 * y_stride_n_c] = max_r_s_total.s9;
                y[y_at + 10 * y_stride_n_c] = max_r_s_total.sa;
                y[y_at + 11 * y_stride_n_c] = max_r_s_total.sb;
                y[y_at + 12 * y_stride_n_c] = max_r_s_total.sc;
                y[y_at + 13 * y_stride_n_c] = max_r_s_total.sd;
                y[y_at + 14 * y_stride_n_c] = max_r_s_total.se;
                y[y_at + 15 * y_stride_n_c] = max_r_s_total.sf;
                const long k_at = k_offset + n_c * k_stride_n_c + p * k_stride_p + q;
                k[k_at + 0 * k_stride_n_c] = argmax_r_s.s0;
                k[k_at + 1 * k_stride_n_c] = argmax_r_s.s1;
                k[k_at + 2 * k_stride_n_c] = argmax_r_s.s2;
                k[k_at + 3 * k_stride_n_c] = argmax_r_s.s3;
                k[k_at + 4 * k_stride_n_c] = argmax_r_s.s4;
                k[k_at + 5 * k_stride_n_c] = argmax_r_s.s5;
                k[k_at + 6 * k_stride_n_c] = argmax_r_s.s6;
                k[k_at + 7 * k_stride_n_c] = argmax_r_s.s7;
                k[k_at + 8 * k_stride_n_c] = argmax_r_s.s8;
                k[k_at + 9 * k_stride_n_c] = argmax_r_s.s9;
                k[k_at + 10 * k_stride_n_c] = argmax_r_s.sa;
                k[k_at + 11 * k_stride_n_c] = argmax_r_s.sb;
                k[k_at + 12 * k_stride_n_c] = argmax_r_s.sc;
                k[k_at + 13 * k_stride_n_c] = argmax_r_s.sd;
                k[k_at + 14 * k_stride_n_c] = argmax_r_s.se;
                k[k_at + 15 * k_stride_n_c] = argmax_r_s.sf;
            }
            for (; n_c < n_c_end; ++n_c) {
                float max_r_s_2 = (-INFINITY);
                int max_r_s_2_nan = 0;
                float argmax_r_s_2_best = (-INFINITY);
                long argmax_r_s_2 = 0;
                for (long r = 0; r < size_r; ++r) {
                    const long at_5 = ((dilation_0 * r) + at) - padding_0;
                    const int is_3 = (0L <= at_5) && (at_5 < size_i);
                    for (long s = 0; s < size_s; ++s) {
                        const long at_6 = ((dilation_1 * s) + at_3) - padding_1;
                        const int is_4 = (is_3 && (0L <= at_6)) && (at_6 < size_j);
                        const float x_value_2 = is_4 ? x[x_offset + n_c * x_stride_n_c + p * x_stride_p + q * x_stride_q + r * x_stride_r + s] : 0.0f;
                        const float t_2 = is_4 ? x_value_2 : (-INFINITY);
                        const float max_r_s_2_value = t_2;
                        max_r_s_2_nan |= max_r_s_2_value != max_r_s_2_value;
                        max_r_s_2 = max_r_s_2 > max_r_s_2_value ? max_r_s_2 : max_r_s_2_value;
                        const float argmax_r_s_2_value = t_2;
                        if (argmax_r_s_2_value > argmax_r_s_2_best || (isnan(argmax_r_s_2_value) && !isnan(argmax_r_s_2_best))) {
                            argmax_r_s_2_best = argmax_r_s_2_value;
                            argmax_r_s_2 = (r) * size_s + s;
                        }
                    }
                }
                const float max_r_s_2_total = or_nan_float(max_r_s_2, max_r_s_2_nan);
                y[y_offset + n_c * y_stride_n_c + p * y_stride_p + q] = max_r_s_2_total;
                k[k_offset + n_c * k_stride_n_c + p * k_stride_p + q] = argmax_r_s_2;
            }
        }
        if (++q == size_q) {
            q = 0;
            if (++p == size_p) {
                p = 0;
                ++n_c_block;
            }
        }
    }
}

__kernel void max_pool2d_kernel(
    __global float *y,
    __global long *k,
    __global const float *x,
    const long chunk,
    const long units,
    const long blocks,
    const long size_p,
    const long size_q,
    const long block_n_c,
    const long size_n_c,
    const long size_r,
    const long size_s,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_n_c,
    const long x_stride_p,
    const long x_stride_q,
    const long x_stride_r,
    const long y_offset,
    const long y_stride_n_c,
    const long y_stride_p,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_p) {
    max_pool2d_item(y, k, x, chunk, units, blocks, size_p, size_q, block_n_c, size_n_c, size_r, size_s, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_n_c, x_stride_p, x_stride_q, x_stride_r, y_offset, y_stride_n_c, y_stride_p, k_offset, k_stride_n_c, k_stride_p, get_global_id(0));
}


// max_pool2d_grad (kernels_dsl/convolution.netcl)
//     grad_x[n, c, i, j] = sum[p, q](i == k[n, c, p, q] // size[s] * dilation.0
//         + p * stride.0 - padding.0 and j == k[n, c, p, q] % size[s] * dilation.1 + q * stride.1 - padding.1 ? dy[n, c, p, q] : 0)
__attribute__((noinline)) void max_pool2d_grad_item(
    __global float *grad_x,
    __global const long *k,
    __global const float *dy,
    const long size_i,
    const long size_j,
    const long grad_x_offset,
    const long grad_x_stride_n_c,
    const long grad_x_stride_i,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_p,
    const long size_s,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long dy_offset,
    const long dy_stride_n_c,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long first_row = unit % row_blocks * rows_per_block, end_row = min(first_row + rows_per_block, size_i);
        const long n_c = unit / row_blocks;
        const long begin_value = 0, end_value = size_p * size_q;
        for (long i = first_row; i < end_row; ++i) {
            {
                long j = 0;
                for (; j + 16 <= size_j; j += 16) {
                    store_floats((float16)(0.0f), grad_x + grad_x_offset + n_c * grad_x_stride_n_c + i * grad_x_stride_i + j);
                }
                for (; j < size_j; ++j) {
                    grad_x[grad_x_offset + n_c * grad_x_stride_n_c + i * grad_x_stride_i + j] = 0.0f;
                }
            }
        }
        long q = (begin_value) % size_q;
        long p = (begin_value) / size_q;
        for (long value_number = begin_value; value_number < end_value; ++value_number) {
            const long k_value = k[k_offset + n_c * k_stride_n_c + p * k_stride_p + q];
            const long i = ((floor_div_long(k_value, size_s) * dilation_0) + (p * stride_0)) - padding_0;
            const long j = ((mod_long(k_value, size_s) * dilation_1) + (q * stride_1)) - padding_1;
            if ((i >= first_row) & (i < end_row) && (j >= 0) & (j < size_j)) {
                grad_x[grad_x_offset + n_c * grad_x_stride_n_c + i * grad_x_stride_i + j] += dy[dy_offset + n_c * dy_stride_n_c + p * dy_stride_p + q];
            }
            if (++q == size_q) {
                q = 0;
                ++p;
            }
        }
    }
}

__kernel void max_pool2d_grad_kernel(
    __global float *grad_x,
    __global const long *k,
    __global const float *dy,
    const long size_i,
    const long size_j,
    const long grad_x_offset,
    const long grad_x_stride_n_c,
    const long grad_x_stride_i,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_p,
    const long size_s,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long dy_offset,
    const long dy_stride_n_c,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block) {
    max_pool2d_grad_item(grad_x, k, dy, size_i, size_j, grad_x_offset, grad_x_stride_n_c, grad_x_stride_i, k_offset, k_stride_n_c, k_stride_p, size_s, dilation_0, stride_0, padding_0, dilation_1, stride_1, padding_1, dy_offset, dy_stride_n_c, dy_stride_p, size_q, size_p, chunk, units, row_blocks, rows_per_block, get_global_id(0));
}
