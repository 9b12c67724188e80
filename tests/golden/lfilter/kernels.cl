// lfilter (kernels_dsl/scan.netcl)
//     part.1[i0, t, j0] = sum[m](b[m] * (0 <= t - m ? x[i0, t - m, j0] : 0))
__attribute__((noinline)) void lfilter_1__item(
    __global const float *b_,
    __global const float *x_,
    __global float *part_1_,
    const long block_of_j0_,
    const long size_i0_,
    const long size_t_,
    const long size_j0_,
    const long units,
    const long chunk,
    const long size_m_,
    const long b_offset_,
    const long x_offset_,
    const long x_stride_i0_,
    const long x_stride_m_,
    const long x_stride_t_,
    const long part_1_offset_,
    const long part_1_stride_i0_,
    const long part_1_stride_t_,
    const long item) {
    float own_total;
    float16 own_total_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_i0_ * size_t_);
    for (long run = 0; run < ((((begin + count) + ((size_i0_ * size_t_) - 1L)) / (size_i0_ * size_t_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_i0_ * size_t_)), 0L);
        const long many = min((begin + count) - (at * (size_i0_ * size_t_)), size_i0_ * size_t_) - start;
        const long first_2 = start / size_t_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_t_ - 1L)) / size_t_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_t_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_t_), size_t_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long begin_of_part = at * block_of_j0_;
                const long count_of_part = min(block_of_j0_, size_j0_ - (at * block_of_j0_));
                if (count_of_part < 16L) {
                    for (long left = 0; left < count_of_part; ++left) {
                        const long j0_ = begin_of_part + left;
                        own_total = 0.0f;
                        const long count_2 = size_m_;
                        for (long m_ = 0; m_ < count_2; ++m_) {
                            const int is = 0L <= (at_3 - m_);
                            own_total = own_total + (b_[b_offset_ + m_] * (is ? x_[(((x_offset_ + (at_2 * x_stride_i0_)) + j0_) + (m_ * x_stride_m_)) + (at_3 * x_stride_t_)] : 0.0f));
                        }
                        const float total = own_total;
                        part_1_[((part_1_offset_ + (at_2 * part_1_stride_i0_)) + (at_3 * part_1_stride_t_)) + j0_] = total;
                    }
                }
                if (!(count_of_part < 16L)) {
                    for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                        const long start_3 = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                        own_total_2 = (float16)(0.0f);
                        const long count_3 = size_m_;
                        for (long m_2_ = 0; m_2_ < count_3; ++m_2_) {
                            const int is_2 = 0L <= (at_3 - m_2_);
                            float16 value = 0.0f;
                            if (is_2) value = load_floats(x_ + (((x_offset_ + (at_2 * x_stride_i0_)) + start_3) + (m_2_ * x_stride_m_)) + (at_3 * x_stride_t_));
                            own_total_2 = own_total_2 + ((float16)(b_[b_offset_ + m_2_]) * (is_2 ? value : (float16)(0.0f)));
                        }
                        const float16 total_2 = own_total_2;
                        store_floats(total_2, part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + (at_3 * part_1_stride_t_)) + start_3);
                    }
                }
            }
        }
    }
}

__kernel void lfilter_1__kernel(
    __global const float *b_,
    __global const float *x_,
    __global float *part_1_,
    const long block_of_j0_,
    const long size_i0_,
    const long size_t_,
    const long size_j0_,
    const long units,
    const long chunk,
    const long size_m_,
    const long b_offset_,
    const long x_offset_,
    const long x_stride_i0_,
    const long x_stride_m_,
    const long x_stride_t_,
    const long part_1_offset_,
    const long part_1_stride_i0_,
    const long part_1_stride_t_) {
    lfilter_1__item(b_, x_, part_1_, block_of_j0_, size_i0_, size_t_, size_j0_, units, chunk, size_m_, b_offset_, x_offset_, x_stride_i0_, x_stride_m_, x_stride_t_, part_1_offset_, part_1_stride_i0_, part_1_stride_t_, get_global_id(0));
}


