// solve_triangular (kernels_dsl/linear_algebra.netcl)
//     x[n0, i, m] = (b[n0, i, m] - sum[j](j < i ? a[n0, i, j] * x[n0, j, m] : 0)) / a[n0, i, i]
__attribute__((noinline)) void solve_triangular__item(
    __global const float *b_,
    __global const float *a_,
    __global float *x_,
    const long size_n0_,
    const long size_m_,
    const long block_of_m_,
    const long units,
    const long chunk,
    const long size_i_,
    const long b_offset_,
    const long b_stride_i_,
    const long b_stride_n0_,
    const long size_j_,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long x_1_offset_,
    const long x_1_stride_j_,
    const long x_1_stride_n0_,
    const long a_2_stride_i_,
    const long a_2_stride_n0_,
    const long x_stride_n0_,
    const long x_stride_i_,
    const long item) {
    float16 own_total;
    float16 own_rest;
    float16 own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    float16 own_total_3;
    float16 own_rest_3;
    float16 own_run_sum_3;
    float16 own_total_4;
    float16 own_rest_4;
    float16 own_run_sum_4;
    float16 own_total_5;
    float16 own_rest_5;
    float16 own_run_sum_5;
    float own_total_6;
    float own_rest_6;
    float own_run_sum_6;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_n0_), size_n0_) - start); ++step) {
            const long at_2 = start + step;
            const long first_2 = at * block_of_m_;
            const long count_2 = min(block_of_m_, size_m_ - first_2);
            for (long turn = 0; turn < (count_2 >> 6); ++turn) {
                for (long i_ = 0; i_ < size_i_; ++i_) {
                    const long many = max(min(size_j_, i_), 0L);
                    own_total = (float16)(0.0f);
                    own_rest = (float16)(0.0f);
                    own_total_2 = (float16)(0.0f);
                    own_rest_2 = (float16)(0.0f);
                    own_total_3 = (float16)(0.0f);
                    own_rest_3 = (float16)(0.0f);
                    own_total_4 = (float16)(0.0f);
                    own_rest_4 = (float16)(0.0f);
                    const long count_3 = many;
                    for (long run_2 = 0; run_2 < ((count_3 + 255L) >> 8); ++run_2) {
                        own_run_sum = (float16)(0.0f);
                        own_run_sum_2 = (float16)(0.0f);
                        own_run_sum_3 = (float16)(0.0f);
                        own_run_sum_4 = (float16)(0.0f);
                        for (long j_ = 0; j_ < min(count_3 - (run_2 * 256L), 256L); ++j_) {
                            const long at_3 = j_ + (run_2 * 256L);
                            const float a_value_ = a_[((a_offset_ + (i_ * a_stride_i_)) + at_3) + (at_2 * a_stride_n0_)];
                            const float16 x_value_ = load_floats(x_ + ((x_1_offset_ + (at_3 * x_1_stride_j_)) + (first_2 + (turn * 64L))) + (at_2 * x_1_stride_n0_));
                            own_run_sum = fma((float16)(a_value_), x_value_, own_run_sum);
                            const float16 x_value_2_ = load_floats(x_ + ((x_1_offset_ + (at_3 * x_1_stride_j_)) + ((first_2 + (turn * 64L)) + 16L)) + (at_2 * x_1_stride_n0_));
                            own_run_sum_2 = fma((float16)(a_value_), x_value_2_, own_run_sum_2);
                            const float16 x_value_3_ = load_floats(x_ + ((x_1_offset_ + (at_3 * x_1_stride_j_)) + ((first_2 + (turn * 64L)) + 32L)) + (at_2 * x_1_stride_n0_));
                            own_run_sum_3 = fma((float16)(a_value_), x_value_3_, own_run_sum_3);
                            const float16 x_value_4_ = load_floats(x_ + ((x_1_offset_ + (at_3 * x_1_stride_j_)) + ((first_2 + (turn * 64L)) + 48L)) + (at_2 * x_1_stride_n0_));
                            own_run_sum_4 = fma((float16)(a_value_), x_value_4_, own_run_sum_4);
                        }
                        const float16 before = own_total;
                        const float16 part = own_run_sum;
                        const float16 after = before + part;
                        const float16 arrived = after - before;
                        own_rest = own_rest + ((before - (after - arrived)) + (part - arrived));
                        own_total = after;
                        const float16 before_2 = own_total_2;
                        const float16 part_2 = own_run_sum_2;
                        const float16 after_2 = before_2 + part_2;
                        const float16 arrived_2 = after_2 - before_2;
                        own_rest_2 = own_rest_2 + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
                        own_total_2 = after_2;
                        const float16 before_3 = own_total_3;
                        const float16 part_3 = own_run_sum_3;
                        const float16 after_3 = before_3 + part_3;
                        const float16 arrived_3 = after_3 - before_3;
                        own_rest_3 = own_rest_3 + ((before_3 - (after_3 - arrived_3)) + (part_3 - arrived_3));
                        own_total_3 = after_3;
                        const float16 before_4 = own_total_4;
                        const float16 part_4 = own_run_sum_4;
                        const float16 after_4 = before_4 + part_4;
                        const float16 arrived_4 = after_4 - before_4;
                        own_rest_4 = own_rest_4 + ((before_4 - (after_4 - arrived_4)) + (part_4 - arrived_4));
                        own_total_4 = after_4;
                    }
                    const float16 total = own_total + ((isfinite(own_rest)) ? own_rest : (float16)(0.0f));
                    const float16 total_2 = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : (float16)(0.0f));
                    const float16 total_3 = own_total_3 + ((isfinite(own_rest_3)) ? own_rest_3 : (float16)(0.0f));
                    const float16 total_4 = own_total_4 + ((isfinite(own_rest_4)) ? own_rest_4 : (float16)(0.0f));
                    const float a_value_2_ = a_[(a_offset_ + (i_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)];
                    const float16 b_value_ = load_floats(b_ + ((b_offset_ + (i_ * b_stride_i_)) + (first_2 + (turn * 64L))) + (at_2 * b_stride_n0_));
                    store_floats((b_value_ - total) / (float16)(a_value_2_), x_ + ((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_ * x_stride_i_)) + (first_2 + (turn * 64L)));
                    const float16 b_value_2_ = load_floats(b_ + ((b_offset_ + (i_ * b_stride_i_)) + ((first_2 + (turn * 64L)) + 16L)) + (at_2 * b_stride_n0_));
                    store_floats((b_value_2_ - total_2) / (float16)(a_value_2_), x_ + ((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_ * x_stride_i_)) + ((first_2 + (turn * 64L)) + 16L));
                    const float16 b_value_3_ = load_floats(b_ + ((b_offset_ + (i_ * b_stride_i_)) + ((first_2 + (turn * 64L)) + 32L)) + (at_2 * b_stride_n0_));
                    store_floats((b_value_3_ - total_3) / (float16)(a_value_2_), x_ + ((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_ * x_stride_i_)) + ((first_2 + (turn * 64L)) + 32L));
                    const float16 b_value_4_ = load_floats(b_ + ((b_offset_ + (i_ * b_stride_i_)) + ((first_2 + (turn * 64L)) + 48L)) + (at_2 * b_stride_n0_));
                    store_floats((b_value_4_ - total_4) / (float16)(a_value_2_), x_ + ((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_ * x_stride_i_)) + ((first_2 + (turn * 64L)) + 48L));
                }
            }
            const long vectors = (count_2 & 63L) >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = (first_2 + ((count_2 >> 6) * 64L)) + (vector * 16L);
                for (long i_2_ = 0; i_2_ < size_i_; ++i_2_) {
                    const float16 b_value_5_ = load_floats(b_ + ((b_offset_ + (i_2_ * b_stride_i_)) + start_2) + (at_2 * b_stride_n0_));
                    const long many_2 = max(min(size_j_, i_2_), 0L);
                    own_total_5 = (float16)(0.0f);
                    own_rest_5 = (float16)(0.0f);
                    const long count_4 = many_2;
                    for (long run_3 = 0; run_3 < ((count_4 + 255L) >> 8); ++run_3) {
                        own_run_sum_5 = (float16)(0.0f);
                        for (long j_2_ = 0; j_2_ < min(count_4 - (run_3 * 256L), 256L); ++j_2_) {
                            const long at_4 = j_2_ + (run_3 * 256L);
                            const float16 x_value_5_ = load_floats(x_ + ((x_1_offset_ + (at_4 * x_1_stride_j_)) + start_2) + (at_2 * x_1_stride_n0_));
                            own_run_sum_5 = fma((float16)(a_[((a_offset_ + (i_2_ * a_stride_i_)) + at_4) + (at_2 * a_stride_n0_)]), x_value_5_, own_run_sum_5);
                        }
                        const float16 before_5 = own_total_5;
                        const float16 part_5 = own_run_sum_5;
                        const float16 after_5 = before_5 + part_5;
                        const float16 arrived_5 = after_5 - before_5;
                        own_rest_5 = own_rest_5 + ((before_5 - (after_5 - arrived_5)) + (part_5 - arrived_5));
                        own_total_5 = after_5;
                    }
                    const float16 total_5 = own_total_5 + ((isfinite(own_rest_5)) ? own_rest_5 : (float16)(0.0f));
                    store_floats((b_value_5_ - total_5) / (float16)(a_[(a_offset_ + (i_2_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)]), x_ + ((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_2_ * x_stride_i_)) + start_2);
                }
            }
            for (long left = 0; left < ((count_2 & 63L) & 15L); ++left) {
                const long m_ = ((first_2 + ((count_2 >> 6) * 64L)) + (vectors * 16L)) + left;
                for (long i_3_ = 0; i_3_ < size_i_; ++i_3_) {
                    const long many_3 = max(min(size_j_, i_3_), 0L);
                    own_total_6 = 0.0f;
                    own_rest_6 = 0.0f;
                    const long count_5 = many_3;
                    for (long run_4 = 0; run_4 < ((count_5 + 255L) >> 8); ++run_4) {
                        own_run_sum_6 = 0.0f;
                        for (long j_3_ = 0; j_3_ < min(count_5 - (run_4 * 256L), 256L); ++j_3_) {
                            const long at_5 = j_3_ + (run_4 * 256L);
                            own_run_sum_6 = fma(a_[((a_offset_ + (i_3_ * a_stride_i_)) + at_5) + (at_2 * a_stride_n0_)], x_[((x_1_offset_ + (at_5 * x_1_stride_j_)) + m_) + (at_2 * x_1_stride_n0_)], own_run_sum_6);
                        }
                        const float before_6 = own_total_6;
                        const float part_6 = own_run_sum_6;
                        const float after_6 = before_6 + part_6;
                        const float arrived_6 = after_6 - before_6;
                        own_rest_6 = own_rest_6 + ((before_6 - (after_6 - arrived_6)) + (part_6 - arrived_6));
                        own_total_6 = after_6;
                    }
                    const float total_6 = own_total_6 + ((isfinite(own_rest_6)) ? own_rest_6 : 0.0f);
                    x_[((x_1_offset_ + (at_2 * x_stride_n0_)) + (i_3_ * x_stride_i_)) + m_] = (b_[((b_offset_ + (i_3_ * b_stride_i_)) + m_) + (at_2 * b_stride_n0_)] - total_6) / a_[(a_offset_ + (i_3_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)];
                }
            }
        }
    }
}

