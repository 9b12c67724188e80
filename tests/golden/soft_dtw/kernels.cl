// soft_dtw (kernels_dsl/recurrence.netcl)
//     r[n0, i, j] = a function of d, r
__attribute__((noinline)) void soft_dtw_1__item(
    __global float *r_,
    __global const float *d_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long r_1_offset_,
    const long r_1_stride_i_,
    const long r_1_stride_n0_,
    const long d_offset_,
    const long d_stride_i_,
    const long d_stride_n0_,
    const float gamma_,
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
            own_window = (float16)(0.0f);
            own_window_2 = (float16)(0.0f);
            for (long part = 0; part < 2L; ++part) {
                const long begin_2 = (part == 0L) ? 0L : ((together > 0L) ? (together + 16L) : every);
                const long end = ((part == 0L) & (together > 0L)) ? 16L : every;
                for (long at = 0; at < max(end - begin_2, 0L); ++at) {
                    const long turn = begin_2 + at;
                    const float edge = (((first < size_i_) && ((first + (-1L)) >= 0L)) & (turn < size_j_)) ? r_[((r_1_offset_ + (first * r_1_stride_i_)) + turn) + (unit * r_1_stride_n0_)] : 0.0f;
                    const long16 t = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                    own_window_3 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge) : own_window.sf0123456789abcde;
                    const long16 t_2 = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_i_ - first, -1L, 16L))) & convert_int16(as_ulong16(t_2) < as_ulong16((long16)(size_j_)));
                    const long16 value = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is_2 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value) - as_ulong16((long16)(1L))));
                    const long16 value_2 = (long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is_3 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_2) - as_ulong16((long16)(1L))));
                    const int16 is_4 = is_3 & is_2;
                    float16 value_3 = 0.0f;
                    if (fold_any_int16(is)) {
                        const long16 at_2 = convert_long16(is) ? as_long16(((as_ulong16((long16)(d_offset_)) + (as_ulong16(value_2) * as_ulong16((long16)(d_stride_i_)))) + as_ulong16(value)) + as_ulong16((long16)(unit * d_stride_n0_))) : (long16)(0L);
                        value_3 = is ? load_floats_at(d_, at_2) : value_3;
                    }
                    const float16 value_4 = is_3 ? (is_3 ? own_window_3 : (float16)(0.0f)) : (float16)(INFINITY);
                    const float16 value_5 = is_2 ? (is_2 ? own_window : (float16)(0.0f)) : (float16)(INFINITY);
                    const float16 value_6 = is_4 ? (is_4 ? own_window_2 : (float16)(0.0f)) : ((convert_int16(value_2 == (long16)(0L)) & convert_int16(value == (long16)(0L))) ? (float16)(0.0f) : (float16)(INFINITY));
                    const float16 value_7 = minimum_float16(minimum_float16(value_4, value_5), value_6);
                    const float16 value_8 = (value_7 == (float16)(INFINITY)) ? (float16)(0.0f) : value_7;
                    const float16 value_9 = (exp_float16(value_8 - value_4) + exp_float16(value_8 - value_5)) + exp_float16(value_8 - value_6);
                    const float16 value_10 = (value_3 / (float16)(gamma_)) + ((value_9 == (float16)(0.0f)) ? (float16)(INFINITY) : (value_8 - log_float16(value_9)));
                    const int16 inside = is;
                    store_floats_where(value_10, inside, r_ + ((r_offset_ + (unit * r_stride_n0_)) + (r_stride_i_ * first)) + turn, r_stride_i_ + (0L - 1L));
                    own_window = value_10;
                    own_window_2 = own_window_3;
                }
                if ((part == 0L) & (together > 0L)) {
                    for (long turn_2 = 0; turn_2 < together; ++turn_2) {
                        const long step_2 = first;
                        const long step_3 = 16L + turn_2;
                        const float edge_2 = (0L <= (step_2 - 1L)) ? r_[((r_1_offset_ + (step_2 * r_1_stride_i_)) + step_3) + (unit * r_1_stride_n0_)] : 0.0f;
                        const long16 t_3 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_3 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_2) : own_window.sf0123456789abcde;
                        const int16 is_5 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) >= (int16)((int)clamp(1L - first, -1L, 16L));
                        const float16 value_11 = load_floats_apart(d_ + ((d_offset_ + (d_stride_i_ * first)) + (16L + turn_2)) + (unit * d_stride_n0_), d_stride_i_ + (0L - 1L));
                        const float16 value_12 = is_5 ? (is_5 ? own_window_3 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_13 = own_window;
                        const float16 value_14 = is_5 ? (is_5 ? own_window_2 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_15 = minimum_float16(minimum_float16(value_12, value_13), value_14);
                        const float16 value_16 = (value_15 == (float16)(INFINITY)) ? (float16)(0.0f) : value_15;
                        const float16 value_17 = (exp_float16(value_16 - value_12) + exp_float16(value_16 - value_13)) + exp_float16(value_16 - value_14);
                        const float16 value_18 = (value_11 / (float16)(gamma_)) + ((value_17 == (float16)(0.0f)) ? (float16)(INFINITY) : (value_16 - log_float16(value_17)));
                        store_floats_apart(value_18, r_ + ((r_offset_ + (unit * r_stride_n0_)) + (r_stride_i_ * first)) + (16L + turn_2), r_stride_i_ + (0L - 1L));
                        own_window = value_18;
                        own_window_2 = own_window_3;
                    }
                }
            }
        }
    }
}