// lfilter (kernels_dsl/scan.netcl)
//     y[i0, t, j0] = (part.1[i0, t, j0] - sum[k](k > 0 ? a[k] * (0 <= t - k ? y[i0, t - k, j0] : 0) : 0)) / a[0]
__attribute__((noinline)) void lfilter_2__item(
    __global const float *part_1_,
    __global const float *a_,
    __global float *y_,
    const long size_i0_,
    const long size_j0_,
    const long block_of_j0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long part_1_offset_,
    const long part_1_stride_i0_,
    const long part_1_stride_t_,
    const long size_k_,
    const long a_offset_,
    const long y_1_offset_,
    const long y_1_stride_i0_,
    const long y_1_stride_k_,
    const long y_1_stride_t_,
    const long y_stride_i0_,
    const long y_stride_t_,
    const long item) {
    float16 own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    float own_total_6;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_i0_;
    for (long run = 0; run < ((((begin + count) + (size_i0_ - 1L)) / size_i0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_i0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_i0_), size_i0_) - start); ++step) {
            const long at_2 = start + step;
            const long first_2 = at * block_of_j0_;
            const long count_2 = min(block_of_j0_, size_j0_ - first_2);
            for (long turn = 0; turn < (count_2 >> 6); ++turn) {
                for (long t_ = 0; t_ < size_t_; ++t_) {
                    own_total = (float16)(0.0f);
                    own_total_2 = (float16)(0.0f);
                    own_total_3 = (float16)(0.0f);
                    own_total_4 = (float16)(0.0f);
                    const long count_3 = size_k_;
                    for (long k_ = 0; k_ < count_3; ++k_) {
                        const int is = k_ > 0L;
                        const float a_value_2_ = a_[a_offset_ + k_];
                        const int is_2 = 0L <= (t_ - k_);
                        float16 value = 0.0f;
                        if (is_2) value = load_floats(y_ + (((y_1_offset_ + (at_2 * y_1_stride_i0_)) + (first_2 + (turn * 64L))) + (k_ * y_1_stride_k_)) + (t_ * y_1_stride_t_));
                        own_total = own_total + (is ? ((float16)(a_value_2_) * (is_2 ? value : (float16)(0.0f))) : (float16)(0.0f));
                        float16 value_2 = 0.0f;
                        if (is_2) value_2 = load_floats(y_ + (((y_1_offset_ + (at_2 * y_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 16L)) + (k_ * y_1_stride_k_)) + (t_ * y_1_stride_t_));
                        own_total_2 = own_total_2 + (is ? ((float16)(a_value_2_) * (is_2 ? value_2 : (float16)(0.0f))) : (float16)(0.0f));
                        float16 value_3 = 0.0f;
                        if (is_2) value_3 = load_floats(y_ + (((y_1_offset_ + (at_2 * y_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 32L)) + (k_ * y_1_stride_k_)) + (t_ * y_1_stride_t_));
                        own_total_3 = own_total_3 + (is ? ((float16)(a_value_2_) * (is_2 ? value_3 : (float16)(0.0f))) : (float16)(0.0f));
                        float16 value_4 = 0.0f;
                        if (is_2) value_4 = load_floats(y_ + (((y_1_offset_ + (at_2 * y_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 48L)) + (k_ * y_1_stride_k_)) + (t_ * y_1_stride_t_));
                        own_total_4 = own_total_4 + (is ? ((float16)(a_value_2_) * (is_2 ? value_4 : (float16)(0.0f))) : (float16)(0.0f));
                    }
                    const float16 total = own_total;
                    const float16 total_2 = own_total_2;
                    const float16 total_3 = own_total_3;
                    const float16 total_4 = own_total_4;
                    const float16 part_1_value_ = load_floats(part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + (first_2 + (turn * 64L))) + (t_ * part_1_stride_t_));
                    store_floats((part_1_value_ - total) / (float16)(a_value_), y_ + ((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_ * y_stride_t_)) + (first_2 + (turn * 64L)));
                    const float16 part_1_value_2_ = load_floats(part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 16L)) + (t_ * part_1_stride_t_));
                    store_floats((part_1_value_2_ - total_2) / (float16)(a_value_), y_ + ((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_ * y_stride_t_)) + ((first_2 + (turn * 64L)) + 16L));
                    const float16 part_1_value_3_ = load_floats(part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 32L)) + (t_ * part_1_stride_t_));
                    store_floats((part_1_value_3_ - total_3) / (float16)(a_value_), y_ + ((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_ * y_stride_t_)) + ((first_2 + (turn * 64L)) + 32L));
                    const float16 part_1_value_4_ = load_floats(part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 48L)) + (t_ * part_1_stride_t_));
                    store_floats((part_1_value_4_ - total_4) / (float16)(a_value_), y_ + ((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_ * y_stride_t_)) + ((first_2 + (turn * 64L)) + 48L));
                }
            }
            const long vectors = (count_2 & 63L) >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = (first_2 + ((count_2 >> 6) * 64L)) + (vector * 16L);
                for (long t_2_ = 0; t_2_ < size_t_; ++t_2_) {
                    const float16 part_1_value_5_ = load_floats(part_1_ + ((part_1_offset_ + (at_2 * part_1_stride_i0_)) + start_2) + (t_2_ * part_1_stride_t_));
                    own_total_5 = (float16)(0.0f);
                    const long count_4 = size_k_;
                    for (long k_2_ = 0; k_2_ < count_4; ++k_2_) {
                        const int is_3 = 0L <= (t_2_ - k_2_);
                        float16 value_5 = 0.0f;
                        if (is_3) value_5 = load_floats(y_ + (((y_1_offset_ + (at_2 * y_1_stride_i0_)) + start_2) + (k_2_ * y_1_stride_k_)) + (t_2_ * y_1_stride_t_));
                        own_total_5 = own_total_5 + ((k_2_ > 0L) ? ((float16)(a_[a_offset_ + k_2_]) * (is_3 ? value_5 : (float16)(0.0f))) : (float16)(0.0f));
                    }
                    const float16 total_5 = own_total_5;
                    store_floats((part_1_value_5_ - total_5) / (float16)(a_value_), y_ + ((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_2_ * y_stride_t_)) + start_2);
                }
            }
            for (long left = 0; left < ((count_2 & 63L) & 15L); ++left) {
                const long j0_ = ((first_2 + ((count_2 >> 6) * 64L)) + (vectors * 16L)) + left;
                for (long t_3_ = 0; t_3_ < size_t_; ++t_3_) {
                    own_total_6 = 0.0f;
                    const long count_5 = size_k_;
                    for (long k_3_ = 0; k_3_ < count_5; ++k_3_) {
                        const int is_4 = 0L <= (t_3_ - k_3_);
                        own_total_6 = own_total_6 + ((k_3_ > 0L) ? (a_[a_offset_ + k_3_] * (is_4 ? y_[(((y_1_offset_ + (at_2 * y_1_stride_i0_)) + j0_) + (k_3_ * y_1_stride_k_)) + (t_3_ * y_1_stride_t_)] : 0.0f)) : 0.0f);
                    }
                    const float total_6 = own_total_6;
                    y_[((y_1_offset_ + (at_2 * y_stride_i0_)) + (t_3_ * y_stride_t_)) + j0_] = (part_1_[((part_1_offset_ + (at_2 * part_1_stride_i0_)) + j0_) + (t_3_ * part_1_stride_t_)] - total_6) / a_value_;
                }
            }
        }
    }
}

__kernel void lfilter_2__kernel(
    __global const float *part_1_,
    __global const float *a_,
    __global float *y_,
    const long size_i0_,
    const long size_j0_,
    const long block_of_j0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long part_1_offset_,
    const long part_1_stride_i0_,
    const long part_1_stride_t_,
    const long size_k_,
    const long a_offset_,
    const long y_1_offset_,
    const long y_1_stride_i0_,
    const long y_1_stride_k_,
    const long y_1_stride_t_,
    const long y_stride_i0_,
    const long y_stride_t_) {
    lfilter_2__item(part_1_, a_, y_, size_i0_, size_j0_, block_of_j0_, units, chunk, size_t_, part_1_offset_, part_1_stride_i0_, part_1_stride_t_, size_k_, a_offset_, y_1_offset_, y_1_stride_i0_, y_1_stride_k_, y_1_stride_t_, y_stride_i0_, y_stride_t_, get_global_id(0));
}


// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     state.1[i0, t, j0] = dy[i0, t, j0] + sum[k](k + t < size[t] ? (k > 0 ? -(state.1[i0, k + t, j0] / a[0] * a[k]) : 0) : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_1__item(
    __global const float *dy_,
    __global float *state_1_,
    __global const float *a_,
    const long size_i0_,
    const long size_j0_,
    const long block_of_j0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long dy_stride_t_,
    const long size_k_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i0_,
    const long state_1_1_stride_k_,
    const long state_1_1_stride_t_,
    const long a_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_,
    const long item) {
    float16 own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    float own_total_6;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_i0_;
    for (long run = 0; run < ((((begin + count) + (size_i0_ - 1L)) / size_i0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_i0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_i0_), size_i0_) - start); ++step) {
            const long at_2 = start + step;
            const long first_2 = at * block_of_j0_;
            const long count_2 = min(block_of_j0_, size_j0_ - first_2);
            for (long turn = 0; turn < (count_2 >> 6); ++turn) {
                for (long step_2 = 0; step_2 < size_t_; ++step_2) {
                    const long t_ = (size_t_ - 1L) - step_2;
                    own_total = (float16)(0.0f);
                    own_total_2 = (float16)(0.0f);
                    own_total_3 = (float16)(0.0f);
                    own_total_4 = (float16)(0.0f);
                    const long count_3 = size_k_;
                    for (long k_ = 0; k_ < count_3; ++k_) {
                        const int is = (k_ + t_) < size_t_;
                        const int is_2 = k_ > 0L;
                        const float a_value_2_ = a_[a_offset_ + k_];
                        float16 value = 0.0f;
                        if (is) value = load_floats(state_1_ + (((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + (first_2 + (turn * 64L))) + (k_ * state_1_1_stride_k_)) + (t_ * state_1_1_stride_t_));
                        own_total = own_total + (is ? (is_2 ? (-((value / (float16)(a_value_)) * (float16)(a_value_2_))) : (float16)(0.0f)) : (float16)(0.0f));
                        float16 value_2 = 0.0f;
                        if (is) value_2 = load_floats(state_1_ + (((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 16L)) + (k_ * state_1_1_stride_k_)) + (t_ * state_1_1_stride_t_));
                        own_total_2 = own_total_2 + (is ? (is_2 ? (-((value_2 / (float16)(a_value_)) * (float16)(a_value_2_))) : (float16)(0.0f)) : (float16)(0.0f));
                        float16 value_3 = 0.0f;
                        if (is) value_3 = load_floats(state_1_ + (((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 32L)) + (k_ * state_1_1_stride_k_)) + (t_ * state_1_1_stride_t_));
                        own_total_3 = own_total_3 + (is ? (is_2 ? (-((value_3 / (float16)(a_value_)) * (float16)(a_value_2_))) : (float16)(0.0f)) : (float16)(0.0f));
                        float16 value_4 = 0.0f;
                        if (is) value_4 = load_floats(state_1_ + (((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + ((first_2 + (turn * 64L)) + 48L)) + (k_ * state_1_1_stride_k_)) + (t_ * state_1_1_stride_t_));
                        own_total_4 = own_total_4 + (is ? (is_2 ? (-((value_4 / (float16)(a_value_)) * (float16)(a_value_2_))) : (float16)(0.0f)) : (float16)(0.0f));
                    }
                    const float16 total = own_total;
                    const float16 total_2 = own_total_2;
                    const float16 total_3 = own_total_3;
                    const float16 total_4 = own_total_4;
                    const float16 dy_value_ = load_floats(dy_ + ((dy_offset_ + (at_2 * dy_stride_i0_)) + (first_2 + (turn * 64L))) + (t_ * dy_stride_t_));
                    store_floats(dy_value_ + total, state_1_ + ((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_ * state_1_stride_t_)) + (first_2 + (turn * 64L)));
                    const float16 dy_value_2_ = load_floats(dy_ + ((dy_offset_ + (at_2 * dy_stride_i0_)) + ((first_2 + (turn * 64L)) + 16L)) + (t_ * dy_stride_t_));
                    store_floats(dy_value_2_ + total_2, state_1_ + ((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_ * state_1_stride_t_)) + ((first_2 + (turn * 64L)) + 16L));
                    const float16 dy_value_3_ = load_floats(dy_ + ((dy_offset_ + (at_2 * dy_stride_i0_)) + ((first_2 + (turn * 64L)) + 32L)) + (t_ * dy_stride_t_));
                    store_floats(dy_value_3_ + total_3, state_1_ + ((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_ * state_1_stride_t_)) + ((first_2 + (turn * 64L)) + 32L));
                    const float16 dy_value_4_ = load_floats(dy_ + ((dy_offset_ + (at_2 * dy_stride_i0_)) + ((first_2 + (turn * 64L)) + 48L)) + (t_ * dy_stride_t_));
                    store_floats(dy_value_4_ + total_4, state_1_ + ((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_ * state_1_stride_t_)) + ((first_2 + (turn * 64L)) + 48L));
                }
            }
            const long vectors = (count_2 & 63L) >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = (first_2 + ((count_2 >> 6) * 64L)) + (vector * 16L);
                for (long step_3 = 0; step_3 < size_t_; ++step_3) {
                    const long t_2_ = (size_t_ - 1L) - step_3;
                    const float16 dy_value_5_ = load_floats(dy_ + ((dy_offset_ + (at_2 * dy_stride_i0_)) + start_2) + (t_2_ * dy_stride_t_));
                    own_total_5 = (float16)(0.0f);
                    const long count_4 = size_k_;
                    for (long k_2_ = 0; k_2_ < count_4; ++k_2_) {
                        const int is_3 = (k_2_ + t_2_) < size_t_;
                        float16 value_5 = 0.0f;
                        if (is_3) value_5 = load_floats(state_1_ + (((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + start_2) + (k_2_ * state_1_1_stride_k_)) + (t_2_ * state_1_1_stride_t_));
                        own_total_5 = own_total_5 + (is_3 ? ((k_2_ > 0L) ? (-((value_5 / (float16)(a_value_)) * (float16)(a_[a_offset_ + k_2_]))) : (float16)(0.0f)) : (float16)(0.0f));
                    }
                    const float16 total_5 = own_total_5;
                    store_floats(dy_value_5_ + total_5, state_1_ + ((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_2_ * state_1_stride_t_)) + start_2);
                }
            }
            for (long left = 0; left < ((count_2 & 63L) & 15L); ++left) {
                const long j0_ = ((first_2 + ((count_2 >> 6) * 64L)) + (vectors * 16L)) + left;
                for (long step_4 = 0; step_4 < size_t_; ++step_4) {
                    const long t_3_ = (size_t_ - 1L) - step_4;
                    own_total_6 = 0.0f;
                    const long count_5 = size_k_;
                    for (long k_3_ = 0; k_3_ < count_5; ++k_3_) {
                        const int is_4 = (k_3_ + t_3_) < size_t_;
                        own_total_6 = own_total_6 + (is_4 ? ((k_3_ > 0L) ? (-(((is_4 ? state_1_[(((state_1_1_offset_ + (at_2 * state_1_1_stride_i0_)) + j0_) + (k_3_ * state_1_1_stride_k_)) + (t_3_ * state_1_1_stride_t_)] : 0.0f) / a_value_) * a_[a_offset_ + k_3_])) : 0.0f) : 0.0f);
                    }
                    const float total_6 = own_total_6;
                    state_1_[((state_1_1_offset_ + (at_2 * state_1_stride_i0_)) + (t_3_ * state_1_stride_t_)) + j0_] = dy_[((dy_offset_ + (at_2 * dy_stride_i0_)) + j0_) + (t_3_ * dy_stride_t_)] + total_6;
                }
            }
        }
    }
}

__kernel void lfilter_grad_b_a_x_1__kernel(
    __global const float *dy_,
    __global float *state_1_,
    __global const float *a_,
    const long size_i0_,
    const long size_j0_,
    const long block_of_j0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long dy_stride_t_,
    const long size_k_,
    const long state_1_1_offset_,
    const long state_1_1_stride_i0_,
    const long state_1_1_stride_k_,
    const long state_1_1_stride_t_,
    const long a_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_) {
    lfilter_grad_b_a_x_1__item(dy_, state_1_, a_, size_i0_, size_j0_, block_of_j0_, units, chunk, size_t_, dy_offset_, dy_stride_i0_, dy_stride_t_, size_k_, state_1_1_offset_, state_1_1_stride_i0_, state_1_1_stride_k_, state_1_1_stride_t_, a_offset_, state_1_stride_i0_, state_1_stride_t_, get_global_id(0));
}


// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     grad_b[m] = sum[i0, j0, t](0 <= t - m ? x[i0, t - m, j0] * (state.1[i0, t, j0] / a[0]) : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_2_blocks__item(
    __global const float *x_,
    __global const float *state_1_,
    __global const float *a_,
    __global float *lfilter_grad_b_a_x_2_part_1_,
    const long block_of_i0_,
    const long size_m_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long size_j0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long x_stride_m_,
    const long x_stride_t_,
    const long state_1_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_,
    const long a_offset_,
    const long lfilter_grad_b_a_x_2_part_1_offset_,
    const long lfilter_grad_b_a_x_2_part_1_stride_m_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    float16 own_run_sum_3;
    float16 own_run_sum_4;
    float16 own_run_sum_5;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_m_;
    for (long run = 0; run < ((((begin + count) + (size_m_ - 1L)) / size_m_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_m_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_m_), size_m_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_i0_;
            const long count_of_part = min(block_of_i0_, size_i0_ - (at * block_of_i0_));
            own_total = 0.0f;
            own_rest = 0.0f;
            own_total_2 = (float16)(0.0f);
            own_rest_2 = (float16)(0.0f);
            for (long step_2 = 0; step_2 < count_of_part; ++step_2) {
                const long i0_ = begin_of_part + step_2;
                for (long t_ = 0; t_ < size_t_; ++t_) {
                    const int is = 0L <= (t_ - at_2);
                    own_run_sum_2 = (float16)(0.0f);
                    own_run_sum = 0.0f;
                    own_run_sum_3 = (float16)(0.0f);
                    own_run_sum_4 = (float16)(0.0f);
                    own_run_sum_5 = (float16)(0.0f);
                    for (long step_3 = 0; step_3 < (size_j0_ >> 6); ++step_3) {
                        float16 value = 0.0f;
                        if (is) value = load_floats(x_ + (((x_offset_ + (i0_ * x_stride_i0_)) + (step_3 * 64L)) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_));
                        const float16 state_1_value_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + (step_3 * 64L)) + (t_ * state_1_stride_t_));
                        own_run_sum_2 = own_run_sum_2 + (is ? (value * (state_1_value_ / (float16)(a_value_))) : (float16)(0.0f));
                        float16 value_2 = 0.0f;
                        if (is) value_2 = load_floats(x_ + (((x_offset_ + (i0_ * x_stride_i0_)) + ((step_3 * 64L) + 16L)) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_));
                        const float16 state_1_value_2_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 16L)) + (t_ * state_1_stride_t_));
                        own_run_sum_3 = own_run_sum_3 + (is ? (value_2 * (state_1_value_2_ / (float16)(a_value_))) : (float16)(0.0f));
                        float16 value_3 = 0.0f;
                        if (is) value_3 = load_floats(x_ + (((x_offset_ + (i0_ * x_stride_i0_)) + ((step_3 * 64L) + 32L)) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_));
                        const float16 state_1_value_3_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 32L)) + (t_ * state_1_stride_t_));
                        own_run_sum_4 = own_run_sum_4 + (is ? (value_3 * (state_1_value_3_ / (float16)(a_value_))) : (float16)(0.0f));
                        float16 value_4 = 0.0f;
                        if (is) value_4 = load_floats(x_ + (((x_offset_ + (i0_ * x_stride_i0_)) + ((step_3 * 64L) + 48L)) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_));
                        const float16 state_1_value_4_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 48L)) + (t_ * state_1_stride_t_));
                        own_run_sum_5 = own_run_sum_5 + (is ? (value_4 * (state_1_value_4_ / (float16)(a_value_))) : (float16)(0.0f));
                    }
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
                    const long rest = size_j0_ & 63L;
                    const long vectors = rest >> 4;
                    for (long vector = 0; vector < vectors; ++vector) {
                        const long start_2 = ((size_j0_ >> 6) * 64L) + (vector * 16L);
                        float16 value_5 = 0.0f;
                        if (is) value_5 = load_floats(x_ + (((x_offset_ + (i0_ * x_stride_i0_)) + start_2) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_));
                        const float16 state_1_value_5_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + start_2) + (t_ * state_1_stride_t_));
                        own_run_sum_2 = own_run_sum_2 + (is ? (value_5 * (state_1_value_5_ / (float16)(a_value_))) : (float16)(0.0f));
                    }
                    for (long left = 0; left < (rest & 15L); ++left) {
                        const long j0_ = (((size_j0_ >> 6) * 64L) + (vectors * 16L)) + left;
                        own_run_sum = own_run_sum + (is ? ((is ? x_[(((x_offset_ + (i0_ * x_stride_i0_)) + j0_) + (at_2 * x_stride_m_)) + (t_ * x_stride_t_)] : 0.0f) * (state_1_[((state_1_offset_ + (i0_ * state_1_stride_i0_)) + j0_) + (t_ * state_1_stride_t_)] / a_value_)) : 0.0f);
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
            lfilter_grad_b_a_x_2_part_1_[(lfilter_grad_b_a_x_2_part_1_offset_ + at) + (at_2 * lfilter_grad_b_a_x_2_part_1_stride_m_)] = total;
        }
    }
}

// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     grad_b[m] = sum[i0, j0, t](0 <= t - m ? x[i0, t - m, j0] * (state.1[i0, t, j0] / a[0]) : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_2__item(
    __global const float *lfilter_grad_b_a_x_2_part_1_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long size_i0_block_,
    const long lfilter_grad_b_a_x_2_part_1_offset_,
    const long lfilter_grad_b_a_x_2_part_1_stride_m_,
    const long grad_b_offset_,
    const long item) {
    float own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        own_total = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_total_3 = (float16)(0.0f);
        own_total_4 = (float16)(0.0f);
        own_total_5 = (float16)(0.0f);
        for (long step_2 = 0; step_2 < (size_i0_block_ >> 6); ++step_2) {
            const float16 lfilter_grad_b_a_x_2_part_1_value_ = load_floats(lfilter_grad_b_a_x_2_part_1_ + (lfilter_grad_b_a_x_2_part_1_offset_ + (step_2 * 64L)) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_));
            own_total_2 = own_total_2 + lfilter_grad_b_a_x_2_part_1_value_;
            const float16 lfilter_grad_b_a_x_2_part_1_value_2_ = load_floats(lfilter_grad_b_a_x_2_part_1_ + (lfilter_grad_b_a_x_2_part_1_offset_ + ((step_2 * 64L) + 16L)) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_));
            own_total_3 = own_total_3 + lfilter_grad_b_a_x_2_part_1_value_2_;
            const float16 lfilter_grad_b_a_x_2_part_1_value_3_ = load_floats(lfilter_grad_b_a_x_2_part_1_ + (lfilter_grad_b_a_x_2_part_1_offset_ + ((step_2 * 64L) + 32L)) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_));
            own_total_4 = own_total_4 + lfilter_grad_b_a_x_2_part_1_value_3_;
            const float16 lfilter_grad_b_a_x_2_part_1_value_4_ = load_floats(lfilter_grad_b_a_x_2_part_1_ + (lfilter_grad_b_a_x_2_part_1_offset_ + ((step_2 * 64L) + 48L)) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_));
            own_total_5 = own_total_5 + lfilter_grad_b_a_x_2_part_1_value_4_;
        }
        own_total_2 = own_total_2 + own_total_3;
        own_total_2 = own_total_2 + own_total_4;
        own_total_2 = own_total_2 + own_total_5;
        const long rest = size_i0_block_ & 63L;
        const long vectors = rest >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = ((size_i0_block_ >> 6) * 64L) + (vector * 16L);
            const float16 lfilter_grad_b_a_x_2_part_1_value_5_ = load_floats(lfilter_grad_b_a_x_2_part_1_ + (lfilter_grad_b_a_x_2_part_1_offset_ + start) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_));
            own_total_2 = own_total_2 + lfilter_grad_b_a_x_2_part_1_value_5_;
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long i0_block_ = (((size_i0_block_ >> 6) * 64L) + (vectors * 16L)) + left;
            own_total = own_total + lfilter_grad_b_a_x_2_part_1_[(lfilter_grad_b_a_x_2_part_1_offset_ + i0_block_) + (unit * lfilter_grad_b_a_x_2_part_1_stride_m_)];
        }
        const float folded = fold_sum_float16(own_total_2);
        own_total = own_total + folded;
        const float total = own_total;
        grad_b_[grad_b_offset_ + unit] = total;
    }
}

// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     part.1[] = sum[i0, j0, t](-(y[i0, t, j0] / a[0] * state.1[i0, t, j0]))
__attribute__((noinline)) void lfilter_grad_b_a_x_3_blocks__item(
    __global const float *y_,
    __global const float *a_,
    __global const float *state_1_,
    __global float *lfilter_grad_b_a_x_3_part_1_,
    const long block_of_i0_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long y_offset_,
    const long a_offset_,
    const long state_1_offset_,
    const long lfilter_grad_b_a_x_3_part_1_offset_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    float16 own_run_sum_3;
    float16 own_run_sum_4;
    float16 own_run_sum_5;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_i0_;
        const long count_of_part = min(block_of_i0_, size_i0_ - (unit * block_of_i0_));
        own_total = 0.0f;
        own_rest = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_rest_2 = (float16)(0.0f);
        const long count_2 = count_of_part;
        for (long run = 0; run < ((count_2 + 4095L) >> 12); ++run) {
            const long begin_2 = begin_of_part + (run * 4096L);
            const long here = max(min(count_2 - (run * 4096L), 4096L), 0L);
            own_run_sum_2 = (float16)(0.0f);
            own_run_sum = 0.0f;
            own_run_sum_3 = (float16)(0.0f);
            own_run_sum_4 = (float16)(0.0f);
            own_run_sum_5 = (float16)(0.0f);
            for (long step_2 = 0; step_2 < (here >> 6); ++step_2) {
                const float16 y_value_ = load_floats(y_ + y_offset_ + (begin_2 + (step_2 * 64L)));
                const float16 state_1_value_ = load_floats(state_1_ + state_1_offset_ + (begin_2 + (step_2 * 64L)));
                own_run_sum_2 = own_run_sum_2 + (-((y_value_ / (float16)(a_value_)) * state_1_value_));
                const float16 y_value_2_ = load_floats(y_ + y_offset_ + ((begin_2 + (step_2 * 64L)) + 16L));
                const float16 state_1_value_2_ = load_floats(state_1_ + state_1_offset_ + ((begin_2 + (step_2 * 64L)) + 16L));
                own_run_sum_3 = own_run_sum_3 + (-((y_value_2_ / (float16)(a_value_)) * state_1_value_2_));
                const float16 y_value_3_ = load_floats(y_ + y_offset_ + ((begin_2 + (step_2 * 64L)) + 32L));
                const float16 state_1_value_3_ = load_floats(state_1_ + state_1_offset_ + ((begin_2 + (step_2 * 64L)) + 32L));
                own_run_sum_4 = own_run_sum_4 + (-((y_value_3_ / (float16)(a_value_)) * state_1_value_3_));
                const float16 y_value_4_ = load_floats(y_ + y_offset_ + ((begin_2 + (step_2 * 64L)) + 48L));
                const float16 state_1_value_4_ = load_floats(state_1_ + state_1_offset_ + ((begin_2 + (step_2 * 64L)) + 48L));
                own_run_sum_5 = own_run_sum_5 + (-((y_value_4_ / (float16)(a_value_)) * state_1_value_4_));
            }
            own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
            own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
            own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
            const long rest = here & 63L;
            const long vectors = rest >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = (begin_2 + ((here >> 6) * 64L)) + (vector * 16L);
                const float16 y_value_5_ = load_floats(y_ + y_offset_ + start);
                const float16 state_1_value_5_ = load_floats(state_1_ + state_1_offset_ + start);
                own_run_sum_2 = own_run_sum_2 + (-((y_value_5_ / (float16)(a_value_)) * state_1_value_5_));
            }
            for (long left = 0; left < (rest & 15L); ++left) {
                const long i0_ = ((begin_2 + ((here >> 6) * 64L)) + (vectors * 16L)) + left;
                own_run_sum = own_run_sum + (-((y_[y_offset_ + i0_] / a_value_) * state_1_[state_1_offset_ + i0_]));
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
        lfilter_grad_b_a_x_3_part_1_[lfilter_grad_b_a_x_3_part_1_offset_ + unit] = total;
    }
}

// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     part.1[] = sum[i0, j0, t](-(y[i0, t, j0] / a[0] * state.1[i0, t, j0]))
__attribute__((noinline)) void lfilter_grad_b_a_x_3__item(
    __global const float *lfilter_grad_b_a_x_3_part_1_,
    __global float *part_1_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long lfilter_grad_b_a_x_3_part_1_offset_,
    const long part_1_offset_,
    const long item) {
    float own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    own_total = 0.0f;
    own_total_2 = (float16)(0.0f);
    own_total_3 = (float16)(0.0f);
    own_total_4 = (float16)(0.0f);
    own_total_5 = (float16)(0.0f);
    for (long step = 0; step < (size_i0_ >> 6); ++step) {
        const float16 lfilter_grad_b_a_x_3_part_1_value_ = load_floats(lfilter_grad_b_a_x_3_part_1_ + lfilter_grad_b_a_x_3_part_1_offset_ + (step * 64L));
        own_total_2 = own_total_2 + lfilter_grad_b_a_x_3_part_1_value_;
        const float16 lfilter_grad_b_a_x_3_part_1_value_2_ = load_floats(lfilter_grad_b_a_x_3_part_1_ + lfilter_grad_b_a_x_3_part_1_offset_ + ((step * 64L) + 16L));
        own_total_3 = own_total_3 + lfilter_grad_b_a_x_3_part_1_value_2_;
        const float16 lfilter_grad_b_a_x_3_part_1_value_3_ = load_floats(lfilter_grad_b_a_x_3_part_1_ + lfilter_grad_b_a_x_3_part_1_offset_ + ((step * 64L) + 32L));
        own_total_4 = own_total_4 + lfilter_grad_b_a_x_3_part_1_value_3_;
        const float16 lfilter_grad_b_a_x_3_part_1_value_4_ = load_floats(lfilter_grad_b_a_x_3_part_1_ + lfilter_grad_b_a_x_3_part_1_offset_ + ((step * 64L) + 48L));
        own_total_5 = own_total_5 + lfilter_grad_b_a_x_3_part_1_value_4_;
    }
    own_total_2 = own_total_2 + own_total_3;
    own_total_2 = own_total_2 + own_total_4;
    own_total_2 = own_total_2 + own_total_5;
    const long rest = size_i0_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_i0_ >> 6) * 64L) + (vector * 16L);
        const float16 lfilter_grad_b_a_x_3_part_1_value_5_ = load_floats(lfilter_grad_b_a_x_3_part_1_ + lfilter_grad_b_a_x_3_part_1_offset_ + start);
        own_total_2 = own_total_2 + lfilter_grad_b_a_x_3_part_1_value_5_;
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long i0_ = (((size_i0_ >> 6) * 64L) + (vectors * 16L)) + left;
        own_total = own_total + lfilter_grad_b_a_x_3_part_1_[lfilter_grad_b_a_x_3_part_1_offset_ + i0_];
    }
    const float folded = fold_sum_float16(own_total_2);
    own_total = own_total + folded;
    const float total = own_total;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step_2 = 0; step_2 < count; ++step_2) {
        const long unit = begin + step_2;
        part_1_[part_1_offset_] = total;
    }
}

// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     grad_x[i0, t, j0] = sum[m](m + t < size[t] ? state.1[i0, m + t, j0] / a[0] * b[m] : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_5__item(
    __global const float *state_1_,
    __global const float *a_,
    __global const float *b_,
    __global float *grad_x_,
    const long block_of_j0_,
    const long size_i0_,
    const long size_t_,
    const long size_j0_,
    const long units,
    const long chunk,
    const long size_m_,
    const long state_1_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_m_,
    const long state_1_stride_t_,
    const long a_offset_,
    const long b_offset_,
    const long grad_x_offset_,
    const long grad_x_stride_i0_,
    const long grad_x_stride_t_,
    const long item) {
    float own_total;
    float16 own_total_2;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_i0_ * size_t_);
    for (long run = 0; run < ((((begin + count) + ((size_i0_ * size_t_) - 1L)) / (size_i0_ * size_t_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_i0_ * size_t_)), 0L);
        const long many = min((begin + count) - (at * (size_i0_ * size_t_)), size_i0_ * size_t_) - start;
        const long first_2 = start / size_t_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_t_ - 1L)) / size_t_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_t_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_t_), size_t_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long begin_of_part = at * block_of_j0_;
                const long count_of_part = min(block_of_j0_, size_j0_ - (at * block_of_j0_));
                if (count_of_part < 16L) {
                    for (long left = 0; left < count_of_part; ++left) {
                        const long j0_ = begin_of_part + left;
                        own_total = 0.0f;
                        const long count_2 = size_m_;
                        for (long m_ = 0; m_ < count_2; ++m_) {
                            const int is = (m_ + at_3) < size_t_;
                            own_total = own_total + (is ? (((is ? state_1_[(((state_1_offset_ + (at_2 * state_1_stride_i0_)) + j0_) + (m_ * state_1_stride_m_)) + (at_3 * state_1_stride_t_)] : 0.0f) / a_value_) * b_[b_offset_ + m_]) : 0.0f);
                        }
                        const float total = own_total;
                        grad_x_[((grad_x_offset_ + (at_2 * grad_x_stride_i0_)) + (at_3 * grad_x_stride_t_)) + j0_] = total;
                    }
                }
                if (!(count_of_part < 16L)) {
                    for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                        const long start_3 = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                        own_total_2 = (float16)(0.0f);
                        const long count_3 = size_m_;
                        for (long m_2_ = 0; m_2_ < count_3; ++m_2_) {
                            const int is_2 = (m_2_ + at_3) < size_t_;
                            float16 value = 0.0f;
                            if (is_2) value = load_floats(state_1_ + (((state_1_offset_ + (at_2 * state_1_stride_i0_)) + start_3) + (m_2_ * state_1_stride_m_)) + (at_3 * state_1_stride_t_));
                            own_total_2 = own_total_2 + (is_2 ? ((value / (float16)(a_value_)) * (float16)(b_[b_offset_ + m_2_])) : (float16)(0.0f));
                        }
                        const float16 total_2 = own_total_2;
                        store_floats(total_2, grad_x_ + ((grad_x_offset_ + (at_2 * grad_x_stride_i0_)) + (at_3 * grad_x_stride_t_)) + start_3);
                    }
                }
            }
        }
    }
}

__kernel void lfilter_grad_b_a_x_2_blocks__kernel(
    __global const float *x_,
    __global const float *state_1_,
    __global const float *a_,
    __global float *lfilter_grad_b_a_x_2_part_1_,
    const long block_of_i0_,
    const long size_m_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long size_j0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long x_stride_m_,
    const long x_stride_t_,
    const long state_1_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_,
    const long a_offset_,
    const long lfilter_grad_b_a_x_2_part_1_offset_,
    const long lfilter_grad_b_a_x_2_part_1_stride_m_,
    __global const float *lfilter_grad_b_a_x_2_part_1_of_2_,
    __global float *grad_b_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long size_i0_block_of_2_,
    const long lfilter_grad_b_a_x_2_part_1_stride_m_of_2_,
    const long grad_b_offset_of_2_,
    const long items,
    __global const float *y_of_3_,
    __global float *lfilter_grad_b_a_x_3_part_1_of_3_,
    const long block_of_i0_of_3_,
    const long size_i0_of_3_,
    const long units_of_3,
    const long chunk_of_3,
    const long y_offset_of_3_,
    const long lfilter_grad_b_a_x_3_part_1_offset_of_3_,
    __global const float *lfilter_grad_b_a_x_3_part_1_of_4_,
    __global float *part_1_of_4_,
    const long units_of_4,
    const long chunk_of_4,
    const long size_i0_of_4_,
    const long part_1_offset_of_4_,
    const long items_of_3,
    __global const float *b_of_5_,
    __global float *grad_x_of_5_,
    const long block_of_j0_of_5_,
    const long size_i0_of_5_,
    const long size_t_of_5_,
    const long size_j0_of_5_,
    const long units_of_5,
    const long chunk_of_5,
    const long size_m_of_5_,
    const long state_1_stride_i0_of_5_,
    const long state_1_stride_m_of_5_,
    const long state_1_stride_t_of_5_,
    const long b_offset_of_5_,
    const long grad_x_offset_of_5_,
    const long grad_x_stride_i0_of_5_,
    const long grad_x_stride_t_of_5_,
    volatile __global int *finished) {
    const long items_of_last = get_global_size(0) - items - items_of_3;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_3 * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_3 * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_3 * run / 8;
    const long first_2 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    const long count_1 = items_of_3 * (run + 1) / 8 - first_1;
    if (item < count_0) {
        lfilter_grad_b_a_x_2_blocks__item(x_, state_1_, a_, lfilter_grad_b_a_x_2_part_1_, block_of_i0_, size_m_, size_i0_, units, chunk, size_t_, size_j0_, x_offset_, x_stride_i0_, x_stride_m_, x_stride_t_, state_1_offset_, state_1_stride_i0_, state_1_stride_t_, a_offset_, lfilter_grad_b_a_x_2_part_1_offset_, lfilter_grad_b_a_x_2_part_1_stride_m_, first_0 + item);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (atomic_inc(&finished[0]) == items - 1) {  // the last one to finish
            finished[0] = 0;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            lfilter_grad_b_a_x_2__item(lfilter_grad_b_a_x_2_part_1_of_2_, grad_b_of_2_, units_of_2, chunk_of_2, size_i0_block_of_2_, lfilter_grad_b_a_x_2_part_1_offset_, lfilter_grad_b_a_x_2_part_1_stride_m_of_2_, grad_b_offset_of_2_, 0);
        }
    } else if ((item -= count_0) < count_1) {
        lfilter_grad_b_a_x_3_blocks__item(y_of_3_, a_, state_1_, lfilter_grad_b_a_x_3_part_1_of_3_, block_of_i0_of_3_, size_i0_of_3_, units_of_3, chunk_of_3, y_offset_of_3_, a_offset_, state_1_offset_, lfilter_grad_b_a_x_3_part_1_offset_of_3_, first_1 + item);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (atomic_inc(&finished[1]) == items_of_3 - 1) {  // the last one to finish
            finished[1] = 0;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            lfilter_grad_b_a_x_3__item(lfilter_grad_b_a_x_3_part_1_of_4_, part_1_of_4_, units_of_4, chunk_of_4, size_i0_of_4_, lfilter_grad_b_a_x_3_part_1_offset_of_3_, part_1_offset_of_4_, 0);
        }
    } else {
        item -= count_1;
        lfilter_grad_b_a_x_5__item(state_1_, a_, b_of_5_, grad_x_of_5_, block_of_j0_of_5_, size_i0_of_5_, size_t_of_5_, size_j0_of_5_, units_of_5, chunk_of_5, size_m_of_5_, state_1_offset_, state_1_stride_i0_of_5_, state_1_stride_m_of_5_, state_1_stride_t_of_5_, a_offset_, b_offset_of_5_, grad_x_offset_of_5_, grad_x_stride_i0_of_5_, grad_x_stride_t_of_5_, first_2 + item);
    }
}


// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     grad_a[k] = (0 == k ? part.1[] : 0)
//         + sum[i0, j0, t](k > 0 ? (0 <= t - k ? -(state.1[i0, t, j0] / a[0] * y[i0, t - k, j0]) : 0) : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_4_blocks__item(
    __global const float *state_1_,
    __global const float *a_,
    __global const float *y_,
    __global float *lfilter_grad_b_a_x_4_part_1_,
    const long block_of_i0_,
    const long size_k_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long size_j0_,
    const long state_1_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_,
    const long a_offset_,
    const long y_offset_,
    const long y_stride_i0_,
    const long y_stride_k_,
    const long y_stride_t_,
    const long lfilter_grad_b_a_x_4_part_1_offset_,
    const long lfilter_grad_b_a_x_4_part_1_stride_k_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    float16 own_run_sum_3;
    float16 own_run_sum_4;
    float16 own_run_sum_5;
    const float a_value_ = a_[a_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_k_;
    for (long run = 0; run < ((((begin + count) + (size_k_ - 1L)) / size_k_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_k_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_k_), size_k_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_i0_;
            const long count_of_part = min(block_of_i0_, size_i0_ - (at * block_of_i0_));
            own_total = 0.0f;
            own_rest = 0.0f;
            own_total_2 = (float16)(0.0f);
            own_rest_2 = (float16)(0.0f);
            const int is = at_2 > 0L;
            for (long step_2 = 0; step_2 < count_of_part; ++step_2) {
                const long i0_ = begin_of_part + step_2;
                for (long t_ = 0; t_ < size_t_; ++t_) {
                    const int is_2 = 0L <= (t_ - at_2);
                    own_run_sum_2 = (float16)(0.0f);
                    own_run_sum = 0.0f;
                    own_run_sum_3 = (float16)(0.0f);
                    own_run_sum_4 = (float16)(0.0f);
                    own_run_sum_5 = (float16)(0.0f);
                    for (long step_3 = 0; step_3 < (size_j0_ >> 6); ++step_3) {
                        const float16 state_1_value_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + (step_3 * 64L)) + (t_ * state_1_stride_t_));
                        float16 value = 0.0f;
                        if (is_2) value = load_floats(y_ + (((y_offset_ + (i0_ * y_stride_i0_)) + (step_3 * 64L)) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_));
                        own_run_sum_2 = own_run_sum_2 + (is ? (is_2 ? (-((state_1_value_ / (float16)(a_value_)) * value)) : (float16)(0.0f)) : (float16)(0.0f));
                        const float16 state_1_value_2_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 16L)) + (t_ * state_1_stride_t_));
                        float16 value_2 = 0.0f;
                        if (is_2) value_2 = load_floats(y_ + (((y_offset_ + (i0_ * y_stride_i0_)) + ((step_3 * 64L) + 16L)) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_));
                        own_run_sum_3 = own_run_sum_3 + (is ? (is_2 ? (-((state_1_value_2_ / (float16)(a_value_)) * value_2)) : (float16)(0.0f)) : (float16)(0.0f));
                        const float16 state_1_value_3_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 32L)) + (t_ * state_1_stride_t_));
                        float16 value_3 = 0.0f;
                        if (is_2) value_3 = load_floats(y_ + (((y_offset_ + (i0_ * y_stride_i0_)) + ((step_3 * 64L) + 32L)) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_));
                        own_run_sum_4 = own_run_sum_4 + (is ? (is_2 ? (-((state_1_value_3_ / (float16)(a_value_)) * value_3)) : (float16)(0.0f)) : (float16)(0.0f));
                        const float16 state_1_value_4_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + ((step_3 * 64L) + 48L)) + (t_ * state_1_stride_t_));
                        float16 value_4 = 0.0f;
                        if (is_2) value_4 = load_floats(y_ + (((y_offset_ + (i0_ * y_stride_i0_)) + ((step_3 * 64L) + 48L)) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_));
                        own_run_sum_5 = own_run_sum_5 + (is ? (is_2 ? (-((state_1_value_4_ / (float16)(a_value_)) * value_4)) : (float16)(0.0f)) : (float16)(0.0f));
                    }
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
                    own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
                    const long rest = size_j0_ & 63L;
                    const long vectors = rest >> 4;
                    for (long vector = 0; vector < vectors; ++vector) {
                        const long start_2 = ((size_j0_ >> 6) * 64L) + (vector * 16L);
                        const float16 state_1_value_5_ = load_floats(state_1_ + ((state_1_offset_ + (i0_ * state_1_stride_i0_)) + start_2) + (t_ * state_1_stride_t_));
                        float16 value_5 = 0.0f;
                        if (is_2) value_5 = load_floats(y_ + (((y_offset_ + (i0_ * y_stride_i0_)) + start_2) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_));
                        own_run_sum_2 = own_run_sum_2 + (is ? (is_2 ? (-((state_1_value_5_ / (float16)(a_value_)) * value_5)) : (float16)(0.0f)) : (float16)(0.0f));
                    }
                    for (long left = 0; left < (rest & 15L); ++left) {
                        const long j0_ = (((size_j0_ >> 6) * 64L) + (vectors * 16L)) + left;
                        own_run_sum = own_run_sum + (is ? (is_2 ? (-((state_1_[((state_1_offset_ + (i0_ * state_1_stride_i0_)) + j0_) + (t_ * state_1_stride_t_)] / a_value_) * (is_2 ? y_[(((y_offset_ + (i0_ * y_stride_i0_)) + j0_) + (at_2 * y_stride_k_)) + (t_ * y_stride_t_)] : 0.0f))) : 0.0f) : 0.0f);
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
            lfilter_grad_b_a_x_4_part_1_[(lfilter_grad_b_a_x_4_part_1_offset_ + at) + (at_2 * lfilter_grad_b_a_x_4_part_1_stride_k_)] = total;
        }
    }
}