__kernel void solve_triangular__kernel(
    __global const float *b_,
    __global const float *a_,
    __global float *x_,
    const long size_n0_,
    const long size_m_,
    const long block_of_m_,
    const long units,
    const long chunk,
    const long size_i_,
    const long b_offset_,
    const long b_stride_i_,
    const long b_stride_n0_,
    const long size_j_,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long x_1_offset_,
    const long x_1_stride_j_,
    const long x_1_stride_n0_,
    const long a_2_stride_i_,
    const long a_2_stride_n0_,
    const long x_stride_n0_,
    const long x_stride_i_) {
    solve_triangular__item(b_, a_, x_, size_n0_, size_m_, block_of_m_, units, chunk, size_i_, b_offset_, b_stride_i_, b_stride_n0_, size_j_, a_offset_, a_stride_i_, a_stride_n0_, x_1_offset_, x_1_stride_j_, x_1_stride_n0_, a_2_stride_i_, a_2_stride_n0_, x_stride_n0_, x_stride_i_, get_global_id(0));
}


// solve_triangular_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     state.1[n0, i, m] = dx[n0, i, m] + sum[i'](i < i' ? -(state.2[n0, i', m] * a[n0, i', i]) : 0)
//     state.2[n0, i, m] = state.1[n0, i, m] / a[n0, i, i]
__attribute__((noinline)) void solve_triangular_grad_a_b_1__item(
    __global const float *dx_,
    __global float *state_2_,
    __global const float *a_,
    __global float *state_1_,
    const long size_n0_,
    const long size_m_,
    const long block_of_m_,
    const long units,
    const long chunk,
    const long size_i_,
    const long dx_offset_,
    const long dx_stride_i_,
    const long dx_stride_n0_,
    const long state_2_1_offset_,
    const long state_2_1_stride_i_copy_,
    const long state_2_1_stride_n0_,
    const long a_offset_,
    const long a_stride_i_copy_,
    const long a_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long a_2_stride_i_,
    const long a_2_stride_n0_,
    const long state_2_stride_n0_,
    const long state_2_stride_i_,
    const long item) {
    float16 own_total;
    float16 own_rest;
    float16 own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    float16 own_total_3;
    float16 own_rest_3;
    float16 own_run_sum_3;
    float16 own_total_4;
    float16 own_rest_4;
    float16 own_run_sum_4;
    float16 own_total_5;
    float16 own_rest_5;
    float16 own_run_sum_5;
    float own_total_6;
    float own_rest_6;
    float own_run_sum_6;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_n0_), size_n0_) - start); ++step) {
            const long at_2 = start + step;
            const long first_2 = at * block_of_m_;
            const long count_2 = min(block_of_m_, size_m_ - first_2);
            for (long turn = 0; turn < (count_2 >> 6); ++turn) {
                for (long step_2 = 0; step_2 < size_i_; ++step_2) {
                    const long i_ = (size_i_ - 1L) - step_2;
                    const long begin_2 = max(0L, i_ + 1L);
                    const long many = max(size_i_ - begin_2, 0L);
                    own_total = (float16)(0.0f);
                    own_rest = (float16)(0.0f);
                    own_total_2 = (float16)(0.0f);
                    own_rest_2 = (float16)(0.0f);
                    own_total_3 = (float16)(0.0f);
                    own_rest_3 = (float16)(0.0f);
                    own_total_4 = (float16)(0.0f);
                    own_rest_4 = (float16)(0.0f);
                    const long count_3 = many;
                    for (long run_2 = 0; run_2 < ((count_3 + 255L) >> 8); ++run_2) {
                        own_run_sum = (float16)(0.0f);
                        own_run_sum_2 = (float16)(0.0f);
                        own_run_sum_3 = (float16)(0.0f);
                        own_run_sum_4 = (float16)(0.0f);
                        for (long i_2_ = 0; i_2_ < min(count_3 - (run_2 * 256L), 256L); ++i_2_) {
                            const long at_3 = i_2_ + (run_2 * 256L);
                            const long i_3_ = at_3 + begin_2;
                            const int is = i_ < i_3_;
                            const float a_value_ = a_[((a_offset_ + i_) + (i_3_ * a_stride_i_copy_)) + (at_2 * a_stride_n0_)];
                            const float16 state_2_value_ = load_floats(state_2_ + ((state_2_1_offset_ + (i_3_ * state_2_1_stride_i_copy_)) + (first_2 + (turn * 64L))) + (at_2 * state_2_1_stride_n0_));
                            own_run_sum = own_run_sum + (is ? (-(state_2_value_ * (float16)(a_value_))) : (float16)(0.0f));
                            const float16 state_2_value_2_ = load_floats(state_2_ + ((state_2_1_offset_ + (i_3_ * state_2_1_stride_i_copy_)) + ((first_2 + (turn * 64L)) + 16L)) + (at_2 * state_2_1_stride_n0_));
                            own_run_sum_2 = own_run_sum_2 + (is ? (-(state_2_value_2_ * (float16)(a_value_))) : (float16)(0.0f));
                            const float16 state_2_value_3_ = load_floats(state_2_ + ((state_2_1_offset_ + (i_3_ * state_2_1_stride_i_copy_)) + ((first_2 + (turn * 64L)) + 32L)) + (at_2 * state_2_1_stride_n0_));
                            own_run_sum_3 = own_run_sum_3 + (is ? (-(state_2_value_3_ * (float16)(a_value_))) : (float16)(0.0f));
                            const float16 state_2_value_4_ = load_floats(state_2_ + ((state_2_1_offset_ + (i_3_ * state_2_1_stride_i_copy_)) + ((first_2 + (turn * 64L)) + 48L)) + (at_2 * state_2_1_stride_n0_));
                            own_run_sum_4 = own_run_sum_4 + (is ? (-(state_2_value_4_ * (float16)(a_value_))) : (float16)(0.0f));
                        }
                        const float16 before = own_total;
                        const float16 part = own_run_sum;
                        const float16 after = before + part;
                        const float16 arrived = after - before;
                        own_rest = own_rest + ((before - (after - arrived)) + (part - arrived));
                        own_total = after;
                        const float16 before_2 = own_total_2;
                        const float16 part_2 = own_run_sum_2;
                        const float16 after_2 = before_2 + part_2;
                        const float16 arrived_2 = after_2 - before_2;
                        own_rest_2 = own_rest_2 + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
                        own_total_2 = after_2;
                        const float16 before_3 = own_total_3;
                        const float16 part_3 = own_run_sum_3;
                        const float16 after_3 = before_3 + part_3;
                        const float16 arrived_3 = after_3 - before_3;
                        own_rest_3 = own_rest_3 + ((before_3 - (after_3 - arrived_3)) + (part_3 - arrived_3));
                        own_total_3 = after_3;
                        const float16 before_4 = own_total_4;
                        const float16 part_4 = own_run_sum_4;
                        const float16 after_4 = before_4 + part_4;
                        const float16 arrived_4 = after_4 - before_4;
                        own_rest_4 = own_rest_4 + ((before_4 - (after_4 - arrived_4)) + (part_4 - arrived_4));
                        own_total_4 = after_4;
                    }
                    const float16 total = own_total + ((isfinite(own_rest)) ? own_rest : (float16)(0.0f));
                    const float16 total_2 = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : (float16)(0.0f));
                    const float16 total_3 = own_total_3 + ((isfinite(own_rest_3)) ? own_rest_3 : (float16)(0.0f));
                    const float16 total_4 = own_total_4 + ((isfinite(own_rest_4)) ? own_rest_4 : (float16)(0.0f));
                    const float16 dx_value_ = load_floats(dx_ + ((dx_offset_ + (i_ * dx_stride_i_)) + (first_2 + (turn * 64L))) + (at_2 * dx_stride_n0_));
                    store_floats(dx_value_ + total, state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_ * state_1_stride_i_)) + (first_2 + (turn * 64L)));
                    const float16 dx_value_2_ = load_floats(dx_ + ((dx_offset_ + (i_ * dx_stride_i_)) + ((first_2 + (turn * 64L)) + 16L)) + (at_2 * dx_stride_n0_));
                    store_floats(dx_value_2_ + total_2, state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_ * state_1_stride_i_)) + ((first_2 + (turn * 64L)) + 16L));
                    const float16 dx_value_3_ = load_floats(dx_ + ((dx_offset_ + (i_ * dx_stride_i_)) + ((first_2 + (turn * 64L)) + 32L)) + (at_2 * dx_stride_n0_));
                    store_floats(dx_value_3_ + total_3, state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_ * state_1_stride_i_)) + ((first_2 + (turn * 64L)) + 32L));
                    const float16 dx_value_4_ = load_floats(dx_ + ((dx_offset_ + (i_ * dx_stride_i_)) + ((first_2 + (turn * 64L)) + 48L)) + (at_2 * dx_stride_n0_));
                    store_floats(dx_value_4_ + total_4, state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_ * state_1_stride_i_)) + ((first_2 + (turn * 64L)) + 48L));
                    const float a_value_2_ = a_[(a_offset_ + (i_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)];
                    for (long row = 0; row < 4L; ++row) {
                        const float16 state_1_value_ = load_floats(state_1_ + ((state_1_offset_ + (i_ * state_1_1_stride_i_)) + ((first_2 + (turn * 64L)) + (row * 16L))) + (at_2 * state_1_1_stride_n0_));
                        store_floats(state_1_value_ / (float16)(a_value_2_), state_2_ + ((state_2_1_offset_ + (at_2 * state_2_stride_n0_)) + (i_ * state_2_stride_i_)) + ((first_2 + (turn * 64L)) + (row * 16L)));
                    }
                }
            }
            const long vectors = (count_2 & 63L) >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = (first_2 + ((count_2 >> 6) * 64L)) + (vector * 16L);
                for (long step_3 = 0; step_3 < size_i_; ++step_3) {
                    const long i_4_ = (size_i_ - 1L) - step_3;
                    const float16 dx_value_5_ = load_floats(dx_ + ((dx_offset_ + (i_4_ * dx_stride_i_)) + start_2) + (at_2 * dx_stride_n0_));
                    const long begin_3 = max(0L, i_4_ + 1L);
                    const long many_2 = max(size_i_ - begin_3, 0L);
                    own_total_5 = (float16)(0.0f);
                    own_rest_5 = (float16)(0.0f);
                    const long count_4 = many_2;
                    for (long run_3 = 0; run_3 < ((count_4 + 255L) >> 8); ++run_3) {
                        own_run_sum_5 = (float16)(0.0f);
                        for (long i_5_ = 0; i_5_ < min(count_4 - (run_3 * 256L), 256L); ++i_5_) {
                            const long at_4 = i_5_ + (run_3 * 256L);
                            const long i_6_ = at_4 + begin_3;
                            const float16 state_2_value_5_ = load_floats(state_2_ + ((state_2_1_offset_ + (i_6_ * state_2_1_stride_i_copy_)) + start_2) + (at_2 * state_2_1_stride_n0_));
                            own_run_sum_5 = own_run_sum_5 + ((i_4_ < i_6_) ? (-(state_2_value_5_ * (float16)(a_[((a_offset_ + i_4_) + (i_6_ * a_stride_i_copy_)) + (at_2 * a_stride_n0_)]))) : (float16)(0.0f));
                        }
                        const float16 before_5 = own_total_5;
                        const float16 part_5 = own_run_sum_5;
                        const float16 after_5 = before_5 + part_5;
                        const float16 arrived_5 = after_5 - before_5;
                        own_rest_5 = own_rest_5 + ((before_5 - (after_5 - arrived_5)) + (part_5 - arrived_5));
                        own_total_5 = after_5;
                    }
                    const float16 total_5 = own_total_5 + ((isfinite(own_rest_5)) ? own_rest_5 : (float16)(0.0f));
                    store_floats(dx_value_5_ + total_5, state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_4_ * state_1_stride_i_)) + start_2);
                    const float16 state_1_value_2_ = load_floats(state_1_ + ((state_1_offset_ + (i_4_ * state_1_1_stride_i_)) + start_2) + (at_2 * state_1_1_stride_n0_));
                    store_floats(state_1_value_2_ / (float16)(a_[(a_offset_ + (i_4_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)]), state_2_ + ((state_2_1_offset_ + (at_2 * state_2_stride_n0_)) + (i_4_ * state_2_stride_i_)) + start_2);
                }
            }
            for (long left = 0; left < ((count_2 & 63L) & 15L); ++left) {
                const long m_ = ((first_2 + ((count_2 >> 6) * 64L)) + (vectors * 16L)) + left;
                for (long step_4 = 0; step_4 < size_i_; ++step_4) {
                    const long i_7_ = (size_i_ - 1L) - step_4;
                    const long begin_4 = max(0L, i_7_ + 1L);
                    const long many_3 = max(size_i_ - begin_4, 0L);
                    own_total_6 = 0.0f;
                    own_rest_6 = 0.0f;
                    const long count_5 = many_3;
                    for (long run_4 = 0; run_4 < ((count_5 + 255L) >> 8); ++run_4) {
                        own_run_sum_6 = 0.0f;
                        for (long i_8_ = 0; i_8_ < min(count_5 - (run_4 * 256L), 256L); ++i_8_) {
                            const long at_5 = i_8_ + (run_4 * 256L);
                            const long i_9_ = at_5 + begin_4;
                            own_run_sum_6 = own_run_sum_6 + ((i_7_ < i_9_) ? (-(state_2_[((state_2_1_offset_ + (i_9_ * state_2_1_stride_i_copy_)) + m_) + (at_2 * state_2_1_stride_n0_)] * a_[((a_offset_ + i_7_) + (i_9_ * a_stride_i_copy_)) + (at_2 * a_stride_n0_)])) : 0.0f);
                        }
                        const float before_6 = own_total_6;
                        const float part_6 = own_run_sum_6;
                        const float after_6 = before_6 + part_6;
                        const float arrived_6 = after_6 - before_6;
                        own_rest_6 = own_rest_6 + ((before_6 - (after_6 - arrived_6)) + (part_6 - arrived_6));
                        own_total_6 = after_6;
                    }
                    const float total_6 = own_total_6 + ((isfinite(own_rest_6)) ? own_rest_6 : 0.0f);
                    state_1_[((state_1_offset_ + (at_2 * state_1_stride_n0_)) + (i_7_ * state_1_stride_i_)) + m_] = dx_[((dx_offset_ + (i_7_ * dx_stride_i_)) + m_) + (at_2 * dx_stride_n0_)] + total_6;
                    state_2_[((state_2_1_offset_ + (at_2 * state_2_stride_n0_)) + (i_7_ * state_2_stride_i_)) + m_] = state_1_[((state_1_offset_ + (i_7_ * state_1_1_stride_i_)) + m_) + (at_2 * state_1_1_stride_n0_)] / a_[(a_offset_ + (i_7_ * a_2_stride_i_)) + (at_2 * a_2_stride_n0_)];
                }
            }
        }
    }
}