__kernel void soft_dtw_1__kernel(
    __global float *r_,
    __global const float *d_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long r_1_offset_,
    const long r_1_stride_i_,
    const long r_1_stride_n0_,
    const long d_offset_,
    const long d_stride_i_,
    const long d_stride_n0_,
    const float gamma_,
    const long r_offset_,
    const long r_stride_n0_,
    const long r_stride_i_) {
    soft_dtw_1__item(r_, d_, units, chunk, size_i_, size_j_, r_1_offset_, r_1_stride_i_, r_1_stride_n0_, d_offset_, d_stride_i_, d_stride_n0_, gamma_, r_offset_, r_stride_n0_, r_stride_i_, get_global_id(0));
}


// soft_dtw (kernels_dsl/recurrence.netcl)
//     y[n0] = r[n0, size[i] - 1, size[j] - 1] == inf ? -log(sum[i, j](r[n0, size[i] - 1, size[j] - 1] == inf ? exp(-d[n0, i, j] - r[n0, size[i] - 1, size[j] - 1]) : 0)) : gamma * r[n0, size[i] - 1, size[j] - 1]
__attribute__((noinline)) void soft_dtw_2__item(
    __global const float *r_,
    __global const float *d_,
    __global float *y_,
    const long units,
    const long chunk,
    const long r_offset_,
    const long r_stride_n0_,
    const long size_i_,
    const long d_offset_,
    const long d_stride_n0_,
    const float gamma_,
    const long y_offset_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const float r_value_ = r_[r_offset_ + (unit * r_stride_n0_)];
        const int is = r_value_ == INFINITY;
        own_total = 0.0f;
        own_rest = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_rest_2 = (float16)(0.0f);
        const long count_2 = size_i_;
        for (long run = 0; run < ((count_2 + 4095L) >> 12); ++run) {
            const long begin_2 = run * 4096L;
            const long here = max(min(count_2 - (run * 4096L), 4096L), 0L);
            own_run_sum_2 = (float16)(0.0f);
            own_run_sum = 0.0f;
            const long vectors = here >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = begin_2 + (vector * 16L);
                const float16 d_value_ = load_floats(d_ + (d_offset_ + start) + (unit * d_stride_n0_));
                own_run_sum_2 = own_run_sum_2 + (is ? exp_float16((-d_value_) - (float16)(r_value_)) : (float16)(0.0f));
            }
            for (long left = 0; left < (here & 15L); ++left) {
                const long i_ = (begin_2 + (vectors * 16L)) + left;
                own_run_sum = own_run_sum + (is ? exp_float((-d_[(d_offset_ + i_) + (unit * d_stride_n0_)]) - r_value_) : 0.0f);
            }
            const float16 before = own_total_2;
            const float16 part = own_run_sum_2;
            const float16 after = before + part;
            const float16 arrived = after - before;
            own_rest_2 = own_rest_2 + ((before - (after - arrived)) + (part - arrived));
            own_total_2 = after;
            const float before_2 = own_total;
            const float part_2 = own_run_sum;
            const float after_2 = before_2 + part_2;
            const float arrived_2 = after_2 - before_2;
            own_rest = own_rest + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
            own_total = after_2;
        }
        const float folded = fold_sum_float16(own_total_2);
        const float folded_2 = fold_sum_float16(own_rest_2);
        const float before_3 = own_total;
        const float part_3 = folded;
        const float after_3 = before_3 + part_3;
        const float arrived_3 = after_3 - before_3;
        own_rest = own_rest + ((before_3 - (after_3 - arrived_3)) + (part_3 - arrived_3));
        own_total = after_3;
        own_rest = own_rest + folded_2;
        const float total = own_total + ((isfinite(own_rest)) ? own_rest : 0.0f);
        y_[y_offset_ + unit] = is ? (-log_float(total)) : (gamma_ * r_value_);
    }
}

