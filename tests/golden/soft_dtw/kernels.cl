// soft_dtw (kernels_dsl/recurrence.netcl)
//     r[n0, i, j] = a function of d, r
__attribute__((noinline)) void soft_dtw_1__item(
    __global const float *d_,
    __global float *r_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long d_offset_,
    const long d_stride_i_,
    const long d_stride_n0_,
    const float gamma_,
    const long r_1_offset_,
    const long r_1_stride_i_,
    const long r_1_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long r_offset_,
    const long r_stride_n0_,
    const long r_stride_i_,
    const long item) {
    float16 own_window;
    float16 own_window_2;
    float16 own_window_3;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        for (long strip = 0; strip < ((size_i_ + 15L) >> 4); ++strip) {
            const long first = strip * 16L;
            const long rows = min(16L, size_i_ - first);
            const long every = size_j_ + 15L;
            const long together = (rows == 16L) ? max(size_j_ - 16L, 0L) : 0L;
            for (long part = 0; part < 2L; ++part) {
                const long begin_2 = (part == 0L) ? 0L : ((together > 0L) ? (together + 16L) : every);
                const long end = ((part == 0L) & (together > 0L)) ? 16L : every;
                for (long at = 0; at < max(end - begin_2, 0L); ++at) {
                    const long turn = begin_2 + at;
                    const long16 t = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is = convert_int16(((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) < (long16)(size_i_)) & convert_int16(as_ulong16(t) < as_ulong16((long16)(size_j_)));
                    const long16 value = (long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const long16 value_2 = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    float16 value_3 = 0.0f;
                    if (fold_any_int16(is)) {
                        const long16 at_2 = convert_long16(is) ? as_long16(((as_ulong16((long16)(d_offset_)) + (as_ulong16(value) * as_ulong16((long16)(d_stride_i_)))) + as_ulong16(value_2)) + as_ulong16((long16)(unit * d_stride_n0_))) : (long16)(0L);
                        value_3 = is ? (float16)(d_[at_2.s0], d_[at_2.s1], d_[at_2.s2], d_[at_2.s3], d_[at_2.s4], d_[at_2.s5], d_[at_2.s6], d_[at_2.s7], d_[at_2.s8], d_[at_2.s9], d_[at_2.sa], d_[at_2.sb], d_[at_2.sc], d_[at_2.sd], d_[at_2.se], d_[at_2.sf]) : value_3;
                    }
                    const int16 is_2 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value) - as_ulong16((long16)(1L))));
                    const int16 is_3 = is_2 & is;
                    const long at_3 = r_1_offset_ + (unit * r_1_stride_n0_);
                    const long16 at_4 = as_long16((as_ulong16(value) * as_ulong16((long16)(r_1_stride_i_))) + as_ulong16(value_2));
                    const float16 value_4 = (float16)((is_3.s0 ? r_[at_3 + at_4.s0] : 0.0f), (is_3.s1 ? r_[at_3 + at_4.s1] : 0.0f), (is_3.s2 ? r_[at_3 + at_4.s2] : 0.0f), (is_3.s3 ? r_[at_3 + at_4.s3] : 0.0f), (is_3.s4 ? r_[at_3 + at_4.s4] : 0.0f), (is_3.s5 ? r_[at_3 + at_4.s5] : 0.0f), (is_3.s6 ? r_[at_3 + at_4.s6] : 0.0f), (is_3.s7 ? r_[at_3 + at_4.s7] : 0.0f), (is_3.s8 ? r_[at_3 + at_4.s8] : 0.0f), (is_3.s9 ? r_[at_3 + at_4.s9] : 0.0f), (is_3.sa ? r_[at_3 + at_4.sa] : 0.0f), (is_3.sb ? r_[at_3 + at_4.sb] : 0.0f), (is_3.sc ? r_[at_3 + at_4.sc] : 0.0f), (is_3.sd ? r_[at_3 + at_4.sd] : 0.0f), (is_3.se ? r_[at_3 + at_4.se] : 0.0f), (is_3.sf ? r_[at_3 + at_4.sf] : 0.0f));
                    const float16 value_5 = is_2 ? value_4 : (float16)(INFINITY);
                    const int16 is_4 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_2) - as_ulong16((long16)(1L))));
                    const int16 is_5 = is_4 & is;
                    const long at_5 = r_2_offset_ + (unit * r_2_stride_n0_);
                    const long16 at_6 = as_long16((as_ulong16(value) * as_ulong16((long16)(r_2_stride_i_))) + as_ulong16(value_2));
                    const float16 value_6 = (float16)((is_5.s0 ? r_[at_5 + at_6.s0] : 0.0f), (is_5.s1 ? r_[at_5 + at_6.s1] : 0.0f), (is_5.s2 ? r_[at_5 + at_6.s2] : 0.0f), (is_5.s3 ? r_[at_5 + at_6.s3] : 0.0f), (is_5.s4 ? r_[at_5 + at_6.s4] : 0.0f), (is_5.s5 ? r_[at_5 + at_6.s5] : 0.0f), (is_5.s6 ? r_[at_5 + at_6.s6] : 0.0f), (is_5.s7 ? r_[at_5 + at_6.s7] : 0.0f), (is_5.s8 ? r_[at_5 + at_6.s8] : 0.0f), (is_5.s9 ? r_[at_5 + at_6.s9] : 0.0f), (is_5.sa ? r_[at_5 + at_6.sa] : 0.0f), (is_5.sb ? r_[at_5 + at_6.sb] : 0.0f), (is_5.sc ? r_[at_5 + at_6.sc] : 0.0f), (is_5.sd ? r_[at_5 + at_6.sd] : 0.0f), (is_5.se ? r_[at_5 + at_6.se] : 0.0f), (is_5.sf ? r_[at_5 + at_6.sf] : 0.0f));
                    const float16 value_7 = is_4 ? value_6 : (float16)(INFINITY);
                    const int16 is_6 = is_2 & is_4;
                    const int16 is_7 = is_6 & is;
                    const long at_7 = r_3_offset_ + (unit * r_3_stride_n0_);
                    const long16 at_8 = as_long16((as_ulong16(value) * as_ulong16((long16)(r_3_stride_i_))) + as_ulong16(value_2));
                    const float16 value_8 = (float16)((is_7.s0 ? r_[at_7 + at_8.s0] : 0.0f), (is_7.s1 ? r_[at_7 + at_8.s1] : 0.0f), (is_7.s2 ? r_[at_7 + at_8.s2] : 0.0f), (is_7.s3 ? r_[at_7 + at_8.s3] : 0.0f), (is_7.s4 ? r_[at_7 + at_8.s4] : 0.0f), (is_7.s5 ? r_[at_7 + at_8.s5] : 0.0f), (is_7.s6 ? r_[at_7 + at_8.s6] : 0.0f), (is_7.s7 ? r_[at_7 + at_8.s7] : 0.0f), (is_7.s8 ? r_[at_7 + at_8.s8] : 0.0f), (is_7.s9 ? r_[at_7 + at_8.s9] : 0.0f), (is_7.sa ? r_[at_7 + at_8.sa] : 0.0f), (is_7.sb ? r_[at_7 + at_8.sb] : 0.0f), (is_7.sc ? r_[at_7 + at_8.sc] : 0.0f), (is_7.sd ? r_[at_7 + at_8.sd] : 0.0f), (is_7.se ? r_[at_7 + at_8.se] : 0.0f), (is_7.sf ? r_[at_7 + at_8.sf] : 0.0f));
                    const float16 value_9 = is_6 ? value_8 : ((convert_int16(value == (long16)(0L)) & convert_int16(value_2 == (long16)(0L))) ? (float16)(0.0f) : (float16)(INFINITY));
                    const float16 value_10 = minimum_float16(minimum_float16(value_5, value_7), value_9);
                    const float16 value_11 = (value_10 == (float16)(INFINITY)) ? (float16)(0.0f) : value_10;
                    const float16 value_12 = (exp_float16(value_11 - value_5) + exp_float16(value_11 - value_7)) + exp_float16(value_11 - value_9);
                    const int16 inside = is;
                    store_floats_where(((value_3 / (float16)(gamma_)) + ((value_12 == (float16)(0.0f)) ? (float16)(INFINITY) : (value_11 - log_float16(value_12)))), inside, r_ + ((r_offset_ + (unit * r_stride_n0_)) + (r_stride_i_ * first)) + turn, r_stride_i_ + (0L - 1L));
                }
                if ((part == 0L) & (together > 0L)) {
                    const long16 t_2 = ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) + (long16)(1L);
                    const int16 inside_2 = convert_int16((long16)(0L) <= (t_2 - (long16)(1L)));
                    const long at_9 = ((r_1_offset_ + (r_1_stride_i_ * (first + 1L))) + (16L + (-1L))) + (unit * r_1_stride_n0_);
                    const float16 value_13 = (float16)((inside_2.s0 ? r_[at_9] : 0.0f), (inside_2.s1 ? r_[at_9 + 1 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s2 ? r_[at_9 + 2 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s3 ? r_[at_9 + 3 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s4 ? r_[at_9 + 4 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s5 ? r_[at_9 + 5 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s6 ? r_[at_9 + 6 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s7 ? r_[at_9 + 7 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s8 ? r_[at_9 + 8 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.s9 ? r_[at_9 + 9 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.sa ? r_[at_9 + 10 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.sb ? r_[at_9 + 11 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.sc ? r_[at_9 + 12 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.sd ? r_[at_9 + 13 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.se ? r_[at_9 + 14 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_2.sf ? r_[at_9 + 15 * (r_1_stride_i_ + (0L - 1L))] : 0.0f));
                    own_window = value_13;
                    const int16 inside_3 = convert_int16((long16)(0L) <= (((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) - (long16)(1L)));
                    const long at_10 = ((r_1_offset_ + (r_1_stride_i_ * first)) + (16L + (-1L))) + (unit * r_1_stride_n0_);
                    const float16 value_14 = (float16)((inside_3.s0 ? r_[at_10] : 0.0f), (inside_3.s1 ? r_[at_10 + 1 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s2 ? r_[at_10 + 2 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s3 ? r_[at_10 + 3 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s4 ? r_[at_10 + 4 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s5 ? r_[at_10 + 5 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s6 ? r_[at_10 + 6 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s7 ? r_[at_10 + 7 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s8 ? r_[at_10 + 8 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.s9 ? r_[at_10 + 9 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.sa ? r_[at_10 + 10 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.sb ? r_[at_10 + 11 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.sc ? r_[at_10 + 12 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.sd ? r_[at_10 + 13 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.se ? r_[at_10 + 14 * (r_1_stride_i_ + (0L - 1L))] : 0.0f), (inside_3.sf ? r_[at_10 + 15 * (r_1_stride_i_ + (0L - 1L))] : 0.0f));
                    own_window_2 = value_14;
                    for (long turn_2 = 0; turn_2 < together; ++turn_2) {
                        const long step_2 = first;
                        const long step_3 = 16L + turn_2;
                        const float edge = (0L <= (step_2 - 1L)) ? r_[((r_1_offset_ + (step_2 * r_1_stride_i_)) + step_3) + (unit * r_1_stride_n0_)] : 0.0f;
                        const long16 t_3 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_3 = convert_int16((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (long16)(0L)) ? (float16)(edge) : own_window.sf0123456789abcde;
                        const int16 is_8 = convert_int16((long16)(0L) <= (((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) - (long16)(1L)));
                        const long at_11 = ((d_offset_ + (d_stride_i_ * first)) + (16L + turn_2)) + (unit * d_stride_n0_);
                        const float16 value_15 = (float16)(d_[at_11], d_[at_11 + 1 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 2 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 3 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 4 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 5 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 6 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 7 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 8 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 9 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 10 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 11 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 12 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 13 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 14 * (d_stride_i_ + (0L - 1L))], d_[at_11 + 15 * (d_stride_i_ + (0L - 1L))]);
                        const float16 value_16 = is_8 ? (is_8 ? own_window_3 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_17 = own_window;
                        const float16 value_18 = is_8 ? (is_8 ? own_window_2 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_19 = minimum_float16(minimum_float16(value_16, value_17), value_18);
                        const float16 value_20 = (value_19 == (float16)(INFINITY)) ? (float16)(0.0f) : value_19;
                        const float16 value_21 = (exp_float16(value_20 - value_16) + exp_float16(value_20 - value_17)) + exp_float16(value_20 - value_18);
                        const float16 value_22 = (value_15 / (float16)(gamma_)) + ((value_21 == (float16)(0.0f)) ? (float16)(INFINITY) : (value_20 - log_float16(value_21)));
                        const long at_12 = ((r_offset_ + (unit * r_stride_n0_)) + (r_stride_i_ * first)) + (16L + turn_2);
                        const float16 result = value_22;
                        r_[at_12] = result.s0;
                        r_[at_12 + 1 * (r_stride_i_ + (0L - 1L))] = result.s1;
                        r_[at_12 + 2 * (r_stride_i_ + (0L - 1L))] = result.s2;
                        r_[at_12 + 3 * (r_stride_i_ + (0L - 1L))] = result.s3;
                        r_[at_12 + 4 * (r_stride_i_ + (0L - 1L))] = result.s4;
                        r_[at_12 + 5 * (r_stride_i_ + (0L - 1L))] = result.s5;
                        r_[at_12 + 6 * (r_stride_i_ + (0L - 1L))] = result.s6;
                        r_[at_12 + 7 * (r_stride_i_ + (0L - 1L))] = result.s7;
                        r_[at_12 + 8 * (r_stride_i_ + (0L - 1L))] = result.s8;
                        r_[at_12 + 9 * (r_stride_i_ + (0L - 1L))] = result.s9;
                        r_[at_12 + 10 * (r_stride_i_ + (0L - 1L))] = result.sa;
                        r_[at_12 + 11 * (r_stride_i_ + (0L - 1L))] = result.sb;
                        r_[at_12 + 12 * (r_stride_i_ + (0L - 1L))] = result.sc;
                        r_[at_12 + 13 * (r_stride_i_ + (0L - 1L))] = result.sd;
                        r_[at_12 + 14 * (r_stride_i_ + (0L - 1L))] = result.se;
                        r_[at_12 + 15 * (r_stride_i_ + (0L - 1L))] = result.sf;
                        own_window = value_22;
                        own_window_2 = own_window_3;
                    }
                }
            }
        }
    }
}

__kernel void soft_dtw_1__kernel(
    __global const float *d_,
    __global float *r_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long d_offset_,
    const long d_stride_i_,
    const long d_stride_n0_,
    const float gamma_,
    const long r_1_offset_,
    const long r_1_stride_i_,
    const long r_1_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long r_offset_,
    const long r_stride_n0_,
    const long r_stride_i_) {
    soft_dtw_1__item(d_, r_, size_n0_, units, chunk, size_i_, size_j_, d_offset_, d_stride_i_, d_stride_n0_, gamma_, r_1_offset_, r_1_stride_i_, r_1_stride_n0_, r_2_offset_, r_2_stride_i_, r_2_stride_n0_, r_3_offset_, r_3_stride_i_, r_3_stride_n0_, r_offset_, r_stride_n0_, r_stride_i_, get_global_id(0));
}


// soft_dtw (kernels_dsl/recurrence.netcl)
//     y[n0] = gamma * r[n0, size[i] - 1, size[j] - 1]
__attribute__((noinline)) void soft_dtw_2__item(
    __global const float *r_,
    __global float *y_,
    const long units,
    const long chunk,
    const float gamma_,
    const long r_offset_,
    const long r_stride_n0_,
    const long y_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const long at = r_offset_ + (r_stride_n0_ * start);
        const float16 value = (float16)(r_[at], r_[at + 1 * r_stride_n0_], r_[at + 2 * r_stride_n0_], r_[at + 3 * r_stride_n0_], r_[at + 4 * r_stride_n0_], r_[at + 5 * r_stride_n0_], r_[at + 6 * r_stride_n0_], r_[at + 7 * r_stride_n0_], r_[at + 8 * r_stride_n0_], r_[at + 9 * r_stride_n0_], r_[at + 10 * r_stride_n0_], r_[at + 11 * r_stride_n0_], r_[at + 12 * r_stride_n0_], r_[at + 13 * r_stride_n0_], r_[at + 14 * r_stride_n0_], r_[at + 15 * r_stride_n0_]);
        store_floats((float16)(gamma_) * value, y_ + y_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long n0_ = (begin + (vectors * 16L)) + left;
        y_[y_offset_ + n0_] = gamma_ * r_[r_offset_ + (n0_ * r_stride_n0_)];
    }
}

__kernel void soft_dtw_2__kernel(
    __global const float *r_,
    __global float *y_,
    const long units,
    const long chunk,
    const float gamma_,
    const long r_offset_,
    const long r_stride_n0_,
    const long y_offset_) {
    soft_dtw_2__item(r_, y_, units, chunk, gamma_, r_offset_, r_stride_n0_, y_offset_, get_global_id(0));
}


// soft_dtw_grad (kernels_dsl/recurrence.netcl)
//     state.1[n0, i, j] = a function of dr, dy, r, state.1
__attribute__((noinline)) void soft_dtw_grad_1__item(
    __global const float *dr_,
    __global const float *dy_,
    __global const float *r_,
    __global float *state_1_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long dr_offset_,
    const long dr_stride_i_,
    const long dr_stride_n0_,
    const long dy_offset_,
    const float gamma_,
    const long r_offset_,
    const long r_stride_i_,
    const long r_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long r_4_offset_,
    const long r_4_stride_i_,
    const long r_4_stride_n0_,
    const long r_5_offset_,
    const long r_5_stride_i_,
    const long r_5_stride_n0_,
    const long state_1_2_offset_,
    const long state_1_2_stride_i_,
    const long state_1_2_stride_n0_,
    const long r_6_offset_,
    const long r_6_stride_i_,
    const long r_6_stride_n0_,
    const long r_7_offset_,
    const long r_7_stride_i_,
    const long r_7_stride_n0_,
    const long state_1_3_offset_,
    const long state_1_3_stride_i_,
    const long state_1_3_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_,
    const long item) {
    float16 own_window;
    float16 own_window_2;
    float16 own_window_3;
    float16 own_window_4;
    float16 own_window_5;
    float16 own_window_6;
    float16 own_window_7;
    float16 own_window_8;
    float16 own_window_9;
    float16 own_window_10;
    const long value = size_i_ - 1L;
    const long value_2 = size_j_ - 1L;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const float value_3 = dy_[dy_offset_ + unit] * gamma_;
        for (long strip = 0; strip < ((size_i_ + 15L) >> 4); ++strip) {
            const long first = strip * 16L;
            const long rows = min(16L, size_i_ - first);
            const long every = size_j_ + 15L;
            const long together = (rows == 16L) ? max(size_j_ - 17L, 0L) : 0L;
            for (long part = 0; part < 2L; ++part) {
                const long begin_2 = (part == 0L) ? 0L : ((together > 0L) ? (together + 16L) : every);
                const long end = ((part == 0L) & (together > 0L)) ? 16L : every;
                for (long at = 0; at < max(end - begin_2, 0L); ++at) {
                    const long turn = begin_2 + at;
                    const long16 t = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is = convert_int16(((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) < (long16)(size_i_)) & convert_int16(as_ulong16(t) < as_ulong16((long16)(size_j_)));
                    const long16 value_4 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const long16 value_5 = (long16)(size_j_ - 1L) - ((long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    float16 value_6 = 0.0f;
                    if (fold_any_int16(is)) {
                        const long16 at_2 = convert_long16(is) ? as_long16(((as_ulong16((long16)(dr_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(dr_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * dr_stride_n0_))) : (long16)(0L);
                        value_6 = is ? (float16)(dr_[at_2.s0], dr_[at_2.s1], dr_[at_2.s2], dr_[at_2.s3], dr_[at_2.s4], dr_[at_2.s5], dr_[at_2.s6], dr_[at_2.s7], dr_[at_2.s8], dr_[at_2.s9], dr_[at_2.sa], dr_[at_2.sb], dr_[at_2.sc], dr_[at_2.sd], dr_[at_2.se], dr_[at_2.sf]) : value_6;
                    }
                    const int16 is_2 = convert_int16(as_long16(as_ulong16(value_4) + as_ulong16((long16)(1L))) < (long16)(size_i_));
                    const int16 is_3 = convert_int16(as_long16(as_ulong16(value_5) + as_ulong16((long16)(1L))) < (long16)(size_j_));
                    const int16 is_4 = is_2 & is_3;
                    const int16 is_5 = is_3 & is;
                    float16 value_7 = 0.0f;
                    if (fold_any_int16(is_5)) {
                        const long16 at_3 = convert_long16(is_5) ? as_long16(((as_ulong16((long16)(r_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_stride_n0_))) : (long16)(0L);
                        value_7 = is_5 ? (float16)(r_[at_3.s0], r_[at_3.s1], r_[at_3.s2], r_[at_3.s3], r_[at_3.s4], r_[at_3.s5], r_[at_3.s6], r_[at_3.s7], r_[at_3.s8], r_[at_3.s9], r_[at_3.sa], r_[at_3.sb], r_[at_3.sc], r_[at_3.sd], r_[at_3.se], r_[at_3.sf]) : value_7;
                    }
                    const int16 is_6 = is_2 & is;
                    float16 value_8 = 0.0f;
                    if (fold_any_int16(is_6)) {
                        const long16 at_4 = convert_long16(is_6) ? as_long16(((as_ulong16((long16)(r_2_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_2_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_2_stride_n0_))) : (long16)(0L);
                        value_8 = is_6 ? (float16)(r_[at_4.s0], r_[at_4.s1], r_[at_4.s2], r_[at_4.s3], r_[at_4.s4], r_[at_4.s5], r_[at_4.s6], r_[at_4.s7], r_[at_4.s8], r_[at_4.s9], r_[at_4.sa], r_[at_4.sb], r_[at_4.sc], r_[at_4.sd], r_[at_4.se], r_[at_4.sf]) : value_8;
                    }
                    float16 value_9 = 0.0f;
                    if (fold_any_int16(is)) {
                        const long16 at_5 = convert_long16(is) ? as_long16(((as_ulong16((long16)(r_3_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_3_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_3_stride_n0_))) : (long16)(0L);
                        value_9 = is ? (float16)(r_[at_5.s0], r_[at_5.s1], r_[at_5.s2], r_[at_5.s3], r_[at_5.s4], r_[at_5.s5], r_[at_5.s6], r_[at_5.s7], r_[at_5.s8], r_[at_5.s9], r_[at_5.sa], r_[at_5.sb], r_[at_5.sc], r_[at_5.sd], r_[at_5.se], r_[at_5.sf]) : value_9;
                    }
                    const float16 value_10 = minimum_float16(minimum_float16(value_7, value_8), value_9);
                    const float16 value_11 = (value_10 == (float16)(INFINITY)) ? (float16)(0.0f) : value_10;
                    const float16 value_12 = exp_float16(value_11 - value_9);
                    const float16 value_13 = (exp_float16(value_11 - value_7) + exp_float16(value_11 - value_8)) + value_12;
                    const int16 is_7 = is_4 & is;
                    const long at_6 = state_1_1_offset_ + (unit * state_1_1_stride_n0_);
                    const long16 at_7 = as_long16((as_ulong16(value_4) * as_ulong16((long16)(state_1_1_stride_i_))) + as_ulong16(value_5));
                    const float16 value_14 = (float16)((is_7.s0 ? state_1_[at_6 + at_7.s0] : 0.0f), (is_7.s1 ? state_1_[at_6 + at_7.s1] : 0.0f), (is_7.s2 ? state_1_[at_6 + at_7.s2] : 0.0f), (is_7.s3 ? state_1_[at_6 + at_7.s3] : 0.0f), (is_7.s4 ? state_1_[at_6 + at_7.s4] : 0.0f), (is_7.s5 ? state_1_[at_6 + at_7.s5] : 0.0f), (is_7.s6 ? state_1_[at_6 + at_7.s6] : 0.0f), (is_7.s7 ? state_1_[at_6 + at_7.s7] : 0.0f), (is_7.s8 ? state_1_[at_6 + at_7.s8] : 0.0f), (is_7.s9 ? state_1_[at_6 + at_7.s9] : 0.0f), (is_7.sa ? state_1_[at_6 + at_7.sa] : 0.0f), (is_7.sb ? state_1_[at_6 + at_7.sb] : 0.0f), (is_7.sc ? state_1_[at_6 + at_7.sc] : 0.0f), (is_7.sd ? state_1_[at_6 + at_7.sd] : 0.0f), (is_7.se ? state_1_[at_6 + at_7.se] : 0.0f), (is_7.sf ? state_1_[at_6 + at_7.sf] : 0.0f));
                    const int16 is_8 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_4) - as_ulong16((long16)(1L))));
                    const int16 is_9 = (is_8 & is_3) & is;
                    float16 value_15 = 0.0f;
                    if (fold_any_int16(is_9)) {
                        const long16 at_8 = convert_long16(is_9) ? as_long16(((as_ulong16((long16)(r_4_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_4_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_4_stride_n0_))) : (long16)(0L);
                        value_15 = is_9 ? (float16)(r_[at_8.s0], r_[at_8.s1], r_[at_8.s2], r_[at_8.s3], r_[at_8.s4], r_[at_8.s5], r_[at_8.s6], r_[at_8.s7], r_[at_8.s8], r_[at_8.s9], r_[at_8.sa], r_[at_8.sb], r_[at_8.sc], r_[at_8.sd], r_[at_8.se], r_[at_8.sf]) : value_15;
                    }
                    const float16 value_16 = is_8 ? value_15 : (float16)(INFINITY);
                    const int16 is_10 = is_8 & is;
                    float16 value_17 = 0.0f;
                    if (fold_any_int16(is_10)) {
                        const long16 at_9 = convert_long16(is_10) ? as_long16(((as_ulong16((long16)(r_5_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_5_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_5_stride_n0_))) : (long16)(0L);
                        value_17 = is_10 ? (float16)(r_[at_9.s0], r_[at_9.s1], r_[at_9.s2], r_[at_9.s3], r_[at_9.s4], r_[at_9.s5], r_[at_9.s6], r_[at_9.s7], r_[at_9.s8], r_[at_9.s9], r_[at_9.sa], r_[at_9.sb], r_[at_9.sc], r_[at_9.sd], r_[at_9.se], r_[at_9.sf]) : value_17;
                    }
                    const float16 value_18 = is_8 ? value_17 : (float16)(INFINITY);
                    const float16 value_19 = minimum_float16(minimum_float16(value_16, value_9), value_18);
                    const float16 value_20 = (value_19 == (float16)(INFINITY)) ? (float16)(0.0f) : value_19;
                    const float16 value_21 = exp_float16(value_20 - value_9);
                    const float16 value_22 = (exp_float16(value_20 - value_16) + value_21) + exp_float16(value_20 - value_18);
                    const int16 is_11 = is_3 & is;
                    const long at_10 = state_1_2_offset_ + (unit * state_1_2_stride_n0_);
                    const long16 at_11 = as_long16((as_ulong16(value_4) * as_ulong16((long16)(state_1_2_stride_i_))) + as_ulong16(value_5));
                    const float16 value_23 = (float16)((is_11.s0 ? state_1_[at_10 + at_11.s0] : 0.0f), (is_11.s1 ? state_1_[at_10 + at_11.s1] : 0.0f), (is_11.s2 ? state_1_[at_10 + at_11.s2] : 0.0f), (is_11.s3 ? state_1_[at_10 + at_11.s3] : 0.0f), (is_11.s4 ? state_1_[at_10 + at_11.s4] : 0.0f), (is_11.s5 ? state_1_[at_10 + at_11.s5] : 0.0f), (is_11.s6 ? state_1_[at_10 + at_11.s6] : 0.0f), (is_11.s7 ? state_1_[at_10 + at_11.s7] : 0.0f), (is_11.s8 ? state_1_[at_10 + at_11.s8] : 0.0f), (is_11.s9 ? state_1_[at_10 + at_11.s9] : 0.0f), (is_11.sa ? state_1_[at_10 + at_11.sa] : 0.0f), (is_11.sb ? state_1_[at_10 + at_11.sb] : 0.0f), (is_11.sc ? state_1_[at_10 + at_11.sc] : 0.0f), (is_11.sd ? state_1_[at_10 + at_11.sd] : 0.0f), (is_11.se ? state_1_[at_10 + at_11.se] : 0.0f), (is_11.sf ? state_1_[at_10 + at_11.sf] : 0.0f));
                    const int16 is_12 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_5) - as_ulong16((long16)(1L))));
                    const int16 is_13 = (is_2 & is_12) & is;
                    float16 value_24 = 0.0f;
                    if (fold_any_int16(is_13)) {
                        const long16 at_12 = convert_long16(is_13) ? as_long16(((as_ulong16((long16)(r_6_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_6_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_6_stride_n0_))) : (long16)(0L);
                        value_24 = is_13 ? (float16)(r_[at_12.s0], r_[at_12.s1], r_[at_12.s2], r_[at_12.s3], r_[at_12.s4], r_[at_12.s5], r_[at_12.s6], r_[at_12.s7], r_[at_12.s8], r_[at_12.s9], r_[at_12.sa], r_[at_12.sb], r_[at_12.sc], r_[at_12.sd], r_[at_12.se], r_[at_12.sf]) : value_24;
                    }
                    const float16 value_25 = is_12 ? value_24 : (float16)(INFINITY);
                    const int16 is_14 = is_12 & is;
                    float16 value_26 = 0.0f;
                    if (fold_any_int16(is_14)) {
                        const long16 at_13 = convert_long16(is_14) ? as_long16(((as_ulong16((long16)(r_7_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_7_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_7_stride_n0_))) : (long16)(0L);
                        value_26 = is_14 ? (float16)(r_[at_13.s0], r_[at_13.s1], r_[at_13.s2], r_[at_13.s3], r_[at_13.s4], r_[at_13.s5], r_[at_13.s6], r_[at_13.s7], r_[at_13.s8], r_[at_13.s9], r_[at_13.sa], r_[at_13.sb], r_[at_13.sc], r_[at_13.sd], r_[at_13.se], r_[at_13.sf]) : value_26;
                    }
                    const float16 value_27 = is_12 ? value_26 : (float16)(INFINITY);
                    const float16 value_28 = minimum_float16(minimum_float16(value_9, value_25), value_27);
                    const float16 value_29 = (value_28 == (float16)(INFINITY)) ? (float16)(0.0f) : value_28;
                    const float16 value_30 = exp_float16(value_29 - value_9);
                    const float16 value_31 = (value_30 + exp_float16(value_29 - value_25)) + exp_float16(value_29 - value_27);
                    const int16 is_15 = is_2 & is;
                    const long at_14 = state_1_3_offset_ + (unit * state_1_3_stride_n0_);
                    const long16 at_15 = as_long16((as_ulong16(value_4) * as_ulong16((long16)(state_1_3_stride_i_))) + as_ulong16(value_5));
                    const float16 value_32 = (float16)((is_15.s0 ? state_1_[at_14 + at_15.s0] : 0.0f), (is_15.s1 ? state_1_[at_14 + at_15.s1] : 0.0f), (is_15.s2 ? state_1_[at_14 + at_15.s2] : 0.0f), (is_15.s3 ? state_1_[at_14 + at_15.s3] : 0.0f), (is_15.s4 ? state_1_[at_14 + at_15.s4] : 0.0f), (is_15.s5 ? state_1_[at_14 + at_15.s5] : 0.0f), (is_15.s6 ? state_1_[at_14 + at_15.s6] : 0.0f), (is_15.s7 ? state_1_[at_14 + at_15.s7] : 0.0f), (is_15.s8 ? state_1_[at_14 + at_15.s8] : 0.0f), (is_15.s9 ? state_1_[at_14 + at_15.s9] : 0.0f), (is_15.sa ? state_1_[at_14 + at_15.sa] : 0.0f), (is_15.sb ? state_1_[at_14 + at_15.sb] : 0.0f), (is_15.sc ? state_1_[at_14 + at_15.sc] : 0.0f), (is_15.sd ? state_1_[at_14 + at_15.sd] : 0.0f), (is_15.se ? state_1_[at_14 + at_15.se] : 0.0f), (is_15.sf ? state_1_[at_14 + at_15.sf] : 0.0f));
                    const int16 inside = is;
                    store_floats_where(((value_6 + ((convert_int16((long16)(value) == value_4) & convert_int16((long16)(value_2) == value_5)) ? (float16)(value_3) : (float16)(0.0f))) + (((is_4 ? ((value_13 == (float16)(0.0f)) ? (float16)(0.0f) : ((value_14 / value_13) * value_12)) : (float16)(0.0f)) + (is_3 ? ((value_22 == (float16)(0.0f)) ? (float16)(0.0f) : ((value_23 / value_22) * value_21)) : (float16)(0.0f))) + (is_2 ? ((value_31 == (float16)(0.0f)) ? (float16)(0.0f) : ((value_32 / value_31) * value_30)) : (float16)(0.0f)))), inside, state_1_ + ((state_1_offset_ + (unit * state_1_stride_n0_)) + (state_1_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - turn), (state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                }
                if ((part == 0L) & (together > 0L)) {
                    const long at_16 = ((r_offset_ + (r_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - ((16L + (-1L)) - (-1L)))) + (unit * r_stride_n0_);
                    const float16 value_33 = (float16)(r_[at_16], r_[at_16 + 1 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 2 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 3 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 4 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 5 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 6 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 7 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 8 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 9 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 10 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 11 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 12 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 13 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 14 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_16 + 15 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))]);
                    own_window = value_33;
                    const long at_17 = ((r_offset_ + (r_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (16L - (-1L)))) + (unit * r_stride_n0_);
                    const float16 value_34 = (float16)(r_[at_17], r_[at_17 + 1 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 2 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 3 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 4 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 5 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 6 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 7 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 8 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 9 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 10 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 11 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 12 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 13 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 14 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_17 + 15 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))]);
                    own_window_2 = value_34;
                    const long16 t_2 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 inside_2 = convert_int16((t_2 + (long16)(1L)) < (long16)(size_i_));
                    float16 value_35 = 0.0f;
                    if (fold_any_int16(inside_2)) {
                        const long16 at_18 = convert_long16(inside_2) ? ((((long16)(r_2_offset_) + (t_2 * (long16)(r_2_stride_i_))) + ((long16)(size_j_ - 1L) - ((long16)(16L) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))) + (long16)(unit * r_2_stride_n0_)) : (long16)(0L);
                        value_35 = inside_2 ? (float16)(r_[at_18.s0], r_[at_18.s1], r_[at_18.s2], r_[at_18.s3], r_[at_18.s4], r_[at_18.s5], r_[at_18.s6], r_[at_18.s7], r_[at_18.s8], r_[at_18.s9], r_[at_18.sa], r_[at_18.sb], r_[at_18.sc], r_[at_18.sd], r_[at_18.se], r_[at_18.sf]) : value_35;
                    }
                    own_window_4 = value_35;
                    const long16 t_3 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 inside_3 = convert_int16((long16)(0L) <= (t_3 - (long16)(1L)));
                    float16 value_36 = 0.0f;
                    if (fold_any_int16(inside_3)) {
                        const long16 at_19 = convert_long16(inside_3) ? ((((long16)(r_4_offset_) + (t_3 * (long16)(r_4_stride_i_))) + ((long16)(size_j_ - 1L) - ((((long16)(16L) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) + (long16)(-1L)) - (long16)(-1L)))) + (long16)(unit * r_4_stride_n0_)) : (long16)(0L);
                        value_36 = inside_3 ? (float16)(r_[at_19.s0], r_[at_19.s1], r_[at_19.s2], r_[at_19.s3], r_[at_19.s4], r_[at_19.s5], r_[at_19.s6], r_[at_19.s7], r_[at_19.s8], r_[at_19.s9], r_[at_19.sa], r_[at_19.sb], r_[at_19.sc], r_[at_19.sd], r_[at_19.se], r_[at_19.sf]) : value_36;
                    }
                    own_window_6 = value_36;
                    const long16 t_4 = (long16)(size_i_ - 1L) - (((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) + (long16)(1L));
                    const int16 inside_4 = convert_int16((t_4 + (long16)(1L)) < (long16)(size_i_));
                    const long at_20 = ((state_1_1_offset_ + (state_1_1_stride_i_ * ((size_i_ - 1L) - (first + 1L)))) + ((size_j_ - 1L) - ((16L + (-1L)) - (-1L)))) + (unit * state_1_1_stride_n0_);
                    const float16 value_37 = (float16)((inside_4.s0 ? state_1_[at_20] : 0.0f), (inside_4.s1 ? state_1_[at_20 + 1 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s2 ? state_1_[at_20 + 2 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s3 ? state_1_[at_20 + 3 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s4 ? state_1_[at_20 + 4 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s5 ? state_1_[at_20 + 5 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s6 ? state_1_[at_20 + 6 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s7 ? state_1_[at_20 + 7 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s8 ? state_1_[at_20 + 8 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.s9 ? state_1_[at_20 + 9 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.sa ? state_1_[at_20 + 10 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.sb ? state_1_[at_20 + 11 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.sc ? state_1_[at_20 + 12 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.sd ? state_1_[at_20 + 13 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.se ? state_1_[at_20 + 14 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_4.sf ? state_1_[at_20 + 15 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f));
                    own_window_8 = value_37;
                    const long16 t_5 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 inside_5 = convert_int16((t_5 + (long16)(1L)) < (long16)(size_i_));
                    const long at_21 = ((state_1_1_offset_ + (state_1_1_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - ((16L + (-1L)) - (-1L)))) + (unit * state_1_1_stride_n0_);
                    const float16 value_38 = (float16)((inside_5.s0 ? state_1_[at_21] : 0.0f), (inside_5.s1 ? state_1_[at_21 + 1 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s2 ? state_1_[at_21 + 2 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s3 ? state_1_[at_21 + 3 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s4 ? state_1_[at_21 + 4 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s5 ? state_1_[at_21 + 5 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s6 ? state_1_[at_21 + 6 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s7 ? state_1_[at_21 + 7 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s8 ? state_1_[at_21 + 8 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.s9 ? state_1_[at_21 + 9 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.sa ? state_1_[at_21 + 10 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.sb ? state_1_[at_21 + 11 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.sc ? state_1_[at_21 + 12 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.sd ? state_1_[at_21 + 13 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.se ? state_1_[at_21 + 14 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f), (inside_5.sf ? state_1_[at_21 + 15 * ((state_1_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] : 0.0f));
                    own_window_9 = value_38;
                    for (long turn_2 = 0; turn_2 < together; ++turn_2) {
                        const long at_22 = ((r_offset_ + (r_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (((16L + turn_2) + 1L) - (-1L)))) + (unit * r_stride_n0_);
                        const float16 value_39 = (float16)(r_[at_22], r_[at_22 + 1 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 2 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 3 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 4 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 5 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 6 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 7 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 8 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 9 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 10 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 11 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 12 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 13 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 14 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], r_[at_22 + 15 * ((r_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))]);
                        own_window_3 = value_39;
                        const long step_2 = first;
                        const long step_3 = (16L + turn_2) + 1L;
                        const long t_6 = (size_i_ - 1L) - step_2;
                        const float edge = ((t_6 + 1L) < size_i_) ? r_[((r_2_offset_ + (t_6 * r_2_stride_i_)) + ((size_j_ - 1L) - step_3)) + (unit * r_2_stride_n0_)] : 0.0f;
                        const long step_4 = first + 15L;
                        const long step_5 = (16L + turn_2) - 15L;
                        const long t_7 = (size_i_ - 1L) - step_4;
                        const float edge_2 = (0L <= (t_7 - 1L)) ? r_[((r_4_offset_ + (t_7 * r_4_stride_i_)) + ((size_j_ - 1L) - (step_5 - (-1L)))) + (unit * r_4_stride_n0_)] : 0.0f;
                        const long step_6 = first;
                        const long step_7 = 16L + turn_2;
                        const long t_8 = (size_i_ - 1L) - step_6;
                        const float edge_3 = ((t_8 + 1L) < size_i_) ? state_1_[((state_1_1_offset_ + (t_8 * state_1_1_stride_i_)) + ((size_j_ - 1L) - (step_7 - (-1L)))) + (unit * state_1_1_stride_n0_)] : 0.0f;
                        const long16 t_9 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_5 = convert_int16((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (long16)(0L)) ? (float16)(edge) : own_window_2.sf0123456789abcde;
                        const long16 t_10 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(1L);
                        own_window_7 = convert_int16((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (long16)(15L)) ? (float16)(edge_2) : own_window_3.s123456789abcdef0;
                        const long16 t_11 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_10 = convert_int16((long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (long16)(0L)) ? (float16)(edge_3) : own_window_8.sf0123456789abcde;
                        const int16 is_16 = convert_int16((((long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))) + (long16)(1L)) < (long16)(size_i_));
                        const int16 is_17 = convert_int16((long16)(0L) <= (((long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))) - (long16)(1L)));
                        const long at_23 = ((dr_offset_ + (dr_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (16L + turn_2))) + (unit * dr_stride_n0_);
                        const float16 value_40 = (float16)(dr_[at_23], dr_[at_23 + 1 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 2 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 3 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 4 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 5 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 6 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 7 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 8 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 9 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 10 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 11 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 12 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 13 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 14 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))], dr_[at_23 + 15 * ((dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))]);
                        const float16 value_41 = minimum_float16(minimum_float16(own_window, is_16 ? own_window_4 : (float16)(0.0f)), own_window_2);
                        const float16 value_42 = (value_41 == (float16)(INFINITY)) ? (float16)(0.0f) : value_41;
                        const float16 value_43 = exp_float16(value_42 - own_window_2);
                        const float16 value_44 = (exp_float16(value_42 - own_window) + exp_float16(value_42 - (is_16 ? own_window_4 : (float16)(0.0f)))) + value_43;
                        const float16 value_45 = is_17 ? (is_17 ? own_window_6 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_46 = is_17 ? (is_17 ? own_window_7 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_47 = minimum_float16(minimum_float16(value_45, own_window_2), value_46);
                        const float16 value_48 = (value_47 == (float16)(INFINITY)) ? (float16)(0.0f) : value_47;
                        const float16 value_49 = exp_float16(value_48 - own_window_2);
                        const float16 value_50 = (exp_float16(value_48 - value_45) + value_49) + exp_float16(value_48 - value_46);
                        const float16 value_51 = is_16 ? own_window_5 : (float16)(0.0f);
                        const float16 value_52 = own_window_3;
                        const float16 value_53 = minimum_float16(minimum_float16(own_window_2, value_51), value_52);
                        const float16 value_54 = (value_53 == (float16)(INFINITY)) ? (float16)(0.0f) : value_53;
                        const float16 value_55 = exp_float16(value_54 - own_window_2);
                        const float16 value_56 = (value_55 + exp_float16(value_54 - value_51)) + exp_float16(value_54 - value_52);
                        const float16 value_57 = (value_40 + (float16)(0.0f)) + (((is_16 ? ((value_44 == (float16)(0.0f)) ? (float16)(0.0f) : (((is_16 ? own_window_9 : (float16)(0.0f)) / value_44) * value_43)) : (float16)(0.0f)) + ((value_50 == (float16)(0.0f)) ? (float16)(0.0f) : ((own_window_8 / value_50) * value_49))) + (is_16 ? ((value_56 == (float16)(0.0f)) ? (float16)(0.0f) : (((is_16 ? own_window_10 : (float16)(0.0f)) / value_56) * value_55)) : (float16)(0.0f)));
                        const long at_24 = ((state_1_offset_ + (unit * state_1_stride_n0_)) + (state_1_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (16L + turn_2));
                        const float16 result = value_57;
                        state_1_[at_24] = result.s0;
                        state_1_[at_24 + 1 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s1;
                        state_1_[at_24 + 2 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s2;
                        state_1_[at_24 + 3 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s3;
                        state_1_[at_24 + 4 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s4;
                        state_1_[at_24 + 5 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s5;
                        state_1_[at_24 + 6 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s6;
                        state_1_[at_24 + 7 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s7;
                        state_1_[at_24 + 8 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s8;
                        state_1_[at_24 + 9 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.s9;
                        state_1_[at_24 + 10 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.sa;
                        state_1_[at_24 + 11 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.sb;
                        state_1_[at_24 + 12 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.sc;
                        state_1_[at_24 + 13 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.sd;
                        state_1_[at_24 + 14 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.se;
                        state_1_[at_24 + 15 * ((state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)))] = result.sf;
                        own_window = own_window_2;
                        own_window_2 = own_window_3;
                        own_window_4 = own_window_5;
                        own_window_6 = own_window_7;
                        own_window_8 = value_57;
                        own_window_9 = own_window_10;
                    }
                }
            }
        }
    }
}

__kernel void soft_dtw_grad_1__kernel(
    __global const float *dr_,
    __global const float *dy_,
    __global const float *r_,
    __global float *state_1_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long dr_offset_,
    const long dr_stride_i_,
    const long dr_stride_n0_,
    const long dy_offset_,
    const float gamma_,
    const long r_offset_,
    const long r_stride_i_,
    const long r_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long r_4_offset_,
    const long r_4_stride_i_,
    const long r_4_stride_n0_,
    const long r_5_offset_,
    const long r_5_stride_i_,
    const long r_5_stride_n0_,
    const long state_1_2_offset_,
    const long state_1_2_stride_i_,
    const long state_1_2_stride_n0_,
    const long r_6_offset_,
    const long r_6_stride_i_,
    const long r_6_stride_n0_,
    const long r_7_offset_,
    const long r_7_stride_i_,
    const long r_7_stride_n0_,
    const long state_1_3_offset_,
    const long state_1_3_stride_i_,
    const long state_1_3_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_) {
    soft_dtw_grad_1__item(dr_, dy_, r_, state_1_, size_n0_, units, chunk, size_i_, size_j_, dr_offset_, dr_stride_i_, dr_stride_n0_, dy_offset_, gamma_, r_offset_, r_stride_i_, r_stride_n0_, r_2_offset_, r_2_stride_i_, r_2_stride_n0_, r_3_offset_, r_3_stride_i_, r_3_stride_n0_, state_1_1_offset_, state_1_1_stride_i_, state_1_1_stride_n0_, r_4_offset_, r_4_stride_i_, r_4_stride_n0_, r_5_offset_, r_5_stride_i_, r_5_stride_n0_, state_1_2_offset_, state_1_2_stride_i_, state_1_2_stride_n0_, r_6_offset_, r_6_stride_i_, r_6_stride_n0_, r_7_offset_, r_7_stride_i_, r_7_stride_n0_, state_1_3_offset_, state_1_3_stride_i_, state_1_3_stride_n0_, state_1_offset_, state_1_stride_n0_, state_1_stride_i_, get_global_id(0));
}


// soft_dtw_grad (kernels_dsl/recurrence.netcl)
//     grad_d[n0, i, j] = state.1[n0, i, j] / gamma
__attribute__((noinline)) void soft_dtw_grad_2__item(
    __global const float *state_1_,
    __global float *grad_d_,
    const long units,
    const long chunk,
    const long state_1_offset_,
    const float gamma_,
    const long grad_d_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 state_1_value_ = load_floats(state_1_ + state_1_offset_ + start);
        store_floats(state_1_value_ / (float16)(gamma_), grad_d_ + grad_d_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long n0_i_j_ = (begin + (vectors * 16L)) + left;
        grad_d_[grad_d_offset_ + n0_i_j_] = state_1_[state_1_offset_ + n0_i_j_] / gamma_;
    }
}

__kernel void soft_dtw_grad_2__kernel(
    __global const float *state_1_,
    __global float *grad_d_,
    const long units,
    const long chunk,
    const long state_1_offset_,
    const float gamma_,
    const long grad_d_offset_) {
    soft_dtw_grad_2__item(state_1_, grad_d_, units, chunk, state_1_offset_, gamma_, grad_d_offset_, get_global_id(0));
}
