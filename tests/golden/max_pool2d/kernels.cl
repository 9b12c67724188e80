// max_pool2d (kernels_dsl/convolution.netcl)
//     y[n, c, p, q] = a function of x with max[r, s]
//     k[n, c, p, q] = a function of x with argmax[r, s]
__attribute__((noinline)) void max_pool2d_item(
    __global float *y,
    __global long *k,
    __global const float *x,
    const long chunk,
    const long units,
    const long size_n_c,
    const long size_p,
    const long size_q,
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
    long n_c = begin / size_q / size_p;
    for (long unit = begin; unit < end; ++unit) {
        float max_r_s = (-INFINITY);
        int max_r_s_nan = 0;
        float argmax_r_s_best = (-INFINITY);
        long argmax_r_s = 0;
        const long at = p * stride_0;
        const long at_3 = q * stride_1;
        for (long r = 0; r < size_r; ++r) {
            const long at_2 = ((dilation_0 * r) + at) - padding_0;
            const int is = (0L <= at_2) && (at_2 < size_i);
            for (long s = 0; s < size_s; ++s) {
                const long at_4 = ((dilation_1 * s) + at_3) - padding_1;
                const int is_2 = (is && (0L <= at_4)) && (at_4 < size_j);
                const float x_value = is_2 ? x[x_offset + n_c * x_stride_n_c + p * x_stride_p + q * x_stride_q + r * x_stride_r + s] : 0.0f;
                const float t = is_2 ? x_value : (-INFINITY);
                const float max_r_s_value = t;
                max_r_s_nan |= max_r_s_value != max_r_s_value;
                max_r_s = max_r_s > max_r_s_value ? max_r_s : max_r_s_value;
                const float argmax_r_s_value = t;
                if (argmax_r_s_value > argmax_r_s_best || (isnan(argmax_r_s_value) && !isnan(argmax_r_s_best))) {
                    argmax_r_s_best = argmax_r_s_value;
                    argmax_r_s = (r) * size_s + s;
                }
            }
        }
        const float max_r_s_total = or_nan_float(max_r_s, max_r_s_nan);
        y[y_offset + n_c * y_stride_n_c + p * y_stride_p + q] = max_r_s_total;
        k[k_offset + n_c * k_stride_n_c + p * k_stride_p + q] = argmax_r_s;
        if (++q == size_q) {
            q = 0;
            if (++p == size_p) {
                p = 0;
                ++n_c;
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
    const long size_n_c,
    const long size_p,
    const long size_q,
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
    max_pool2d_item(y, k, x, chunk, units, size_n_c, size_p, size_q, size_r, size_s, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_n_c, x_stride_p, x_stride_q, x_stride_r, y_offset, y_stride_n_c, y_stride_p, k_offset, k_stride_n_c, k_stride_p, get_global_id(0));
}


// max_pool2d_grad (kernels_dsl/convolution.netcl)
//     grad_x[n, c, i, j] = a function of dy, k with sum[r, s]
__attribute__((noinline)) void max_pool2d_grad_item(
    __global float *grad_x,
    __global const long *k,
    __global const float *dy,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n_c,
    const long size_i,
    const long block_j,
    const long size_j,
    const long size_r,
    const long size_s,
    const long padding_0,
    const long dilation_0,
    const long stride_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long stride_1,
    const long size_q,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_at0,
    const long dy_offset,
    const long dy_stride_n_c,
    const long dy_stride_at0,
    const long grad_x_offset,
    const long grad_x_stride_n_c,
    const long grad_x_stride_i,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long i = begin % size_i;
    long n_c = begin / size_i % size_n_c;
    long j_block = begin / size_i / size_n_c;
    for (long unit = begin; unit < end; ++unit) {
        const long j_begin = j_block * block_j;
        const long j_end = min(j_begin + block_j, size_j);
        const long at = i + padding_0;
        {
            long j = j_begin;
            for (; j + 16 <= j_end; j += 16) {
                float16 sum_r_s = 0.0f, sum_r_s_low = 0.0f;
                const long16 j_lanes = j + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                const long16 at_4 = j_lanes + (long16)(padding_1);
                for (long r = 0; r < size_r; ++r) {
                    const long at_2 = at - (dilation_0 * r);
                    const long at_3 = truncated_div_long(at_2, stride_0);
                    const int is = ((mod_long(at_2, stride_0) == 0L) && (0L <= at_3)) && (at_3 < size_p);
                    const long at_8 = r * size_s;
                    for (long s_run = 0; s_run < size_s; s_run += 256) {
                        const long s_stop = min(s_run + 256, size_s);
                        float16 sum_r_s_part = 0.0f;
                        for (long s = s_run; s < s_stop; ++s) {
                            const long16 at_5 = at_4 - (long16)(dilation_1 * s);
                            const long16 at_6 = (long16)(mod_long(at_5.s0, (long16)(stride_1).s0), mod_long(at_5.s1, (long16)(stride_1).s1), mod_long(at_5.s2, (long16)(stride_1).s2), mod_long(at_5.s3, (long16)(stride_1).s3), mod_long(at_5.s4, (long16)(stride_1).s4), mod_long(at_5.s5, (long16)(stride_1).s5), mod_long(at_5.s6, (long16)(stride_1).s6), mod_long(at_5.s7, (long16)(stride_1).s7), mod_long(at_5.s8, (long16)(stride_1).s8), mod_long(at_5.s9, (long16)(stride_1).s9), mod_long(at_5.sa, (long16)(stride_1).sa), mod_long(at_5.sb, (long16)(stride_1).sb), mod_long(at_5.sc, (long16)(stride_1).sc), mod_long(at_5.sd, (long16)(stride_1).sd), mod_long(at_5.se, (long16)(stride_1).se), mod_long(at_5.sf, (long16)(stride_1).sf));
                            const long16 at_7 = (long16)(truncated_div_long(at_5.s0, (long16)(stride_1).s0), truncated_div_long(at_5.s1, (long16)(stride_1).s1), truncated_div_long(at_5.s2, (long16)(stride_1).s2), truncated_div_long(at_5.s3, (long16)(stride_1).s3), truncated_div_long(at_5.s4, (long16)(stride_1).s4), truncated_div_long(at_5.s5, (long16)(stride_1).s5), truncated_div_long(at_5.s6, (long16)(stride_1).s6), truncated_div_long(at_5.s7, (long16)(stride_1).s7), truncated_div_long(at_5.s8, (long16)(stride_1).s8), truncated_div_long(at_5.s9, (long16)(stride_1).s9), truncated_div_long(at_5.sa, (long16)(stride_1).sa), truncated_div_long(at_5.sb, (long16)(stride_1).sb), truncated_div_long(at_5.sc, (long16)(stride_1).sc), truncated_div_long(at_5.sd, (long16)(stride_1).sd), truncated_div_long(at_5.se, (long16)(stride_1).se), truncated_div_long(at_5.sf, (long16)(stride_1).sf));
                            const int16 is_2 = (((int16)(-(is)) & convert_int16(at_6 == (long16)(0L))) & convert_int16((long16)(0L) <= at_7)) & convert_int16(at_7 < (long16)(size_q));
                            const long k_at = k_offset + n_c * k_stride_n_c + at_3 * k_stride_at0;
                            const long16 k_value = (long16)(k[k_at + at_7.s0], k[k_at + at_7.s1], k[k_at + at_7.s2], k[k_at + at_7.s3], k[k_at + at_7.s4], k[k_at + at_7.s5], k[k_at + at_7.s6], k[k_at + at_7.s7], k[k_at + at_7.s8], k[k_at + at_7.s9], k[k_at + at_7.sa], k[k_at + at_7.sb], k[k_at + at_7.sc], k[k_at + at_7.sd], k[k_at + at_7.se], k[k_at + at_7.sf]);
                            const long dy_at = dy_offset + n_c * dy_stride_n_c + at_3 * dy_stride_at0;
                            const float16 dy_value = (float16)(dy[dy_at + at_7.s0], dy[dy_at + at_7.s1], dy[dy_at + at_7.s2], dy[dy_at + at_7.s3], dy[dy_at + at_7.s4], dy[dy_at + at_7.s5], dy[dy_at + at_7.s6], dy[dy_at + at_7.s7], dy[dy_at + at_7.s8], dy[dy_at + at_7.s9], dy[dy_at + at_7.sa], dy[dy_at + at_7.sb], dy[dy_at + at_7.sc], dy[dy_at + at_7.sd], dy[dy_at + at_7.se], dy[dy_at + at_7.sf]);
                            const float16 t = is_2 ? (convert_int16(k_value == (long16)(at_8 + s)) ? dy_value : (float16)(0.0f)) : (float16)(0.0f);
                            sum_r_s_part += t;
                        }
                        add_pair_float16(&sum_r_s, &sum_r_s_low, sum_r_s_part);
                    }
                }
                const float16 sum_r_s_total = close_pair_float16(sum_r_s, sum_r_s_low);
                store_floats(sum_r_s_total, grad_x + grad_x_offset + n_c * grad_x_stride_n_c + i * grad_x_stride_i + j);
            }
            for (; j < j_end; ++j) {
                float sum_r_s_2 = 0.0f, sum_r_s_2_low = 0.0f;
                const long at_11 = j + padding_1;
                for (long r = 0; r < size_r; ++r) {
                    const long at_9 = at - (dilation_0 * r);
                    const long at_10 = truncated_div_long(at_9, stride_0);
                    const int is_3 = ((mod_long(at_9, stride_0) == 0L) && (0L <= at_10)) && (at_10 < size_p);
                    const long at_14 = r * size_s;
                    for (long s_run = 0; s_run < size_s; s_run += 256) {
                        const long s_stop = min(s_run + 256, size_s);
                        float sum_r_s_2_part = 0.0f;
                        for (long s = s_run; s < s_stop; ++s) {
                            const long at_12 = at_11 - (dilation_1 * s);
                            const long at_13 = truncated_div_long(at_12, stride_1);
                            const float t_2 = (k[k_offset + n_c * k_stride_n_c + at_10 * k_stride_at0 + at_13] == (at_14 + s)) ? dy[dy_offset + n_c * dy_stride_n_c + at_10 * dy_stride_at0 + at_13] : 0.0f;
                            const float t_3 = (((is_3 && (mod_long(at_12, stride_1) == 0L)) && (0L <= at_13)) && (at_13 < size_q)) ? t_2 : 0.0f;
                            sum_r_s_2_part += t_3;
                        }
                        add_pair_float(&sum_r_s_2, &sum_r_s_2_low, sum_r_s_2_part);
                    }
                }
                const float sum_r_s_2_total = close_pair_float(sum_r_s_2, sum_r_s_2_low);
                grad_x[grad_x_offset + n_c * grad_x_stride_n_c + i * grad_x_stride_i + j] = sum_r_s_2_total;
            }
        }
        if (++i == size_i) {
            i = 0;
            if (++n_c == size_n_c) {
                n_c = 0;
                ++j_block;
            }
        }
    }
}

__kernel void max_pool2d_grad_kernel(
    __global float *grad_x,
    __global const long *k,
    __global const float *dy,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n_c,
    const long size_i,
    const long block_j,
    const long size_j,
    const long size_r,
    const long size_s,
    const long padding_0,
    const long dilation_0,
    const long stride_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long stride_1,
    const long size_q,
    const long k_offset,
    const long k_stride_n_c,
    const long k_stride_at0,
    const long dy_offset,
    const long dy_stride_n_c,
    const long dy_stride_at0,
    const long grad_x_offset,
    const long grad_x_stride_n_c,
    const long grad_x_stride_i) {
    max_pool2d_grad_item(grad_x, k, dy, chunk, units, blocks, size_n_c, size_i, block_j, size_j, size_r, size_s, padding_0, dilation_0, stride_0, size_p, padding_1, dilation_1, stride_1, size_q, k_offset, k_stride_n_c, k_stride_at0, dy_offset, dy_stride_n_c, dy_stride_at0, grad_x_offset, grad_x_stride_n_c, grad_x_stride_i, get_global_id(0));
}