__kernel void soft_dtw_2__kernel(
    __global const float *r_,
    __global const float *d_,
    __global float *y_,
    const long units,
    const long chunk,
    const long r_offset_,
    const long r_stride_n0_,
    const long size_i_,
    const long d_offset_,
    const long d_stride_n0_,
    const float gamma_,
    const long y_offset_) {
    soft_dtw_2__item(r_, d_, y_, units, chunk, r_offset_, r_stride_n0_, size_i_, d_offset_, d_stride_n0_, gamma_, y_offset_, get_global_id(0));
}


// soft_dtw_grad (kernels_dsl/recurrence.netcl)
//     state.2[n0, i, j] = a function of r
//     state.3[n0, i, j] = a function of r
//     state.4[n0, i, j] = a function of r
//     state.1[n0, i, j] = a function of dr, dy, r, state.1, state.2, state.3, state.4
__attribute__((noinline)) void soft_dtw_grad_1__item(
    __global float *state_2_,
    __global float *state_4_,
    __global float *state_1_,
    __global const float *r_,
    __global const float *dr_,
    __global const float *dy_,
    __global float *state_3_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long state_2_1_offset_,
    const long state_2_1_stride_i_,
    const long state_2_1_stride_n0_,
    const long state_4_1_offset_,
    const long state_4_1_stride_i_,
    const long state_4_1_stride_n0_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long r_offset_,
    const long r_stride_i_,
    const long r_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long dr_offset_,
    const long dr_stride_i_,
    const long dr_stride_n0_,
    const long r_4_offset_,
    const long r_4_stride_n0_,
    const long dy_offset_,
    const float gamma_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_,
    const long state_2_offset_,
    const long state_2_stride_n0_,
    const long state_2_stride_i_,
    const long state_3_offset_,
    const long state_3_stride_n0_,
    const long state_3_stride_i_,
    const long state_4_offset_,
    const long state_4_stride_n0_,
    const long state_4_stride_i_,
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
    float16 own_window_11;
    float16 own_window_12;
    float16 own_window_13;
    const long value = size_i_ - 1L;
    const long value_2 = size_j_ - 1L;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const float value_3 = (r_[r_4_offset_ + (unit * r_4_stride_n0_)] == INFINITY) ? 0.0f : (dy_[dy_offset_ + unit] * gamma_);
        for (long strip = 0; strip < ((size_i_ + 15L) >> 4); ++strip) {
            const long first = strip * 16L;
            const long rows = min(16L, size_i_ - first);
            const long every = size_j_ + 15L;
            const long together = (rows == 16L) ? max(size_j_ - 19L, 0L) : 0L;
            own_window_5 = (float16)(0.0f);
            own_window_6 = (float16)(0.0f);
            own_window_11 = (float16)(0.0f);
            own_window_12 = (float16)(0.0f);
            own_window_8 = (float16)(0.0f);
            own_window_9 = (float16)(0.0f);
            for (long part = 0; part < 2L; ++part) {
                const long begin_2 = (part == 0L) ? 0L : ((together > 0L) ? (together + 17L) : every);
                const long end = ((part == 0L) & (together > 0L)) ? 17L : every;
                for (long at = 0; at < max(end - begin_2, 0L); ++at) {
                    const long turn = begin_2 + at;
                    const long t = turn + (-1L);
                    const float edge = (((first < size_i_) && ((first + (-1L)) >= 0L)) & (as_ulong(t) < as_ulong(size_j_))) ? state_2_[((state_2_1_offset_ + (((size_i_ - 1L) - first) * state_2_1_stride_i_)) + ((size_j_ - 1L) - (t - (-1L)))) + (unit * state_2_1_stride_n0_)] : 0.0f;
                    const float edge_2 = (((first < size_i_) && ((first + (-1L)) >= 0L)) & (turn < size_j_)) ? state_4_[((state_4_1_offset_ + (((size_i_ - 1L) - first) * state_4_1_stride_i_)) + ((size_j_ - 1L) - turn)) + (unit * state_4_1_stride_n0_)] : 0.0f;
                    const float edge_3 = (((first < size_i_) && ((first + (-1L)) >= 0L)) & (turn < size_j_)) ? state_1_[((state_1_1_offset_ + (((size_i_ - 1L) - first) * state_1_1_stride_i_)) + ((size_j_ - 1L) - (turn - (-1L)))) + (unit * state_1_1_stride_n0_)] : 0.0f;
                    const long16 t_2 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                    own_window_7 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge) : own_window_5.sf0123456789abcde;
                    const long16 t_3 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                    own_window_13 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_2) : own_window_12.sf0123456789abcde;
                    const long16 t_4 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                    own_window_10 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_3) : own_window_8.sf0123456789abcde;
                    const long16 t_5 = (long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                    const int16 is = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_i_ - first, -1L, 16L))) & convert_int16(as_ulong16(t_5) < as_ulong16((long16)(size_j_)));
                    const long16 value_4 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 is_2 = convert_int16(as_long16(as_ulong16(value_4) + as_ulong16((long16)(1L))) < (long16)(size_i_));
                    const long16 value_5 = (long16)(size_j_ - 1L) - ((long16)(turn) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 is_3 = convert_int16(as_long16(as_ulong16(value_5) + as_ulong16((long16)(1L))) < (long16)(size_j_));
                    const int16 is_4 = is_2 & is_3;
                    const int16 is_5 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_4) - as_ulong16((long16)(1L))));
                    const int16 is_6 = convert_int16((long16)(0L) <= as_long16(as_ulong16(value_5) - as_ulong16((long16)(1L))));
                    const int16 is_7 = is_5 & is_6;
                    const int16 is_8 = is_5 & is;
                    float16 value_6 = 0.0f;
                    if (fold_any_int16(is_8)) {
                        const long16 at_2 = convert_long16(is_8) ? as_long16(((as_ulong16((long16)(r_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_stride_n0_))) : (long16)(0L);
                        value_6 = is_8 ? load_floats_at(r_, at_2) : value_6;
                    }
                    const float16 value_7 = is_5 ? value_6 : (float16)(INFINITY);
                    const int16 is_9 = is_6 & is;
                    float16 value_8 = 0.0f;
                    if (fold_any_int16(is_9)) {
                        const long16 at_3 = convert_long16(is_9) ? as_long16(((as_ulong16((long16)(r_2_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_2_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_2_stride_n0_))) : (long16)(0L);
                        value_8 = is_9 ? load_floats_at(r_, at_3) : value_8;
                    }
                    const float16 value_9 = is_6 ? value_8 : (float16)(INFINITY);
                    const int16 is_10 = is_7 & is;
                    float16 value_10 = 0.0f;
                    if (fold_any_int16(is_10)) {
                        const long16 at_4 = convert_long16(is_10) ? as_long16(((as_ulong16((long16)(r_3_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(r_3_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * r_3_stride_n0_))) : (long16)(0L);
                        value_10 = is_10 ? load_floats_at(r_, at_4) : value_10;
                    }
                    const float16 value_11 = is_7 ? value_10 : ((convert_int16(value_4 == (long16)(0L)) & convert_int16(value_5 == (long16)(0L))) ? (float16)(0.0f) : (float16)(INFINITY));
                    const float16 value_12 = minimum_float16(minimum_float16(value_7, value_9), value_11);
                    const float16 value_13 = (value_12 == (float16)(INFINITY)) ? (float16)(0.0f) : value_12;
                    const float16 value_14 = exp_float16(value_13 - value_7);
                    const float16 value_15 = exp_float16(value_13 - value_9);
                    const float16 value_16 = exp_float16(value_13 - value_11);
                    const float16 value_17 = (value_14 + value_15) + value_16;
                    const int16 is_11 = value_17 == (float16)(0.0f);
                    const float16 value_18 = is_7 ? (is_11 ? (float16)(0.0f) : (value_16 / value_17)) : (float16)(0.0f);
                    const float16 value_19 = is_6 ? (is_11 ? (float16)(0.0f) : (value_15 / value_17)) : (float16)(0.0f);
                    const float16 value_20 = is_5 ? (is_11 ? (float16)(0.0f) : (value_14 / value_17)) : (float16)(0.0f);
                    float16 value_21 = 0.0f;
                    if (fold_any_int16(is)) {
                        const long16 at_5 = convert_long16(is) ? as_long16(((as_ulong16((long16)(dr_offset_)) + (as_ulong16(value_4) * as_ulong16((long16)(dr_stride_i_)))) + as_ulong16(value_5)) + as_ulong16((long16)(unit * dr_stride_n0_))) : (long16)(0L);
                        value_21 = is ? load_floats_at(dr_, at_5) : value_21;
                    }
                    const float16 t_6 = is_4 ? own_window_7 : (float16)(0.0f);
                    const float16 t_7 = is_3 ? own_window_11 : (float16)(0.0f);
                    const float16 t_8 = is_2 ? own_window_13 : (float16)(0.0f);
                    const float16 value_22 = (value_21 + ((convert_int16((long16)(value) == value_4) & convert_int16((long16)(value_2) == value_5)) ? (float16)(value_3) : (float16)(0.0f))) + (((is_4 ? ((t_6 != (float16)(0.0f)) ? ((is_4 ? own_window_9 : (float16)(0.0f)) * t_6) : (float16)(0.0f)) : (float16)(0.0f)) + (is_3 ? ((t_7 != (float16)(0.0f)) ? ((is_3 ? own_window_8 : (float16)(0.0f)) * t_7) : (float16)(0.0f)) : (float16)(0.0f))) + (is_2 ? ((t_8 != (float16)(0.0f)) ? ((is_2 ? own_window_10 : (float16)(0.0f)) * t_8) : (float16)(0.0f)) : (float16)(0.0f)));
                    const int16 inside = is;
                    store_floats_where(value_22, inside, state_1_ + ((state_1_offset_ + (unit * state_1_stride_n0_)) + (state_1_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - turn), (state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                    own_window_5 = own_window_6;
                    own_window_6 = value_18;
                    own_window_11 = value_19;
                    own_window_12 = value_20;
                    own_window_8 = value_22;
                    own_window_9 = own_window_10;
                    const long t_9 = turn - 15L;
                    if (((first + 15L) < size_i_) & (as_ulong(t_9) < as_ulong(size_j_))) {
                        state_2_[((state_2_offset_ + (unit * state_2_stride_n0_)) + (((size_i_ - 1L) - (first + 15L)) * state_2_stride_i_)) + ((size_j_ - 1L) - (turn - 15L))] = own_window_6.sf;
                    }
                    const long t_10 = turn - 15L;
                    if (((first + 15L) < size_i_) & (as_ulong(t_10) < as_ulong(size_j_))) {
                        state_3_[((state_3_offset_ + (unit * state_3_stride_n0_)) + (((size_i_ - 1L) - (first + 15L)) * state_3_stride_i_)) + ((size_j_ - 1L) - (turn - 15L))] = own_window_11.sf;
                    }
                    const long t_11 = turn - 15L;
                    if (((first + 15L) < size_i_) & (as_ulong(t_11) < as_ulong(size_j_))) {
                        state_4_[((state_4_offset_ + (unit * state_4_stride_n0_)) + (((size_i_ - 1L) - (first + 15L)) * state_4_stride_i_)) + ((size_j_ - 1L) - (turn - 15L))] = own_window_12.sf;
                    }
                }
                if ((part == 0L) & (together > 0L)) {
                    const float16 value_23 = load_floats_apart(r_ + ((r_2_offset_ + (r_2_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - ((17L + 1L) - 1L))) + (unit * r_2_stride_n0_), (r_2_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                    own_window = value_23;
                    const long16 t_12 = (long16)(size_i_ - 1L) - ((long16)(first) + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
                    const int16 inside_2 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) <= (int16)((int)clamp((size_i_ - first) - 2L, -1L, 16L));
                    float16 value_24 = 0.0f;
                    if (fold_any_int16(inside_2)) {
                        const long16 at_6 = convert_long16(inside_2) ? ((((long16)(r_offset_) + (t_12 * (long16)(r_stride_i_))) + ((long16)(size_j_ - 1L) - ((long16)(17L) - (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))) + (long16)(unit * r_stride_n0_)) : (long16)(0L);
                        value_24 = inside_2 ? load_floats_at(r_, at_6) : value_24;
                    }
                    own_window_3 = value_24;
                    for (long turn_2 = 0; turn_2 < together; ++turn_2) {
                        const float16 value_25 = load_floats_apart(r_ + ((r_2_offset_ + (r_2_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (((17L + turn_2) + 2L) - 1L))) + (unit * r_2_stride_n0_), (r_2_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                        own_window_2 = value_25;
                        const long step_2 = first + 15L;
                        const long step_3 = ((17L + turn_2) - 15L) + 1L;
                        const long t_13 = (size_i_ - 1L) - step_2;
                        const float edge_4 = (0L <= (t_13 - 1L)) ? r_[((r_offset_ + (t_13 * r_stride_i_)) + ((size_j_ - 1L) - step_3)) + (unit * r_stride_n0_)] : 0.0f;
                        const long step_4 = first;
                        const long step_5 = (17L + turn_2) + (-1L);
                        const long t_14 = (size_i_ - 1L) - step_4;
                        const float edge_5 = ((t_14 + 1L) < size_i_) ? state_2_[((state_2_1_offset_ + (t_14 * state_2_1_stride_i_)) + ((size_j_ - 1L) - (step_5 - (-1L)))) + (unit * state_2_1_stride_n0_)] : 0.0f;
                        const long step_6 = first;
                        const long step_7 = 17L + turn_2;
                        const long t_15 = (size_i_ - 1L) - step_6;
                        const float edge_6 = ((t_15 + 1L) < size_i_) ? state_1_[((state_1_1_offset_ + (t_15 * state_1_1_stride_i_)) + ((size_j_ - 1L) - (step_7 - (-1L)))) + (unit * state_1_1_stride_n0_)] : 0.0f;
                        const long step_8 = first;
                        const long step_9 = 17L + turn_2;
                        const long t_16 = (size_i_ - 1L) - step_8;
                        const float edge_7 = ((t_16 + 1L) < size_i_) ? state_4_[((state_4_1_offset_ + (t_16 * state_4_1_stride_i_)) + ((size_j_ - 1L) - step_9)) + (unit * state_4_1_stride_n0_)] : 0.0f;
                        const long16 t_17 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(1L);
                        own_window_4 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(15)) ? (float16)(edge_4) : own_window_2.s123456789abcdef0;
                        const long16 t_18 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_7 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_5) : own_window_5.sf0123456789abcde;
                        const long16 t_19 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_10 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_6) : own_window_8.sf0123456789abcde;
                        const long16 t_20 = (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + (long16)(15L);
                        own_window_13 = ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) == (int16)(0)) ? (float16)(edge_7) : own_window_12.sf0123456789abcde;
                        const int16 is_12 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) <= (int16)((int)clamp((size_i_ - first) - 2L, -1L, 16L));
                        const int16 is_13 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) > (int16)((int)clamp(-first, -1L, 16L));
                        const float16 value_26 = is_12 ? (is_12 ? own_window_3 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_27 = own_window;
                        const float16 value_28 = is_12 ? (is_12 ? own_window_4 : (float16)(0.0f)) : (float16)(INFINITY);
                        const float16 value_29 = minimum_float16(minimum_float16(value_26, value_27), value_28);
                        const float16 value_30 = (value_29 == (float16)(INFINITY)) ? (float16)(0.0f) : value_29;
                        const float16 value_31 = exp_float16(value_30 - value_26);
                        const float16 value_32 = exp_float16(value_30 - value_27);
                        const float16 value_33 = exp_float16(value_30 - value_28);
                        const float16 value_34 = (value_31 + value_32) + value_33;
                        const int16 is_14 = value_34 == (float16)(0.0f);
                        const float16 value_35 = is_12 ? (is_14 ? (float16)(0.0f) : (value_33 / value_34)) : (float16)(0.0f);
                        const float16 value_36 = is_14 ? (float16)(0.0f) : (value_32 / value_34);
                        const float16 value_37 = is_12 ? (is_14 ? (float16)(0.0f) : (value_31 / value_34)) : (float16)(0.0f);
                        const float16 value_38 = load_floats_apart(dr_ + ((dr_offset_ + (dr_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (17L + turn_2))) + (unit * dr_stride_n0_), (dr_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                        const float16 t_21 = is_13 ? own_window_7 : (float16)(0.0f);
                        const float16 t_22 = is_13 ? own_window_13 : (float16)(0.0f);
                        const float16 value_39 = (value_38 + (float16)(0.0f)) + (((is_13 ? ((t_21 != (float16)(0.0f)) ? ((is_13 ? own_window_9 : (float16)(0.0f)) * t_21) : (float16)(0.0f)) : (float16)(0.0f)) + ((own_window_11 != (float16)(0.0f)) ? (own_window_8 * own_window_11) : (float16)(0.0f))) + (is_13 ? ((t_22 != (float16)(0.0f)) ? ((is_13 ? own_window_10 : (float16)(0.0f)) * t_22) : (float16)(0.0f)) : (float16)(0.0f)));
                        store_floats_apart(value_39, state_1_ + ((state_1_offset_ + (unit * state_1_stride_n0_)) + (state_1_stride_i_ * ((size_i_ - 1L) - first))) + ((size_j_ - 1L) - (17L + turn_2)), (state_1_stride_i_ * (0L - 1L)) + (0L - (0L - 1L)));
                        own_window = own_window_2;
                        own_window_3 = own_window_4;
                        own_window_5 = own_window_6;
                        own_window_6 = value_35;
                        own_window_8 = value_39;
                        own_window_9 = own_window_10;
                        own_window_11 = value_36;
                        own_window_12 = value_37;
                        const long step_10 = first + 15L;
                        const long step_11 = (17L + turn_2) - 15L;
                        {
                            state_2_[((state_2_offset_ + (unit * state_2_stride_n0_)) + (((size_i_ - 1L) - step_10) * state_2_stride_i_)) + ((size_j_ - 1L) - step_11)] = own_window_6.sf;
                        }
                        const long step_12 = first + 15L;
                        const long step_13 = (17L + turn_2) - 15L;
                        {
                            state_3_[((state_3_offset_ + (unit * state_3_stride_n0_)) + (((size_i_ - 1L) - step_12) * state_3_stride_i_)) + ((size_j_ - 1L) - step_13)] = own_window_11.sf;
                        }
                        const long step_14 = first + 15L;
                        const long step_15 = (17L + turn_2) - 15L;
                        {
                            state_4_[((state_4_offset_ + (unit * state_4_stride_n0_)) + (((size_i_ - 1L) - step_14) * state_4_stride_i_)) + ((size_j_ - 1L) - step_15)] = own_window_12.sf;
                        }
                    }
                }
            }
        }
    }
}

__kernel void soft_dtw_grad_1__kernel(
    __global float *state_2_,
    __global float *state_4_,
    __global float *state_1_,
    __global const float *r_,
    __global const float *dr_,
    __global const float *dy_,
    __global float *state_3_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long state_2_1_offset_,
    const long state_2_1_stride_i_,
    const long state_2_1_stride_n0_,
    const long state_4_1_offset_,
    const long state_4_1_stride_i_,
    const long state_4_1_stride_n0_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long r_offset_,
    const long r_stride_i_,
    const long r_stride_n0_,
    const long r_2_offset_,
    const long r_2_stride_i_,
    const long r_2_stride_n0_,
    const long r_3_offset_,
    const long r_3_stride_i_,
    const long r_3_stride_n0_,
    const long dr_offset_,
    const long dr_stride_i_,
    const long dr_stride_n0_,
    const long r_4_offset_,
    const long r_4_stride_n0_,
    const long dy_offset_,
    const float gamma_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_,
    const long state_2_offset_,
    const long state_2_stride_n0_,
    const long state_2_stride_i_,
    const long state_3_offset_,
    const long state_3_stride_n0_,
    const long state_3_stride_i_,
    const long state_4_offset_,
    const long state_4_stride_n0_,
    const long state_4_stride_i_) {
    soft_dtw_grad_1__item(state_2_, state_4_, state_1_, r_, dr_, dy_, state_3_, units, chunk, size_i_, size_j_, state_2_1_offset_, state_2_1_stride_i_, state_2_1_stride_n0_, state_4_1_offset_, state_4_1_stride_i_, state_4_1_stride_n0_, state_1_1_offset_, state_1_1_stride_i_, state_1_1_stride_n0_, r_offset_, r_stride_i_, r_stride_n0_, r_2_offset_, r_2_stride_i_, r_2_stride_n0_, r_3_offset_, r_3_stride_i_, r_3_stride_n0_, dr_offset_, dr_stride_i_, dr_stride_n0_, r_4_offset_, r_4_stride_n0_, dy_offset_, gamma_, state_1_offset_, state_1_stride_n0_, state_1_stride_i_, state_2_offset_, state_2_stride_n0_, state_2_stride_i_, state_3_offset_, state_3_stride_n0_, state_3_stride_i_, state_4_offset_, state_4_stride_n0_, state_4_stride_i_, get_global_id(0));
}


// soft_dtw_grad (kernels_dsl/recurrence.netcl)
//     grad_d[n0, i, j] = a function of d, dy, r, state.1 with sum[i, j]
__attribute__((noinline)) void soft_dtw_grad_2__item(
    __global const float *r_,
    __global const float *dy_,
    __global const float *d_,
    __global const float *state_1_,
    __global float *grad_d_,
    const long units,
    const long chunk,
    const long size_i_,
    const long r_offset_,
    const long r_stride_n0_,
    const long dy_offset_,
    const long d_offset_,
    const long d_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const float gamma_,
    const long grad_d_offset_,
    const long grad_d_stride_n0_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const float r_value_ = r_[r_offset_ + (unit * r_stride_n0_)];
        const int is = r_value_ == INFINITY;
        own_total = 0.0f;
        own_rest = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_rest_2 = (float16)(0.0f);
        const long count_2 = size_i_;
        for (long run = 0; run < ((count_2 + 4095L) >> 12); ++run) {
            const long begin_2 = run * 4096L;
            const long here = max(min(count_2 - (run * 4096L), 4096L), 0L);
            own_run_sum_2 = (float16)(0.0f);
            own_run_sum = 0.0f;
            const long vectors = here >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = begin_2 + (vector * 16L);
                const float16 d_value_ = load_floats(d_ + (d_offset_ + start) + (unit * d_stride_n0_));
                const float16 value = exp_float16((-d_value_) - (float16)(r_value_));
                own_run_sum_2 = own_run_sum_2 + (is ? value : (float16)(0.0f));
            }
            for (long left = 0; left < (here & 15L); ++left) {
                const long i_ = (begin_2 + (vectors * 16L)) + left;
                const float value_2 = exp_float((-d_[(d_offset_ + i_) + (unit * d_stride_n0_)]) - r_value_);
                own_run_sum = own_run_sum + (is ? value_2 : 0.0f);
            }
            const float16 before = own_total_2;
            const float16 part = own_run_sum_2;
            const float16 after = before + part;
            const float16 arrived = after - before;
            own_rest_2 = own_rest_2 + ((before - (after - arrived)) + (part - arrived));
            own_total_2 = after;
            const float before_2 = own_total;
            const float part_2 = own_run_sum;
            const float after_2 = before_2 + part_2;
            const float arrived_2 = after_2 - before_2;
            own_rest = own_rest + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
            own_total = after_2;
        }
        const float folded = fold_sum_float16(own_total_2);
        const float folded_2 = fold_sum_float16(own_rest_2);
        const float before_3 = own_total;
        const float part_3 = folded;
        const float after_3 = before_3 + part_3;
        const float arrived_3 = after_3 - before_3;
        own_rest = own_rest + ((before_3 - (after_3 - arrived_3)) + (part_3 - arrived_3));
        own_total = after_3;
        own_rest = own_rest + folded_2;
        const float total = own_total + ((isfinite(own_rest)) ? own_rest : 0.0f);
        const float value_3 = dy_[dy_offset_ + unit] / total;
        const long vectors_2 = size_i_ >> 4;
        for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
            const long start_2 = vector_2 * 16L;
            const float16 d_value_2_ = load_floats(d_ + (d_offset_ + start_2) + (unit * d_stride_n0_));
            const float16 value_4 = exp_float16((-d_value_2_) - (float16)(r_value_));
            const float16 state_1_value_ = load_floats(state_1_ + (state_1_offset_ + start_2) + (unit * state_1_stride_n0_));
            store_floats((is ? ((float16)(value_3) * value_4) : (float16)(0.0f)) + (state_1_value_ / (float16)(gamma_)), grad_d_ + (grad_d_offset_ + (unit * grad_d_stride_n0_)) + start_2);
        }
        for (long left_2 = 0; left_2 < (size_i_ & 15L); ++left_2) {
            const long i_2_ = (vectors_2 * 16L) + left_2;
            const float value_5 = exp_float((-d_[(d_offset_ + i_2_) + (unit * d_stride_n0_)]) - r_value_);
            grad_d_[(grad_d_offset_ + (unit * grad_d_stride_n0_)) + i_2_] = (is ? (value_3 * value_5) : 0.0f) + (state_1_[(state_1_offset_ + i_2_) + (unit * state_1_stride_n0_)] / gamma_);
        }
    }
}

__kernel void soft_dtw_grad_2__kernel(
    __global const float *r_,
    __global const float *dy_,
    __global const float *d_,
    __global const float *state_1_,
    __global float *grad_d_,
    const long units,
    const long chunk,
    const long size_i_,
    const long r_offset_,
    const long r_stride_n0_,
    const long dy_offset_,
    const long d_offset_,
    const long d_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const float gamma_,
    const long grad_d_offset_,
    const long grad_d_stride_n0_) {
    soft_dtw_grad_2__item(r_, dy_, d_, state_1_, grad_d_, units, chunk, size_i_, r_offset_, r_stride_n0_, dy_offset_, d_offset_, d_stride_n0_, state_1_offset_, state_1_stride_n0_, gamma_, grad_d_offset_, grad_d_stride_n0_, get_global_id(0));
}