// lfilter_grad_b_a_x (kernels_dsl/scan.netcl)
//     grad_a[k] = (0 == k ? part.1[] : 0)
//         + sum[i0, j0, t](k > 0 ? (0 <= t - k ? -(state.1[i0, t, j0] / a[0] * y[i0, t - k, j0]) : 0) : 0)
__attribute__((noinline)) void lfilter_grad_b_a_x_4__item(
    __global const float *part_1_,
    __global const float *lfilter_grad_b_a_x_4_part_1_,
    __global float *grad_a_,
    const long units,
    const long chunk,
    const long part_1_offset_,
    const long size_i0_block_,
    const long lfilter_grad_b_a_x_4_part_1_offset_,
    const long lfilter_grad_b_a_x_4_part_1_stride_k_,
    const long grad_a_offset_,
    const long item) {
    float own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    const float part_1_value_ = part_1_[part_1_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        own_total = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_total_3 = (float16)(0.0f);
        own_total_4 = (float16)(0.0f);
        own_total_5 = (float16)(0.0f);
        for (long step_2 = 0; step_2 < (size_i0_block_ >> 6); ++step_2) {
            const float16 lfilter_grad_b_a_x_4_part_1_value_ = load_floats(lfilter_grad_b_a_x_4_part_1_ + (lfilter_grad_b_a_x_4_part_1_offset_ + (step_2 * 64L)) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_));
            own_total_2 = own_total_2 + lfilter_grad_b_a_x_4_part_1_value_;
            const float16 lfilter_grad_b_a_x_4_part_1_value_2_ = load_floats(lfilter_grad_b_a_x_4_part_1_ + (lfilter_grad_b_a_x_4_part_1_offset_ + ((step_2 * 64L) + 16L)) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_));
            own_total_3 = own_total_3 + lfilter_grad_b_a_x_4_part_1_value_2_;
            const float16 lfilter_grad_b_a_x_4_part_1_value_3_ = load_floats(lfilter_grad_b_a_x_4_part_1_ + (lfilter_grad_b_a_x_4_part_1_offset_ + ((step_2 * 64L) + 32L)) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_));
            own_total_4 = own_total_4 + lfilter_grad_b_a_x_4_part_1_value_3_;
            const float16 lfilter_grad_b_a_x_4_part_1_value_4_ = load_floats(lfilter_grad_b_a_x_4_part_1_ + (lfilter_grad_b_a_x_4_part_1_offset_ + ((step_2 * 64L) + 48L)) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_));
            own_total_5 = own_total_5 + lfilter_grad_b_a_x_4_part_1_value_4_;
        }
        own_total_2 = own_total_2 + own_total_3;
        own_total_2 = own_total_2 + own_total_4;
        own_total_2 = own_total_2 + own_total_5;
        const long rest = size_i0_block_ & 63L;
        const long vectors = rest >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = ((size_i0_block_ >> 6) * 64L) + (vector * 16L);
            const float16 lfilter_grad_b_a_x_4_part_1_value_5_ = load_floats(lfilter_grad_b_a_x_4_part_1_ + (lfilter_grad_b_a_x_4_part_1_offset_ + start) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_));
            own_total_2 = own_total_2 + lfilter_grad_b_a_x_4_part_1_value_5_;
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long i0_block_ = (((size_i0_block_ >> 6) * 64L) + (vectors * 16L)) + left;
            own_total = own_total + lfilter_grad_b_a_x_4_part_1_[(lfilter_grad_b_a_x_4_part_1_offset_ + i0_block_) + (unit * lfilter_grad_b_a_x_4_part_1_stride_k_)];
        }
        const float folded = fold_sum_float16(own_total_2);
        own_total = own_total + folded;
        const float total = own_total;
        grad_a_[grad_a_offset_ + unit] = ((0L == unit) ? part_1_value_ : 0.0f) + total;
    }
}

__kernel void lfilter_grad_b_a_x_4_blocks__kernel(
    __global const float *state_1_,
    __global const float *a_,
    __global const float *y_,
    __global float *lfilter_grad_b_a_x_4_part_1_,
    const long block_of_i0_,
    const long size_k_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_t_,
    const long size_j0_,
    const long state_1_offset_,
    const long state_1_stride_i0_,
    const long state_1_stride_t_,
    const long a_offset_,
    const long y_offset_,
    const long y_stride_i0_,
    const long y_stride_k_,
    const long y_stride_t_,
    const long lfilter_grad_b_a_x_4_part_1_offset_,
    const long lfilter_grad_b_a_x_4_part_1_stride_k_,
    __global const float *part_1_of_2_,
    __global const float *lfilter_grad_b_a_x_4_part_1_of_2_,
    __global float *grad_a_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long part_1_offset_of_2_,
    const long size_i0_block_of_2_,
    const long lfilter_grad_b_a_x_4_part_1_stride_k_of_2_,
    const long grad_a_offset_of_2_,
    const long items,
    volatile __global int *finished) {
    lfilter_grad_b_a_x_4_blocks__item(state_1_, a_, y_, lfilter_grad_b_a_x_4_part_1_, block_of_i0_, size_k_, size_i0_, units, chunk, size_t_, size_j0_, state_1_offset_, state_1_stride_i0_, state_1_stride_t_, a_offset_, y_offset_, y_stride_i0_, y_stride_k_, y_stride_t_, lfilter_grad_b_a_x_4_part_1_offset_, lfilter_grad_b_a_x_4_part_1_stride_k_, get_global_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&finished[0]) == items - 1) {  // the last one to finish
        finished[0] = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        lfilter_grad_b_a_x_4__item(part_1_of_2_, lfilter_grad_b_a_x_4_part_1_of_2_, grad_a_of_2_, units_of_2, chunk_of_2, part_1_offset_of_2_, size_i0_block_of_2_, lfilter_grad_b_a_x_4_part_1_offset_, lfilter_grad_b_a_x_4_part_1_stride_k_of_2_, grad_a_offset_of_2_, 0);
    }
}