__kernel void solve_triangular_grad_a_b_1__kernel(
    __global const float *dx_,
    __global float *state_2_,
    __global const float *a_,
    __global float *state_1_,
    const long size_n0_,
    const long size_m_,
    const long block_of_m_,
    const long units,
    const long chunk,
    const long size_i_,
    const long dx_offset_,
    const long dx_stride_i_,
    const long dx_stride_n0_,
    const long state_2_1_offset_,
    const long state_2_1_stride_i_copy_,
    const long state_2_1_stride_n0_,
    const long a_offset_,
    const long a_stride_i_copy_,
    const long a_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_n0_,
    const long state_1_stride_i_,
    const long state_1_1_stride_i_,
    const long state_1_1_stride_n0_,
    const long a_2_stride_i_,
    const long a_2_stride_n0_,
    const long state_2_stride_n0_,
    const long state_2_stride_i_) {
    solve_triangular_grad_a_b_1__item(dx_, state_2_, a_, state_1_, size_n0_, size_m_, block_of_m_, units, chunk, size_i_, dx_offset_, dx_stride_i_, dx_stride_n0_, state_2_1_offset_, state_2_1_stride_i_copy_, state_2_1_stride_n0_, a_offset_, a_stride_i_copy_, a_stride_n0_, state_1_offset_, state_1_stride_n0_, state_1_stride_i_, state_1_1_stride_i_, state_1_1_stride_n0_, a_2_stride_i_, a_2_stride_n0_, state_2_stride_n0_, state_2_stride_i_, get_global_id(0));
}


// solve_triangular_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, j] = sum[m](i == j ? -(x[n0, i, m] / a[n0, i, i] * state.1[n0, i, m]) : 0)
//         + sum[m](j < i ? -(state.1[n0, i, m] / a[n0, i, i] * x[n0, j, m]) : 0)
__attribute__((noinline)) void solve_triangular_grad_a_b_2__item(
    __global const float *x_,
    __global const float *a_,
    __global const float *state_1_,
    __global float *grad_a_,
    const long size_i_,
    const long size_j_,
    const long units,
    const long chunk,
    const long size_m_,
    const long x_offset_,
    const long x_stride_i_,
    const long x_stride_n0_,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_i_,
    const long state_1_stride_n0_,
    const long x_2_stride_j_,
    const long x_2_stride_n0_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long item) {
    float own_total;
    float own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_i_ * size_j_);
    for (long run = 0; run < ((((begin + count) + ((size_i_ * size_j_) - 1L)) / (size_i_ * size_j_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_i_ * size_j_)), 0L);
        const long many = min((begin + count) - (at * (size_i_ * size_j_)), size_i_ * size_j_) - start;
        const long first_2 = start / size_j_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_j_ - 1L)) / size_j_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_j_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_j_), size_j_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                own_total = 0.0f;
                own_total_2 = 0.0f;
                own_total_3 = (float16)(0.0f);
                own_total_4 = (float16)(0.0f);
                const int is = at_2 == at_3;
                const float a_value_ = a_[(a_offset_ + (at_2 * a_stride_i_)) + (at * a_stride_n0_)];
                const int is_2 = at_3 < at_2;
                const long vectors = size_m_ >> 4;
                for (long vector = 0; vector < vectors; ++vector) {
                    const long start_3 = vector * 16L;
                    const float16 x_value_ = load_floats(x_ + ((x_offset_ + (at_2 * x_stride_i_)) + start_3) + (at * x_stride_n0_));
                    const float16 state_1_value_ = load_floats(state_1_ + ((state_1_offset_ + (at_2 * state_1_stride_i_)) + start_3) + (at * state_1_stride_n0_));
                    const float16 x_value_2_ = load_floats(x_ + ((x_offset_ + (at_3 * x_2_stride_j_)) + start_3) + (at * x_2_stride_n0_));
                    own_total_3 = own_total_3 + (is ? (-((x_value_ / (float16)(a_value_)) * state_1_value_)) : (float16)(0.0f));
                    own_total_4 = own_total_4 + (is_2 ? (-((state_1_value_ / (float16)(a_value_)) * x_value_2_)) : (float16)(0.0f));
                }
                for (long left = 0; left < (size_m_ & 15L); ++left) {
                    const long m_ = (vectors * 16L) + left;
                    const float state_1_value_2_ = state_1_[((state_1_offset_ + (at_2 * state_1_stride_i_)) + m_) + (at * state_1_stride_n0_)];
                    own_total = own_total + (is ? (-((x_[((x_offset_ + (at_2 * x_stride_i_)) + m_) + (at * x_stride_n0_)] / a_value_) * state_1_value_2_)) : 0.0f);
                    own_total_2 = own_total_2 + (is_2 ? (-((state_1_value_2_ / a_value_) * x_[((x_offset_ + (at_3 * x_2_stride_j_)) + m_) + (at * x_2_stride_n0_)])) : 0.0f);
                }
                const float folded = fold_sum_float16(own_total_3);
                own_total = own_total + folded;
                const float folded_2 = fold_sum_float16(own_total_4);
                own_total_2 = own_total_2 + folded_2;
                const float total = own_total;
                const float total_2 = own_total_2;
                grad_a_[((grad_a_offset_ + (at * grad_a_stride_n0_)) + (at_2 * grad_a_stride_i_)) + at_3] = total + total_2;
            }
        }
    }
}

// solve_triangular_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, i, m] = state.1[n0, i, m] / a[n0, i, i]
__attribute__((noinline)) void solve_triangular_grad_a_b_3__item(
    __global const float *state_1_,
    __global const float *a_,
    __global float *grad_b_,
    const long block_of_m_,
    const long size_n0_,
    const long size_i_,
    const long size_m_,
    const long units,
    const long chunk,
    const long state_1_offset_,
    const long state_1_stride_i_,
    const long state_1_stride_n0_,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_i_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_n0_ * size_i_);
    for (long run = 0; run < ((((begin + count) + ((size_n0_ * size_i_) - 1L)) / (size_n0_ * size_i_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_n0_ * size_i_)), 0L);
        const long many = min((begin + count) - (at * (size_n0_ * size_i_)), size_n0_ * size_i_) - start;
        const long first_2 = start / size_i_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_i_ - 1L)) / size_i_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_i_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_i_), size_i_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long begin_of_part = at * block_of_m_;
                const long count_of_part = min(block_of_m_, size_m_ - (at * block_of_m_));
                const float a_value_ = a_[(a_offset_ + (at_3 * a_stride_i_)) + (at_2 * a_stride_n0_)];
                const long vectors = count_of_part >> 4;
                for (long vector = 0; vector < vectors; ++vector) {
                    const long start_3 = begin_of_part + (vector * 16L);
                    const float16 state_1_value_ = load_floats(state_1_ + ((state_1_offset_ + (at_3 * state_1_stride_i_)) + start_3) + (at_2 * state_1_stride_n0_));
                    store_floats(state_1_value_ / (float16)(a_value_), grad_b_ + ((grad_b_offset_ + (at_2 * grad_b_stride_n0_)) + (at_3 * grad_b_stride_i_)) + start_3);
                }
                for (long left = 0; left < (count_of_part & 15L); ++left) {
                    const long m_ = (begin_of_part + (vectors * 16L)) + left;
                    grad_b_[((grad_b_offset_ + (at_2 * grad_b_stride_n0_)) + (at_3 * grad_b_stride_i_)) + m_] = state_1_[((state_1_offset_ + (at_3 * state_1_stride_i_)) + m_) + (at_2 * state_1_stride_n0_)] / a_value_;
                }
            }
        }
    }
}

__kernel void solve_triangular_grad_a_b_2__kernel(
    __global const float *x_,
    __global const float *a_,
    __global const float *state_1_,
    __global float *grad_a_,
    const long size_i_,
    const long size_j_,
    const long units,
    const long chunk,
    const long size_m_,
    const long x_offset_,
    const long x_stride_i_,
    const long x_stride_n0_,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long state_1_offset_,
    const long state_1_stride_i_,
    const long state_1_stride_n0_,
    const long x_2_stride_j_,
    const long x_2_stride_n0_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long items,
    __global float *grad_b_of_2_,
    const long block_of_m_of_2_,
    const long size_n0_of_2_,
    const long size_i_of_2_,
    const long size_m_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long state_1_stride_i_of_2_,
    const long state_1_stride_n0_of_2_,
    const long a_stride_i_of_2_,
    const long a_stride_n0_of_2_,
    const long grad_b_offset_of_2_,
    const long grad_b_stride_n0_of_2_,
    const long grad_b_stride_i_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        solve_triangular_grad_a_b_2__item(x_, a_, state_1_, grad_a_, size_i_, size_j_, units, chunk, size_m_, x_offset_, x_stride_i_, x_stride_n0_, a_offset_, a_stride_i_, a_stride_n0_, state_1_offset_, state_1_stride_i_, state_1_stride_n0_, x_2_stride_j_, x_2_stride_n0_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, first_0 + item);
    } else {
        item -= count_0;
        solve_triangular_grad_a_b_3__item(state_1_, a_, grad_b_of_2_, block_of_m_of_2_, size_n0_of_2_, size_i_of_2_, size_m_of_2_, units_of_2, chunk_of_2, state_1_offset_, state_1_stride_i_of_2_, state_1_stride_n0_of_2_, a_offset_, a_stride_i_of_2_, a_stride_n0_of_2_, grad_b_offset_of_2_, grad_b_stride_n0_of_2_, grad_b_stride_i_of_2_, first_1 + item);
    }
}
