// max_pool2d (kernels_dsl/convolution.netcl)
//     y[n0, c, p, q] = a function of x with max[r, s]
//     k[n0, c, p, q] = a function of x with argmax[r, s]
__attribute__((noinline)) void max_pool2d__item(
    __global const float *x_,
    __global float *y_,
    __global long *k_,
    const long block_of_n0_,
    const long size_p_,
    const long size_q_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_r_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_q_,
    const long x_stride_r_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_p_,
    const long k_offset_,
    const long k_stride_n0_,
    const long k_stride_p_,
    const long item) {
    float own_total;
    int own_is_nan;
    float own_total_2;
    long own_first;
    float16 own_total_3;
    int16 own_is_nan_2;
    float16 own_total_4;
    long16 own_first_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_p_ * size_q_);
    for (long run = 0; run < ((((begin + count) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_p_ * size_q_)), 0L);
        const long many = min((begin + count) - (at * (size_p_ * size_q_)), size_p_ * size_q_) - start;
        const long first_2 = start / size_q_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_q_ - 1L)) / size_q_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_q_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_q_), size_q_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long begin_of_part = at * block_of_n0_;
                const long count_of_part = min(block_of_n0_, size_n0_ - (at * block_of_n0_));
                const long value = at_2 * stride_0_;
                const long value_2 = at_3 * stride_1_;
                if (count_of_part < 16L) {
                    for (long left = 0; left < count_of_part; ++left) {
                        const long n0_ = begin_of_part + left;
                        own_total = -INFINITY;
                        own_is_nan = 0;
                        own_total_2 = -INFINITY;
                        own_first = 0L;
                        for (long r_ = 0; r_ < size_r_; ++r_) {
                            const long value_3 = as_long((as_ulong(dilation_0_ * r_) + as_ulong(value)) - as_ulong(padding_0_));
                            const int is = (0L <= value_3) & (value_3 < size_i_);
                            const long count_2 = size_s_;
                            for (long s_ = 0; s_ < count_2; ++s_) {
                                const long value_4 = as_long((as_ulong(dilation_1_ * s_) + as_ulong(value_2)) - as_ulong(padding_1_));
                                const int is_2 = (is & (0L <= value_4)) & (value_4 < size_j_);
                                const float value_5 = is_2 ? x_[((((x_offset_ + (n0_ * x_stride_n0_)) + (at_2 * x_stride_p_)) + (at_3 * x_stride_q_)) + (r_ * x_stride_r_)) + s_] : (-INFINITY);
                                own_is_nan = own_is_nan | (value_5 != value_5);
                                own_total = (own_total > value_5) ? own_total : value_5;
                                if ((value_5 > own_total_2) || ((value_5 != value_5) && (!(own_total_2 != own_total_2)))) {
                                    own_total_2 = value_5;
                                    own_first = (r_ * size_s_) + s_;
                                }
                            }
                        }
                        const float total = or_nan_float(own_total, own_is_nan);
                        const long total_2 = own_first;
                        y_[((y_offset_ + (n0_ * y_stride_n0_)) + (at_2 * y_stride_p_)) + at_3] = total;
                        k_[((k_offset_ + (n0_ * k_stride_n0_)) + (at_2 * k_stride_p_)) + at_3] = total_2;
                    }
                }
                if (!(count_of_part < 16L)) {
                    for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                        const long start_3 = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                        own_total_3 = (float16)(-INFINITY);
                        own_is_nan_2 = (int16)(-(0));
                        own_total_4 = (float16)(-INFINITY);
                        own_first_2 = (long16)(0L);
                        for (long r_2_ = 0; r_2_ < size_r_; ++r_2_) {
                            const long value_6 = as_long((as_ulong(dilation_0_ * r_2_) + as_ulong(value)) - as_ulong(padding_0_));
                            const int is_3 = (0L <= value_6) && (value_6 < size_i_);
                            const long count_3 = size_s_;
                            for (long s_2_ = 0; s_2_ < count_3; ++s_2_) {
                                const long value_7 = as_long((as_ulong(dilation_1_ * s_2_) + as_ulong(value_2)) - as_ulong(padding_1_));
                                const int is_4 = (is_3 && (0L <= value_7)) && (value_7 < size_j_);
                                float16 value_8 = 0.0f;
                                if (is_4) value_8 = load_floats_apart(x_ + ((((x_offset_ + (x_stride_n0_ * start_3)) + (at_2 * x_stride_p_)) + (at_3 * x_stride_q_)) + (r_2_ * x_stride_r_)) + s_2_, x_stride_n0_);
                                const float16 value_9 = is_4 ? value_8 : (float16)(-INFINITY);
                                own_is_nan_2 = own_is_nan_2 | (value_9 != value_9);
                                own_total_3 = (own_total_3 > value_9) ? own_total_3 : value_9;
                                const int16 better = (value_9 > own_total_4) | ((value_9 != value_9) & (~(own_total_4 != own_total_4)));
                                own_total_4 = better ? value_9 : own_total_4;
                                own_first_2 = convert_long16(better) ? (long16)((r_2_ * size_s_) + s_2_) : own_first_2;
                            }
                        }
                        const float16 total_3 = own_is_nan_2 ? (float16)(NAN) : own_total_3;
                        const long16 total_4 = own_first_2;
                        store_floats_apart(total_3, y_ + ((y_offset_ + (y_stride_n0_ * start_3)) + (at_2 * y_stride_p_)) + at_3, y_stride_n0_);
                        store_longs_apart(total_4, k_ + ((k_offset_ + (k_stride_n0_ * start_3)) + (at_2 * k_stride_p_)) + at_3, k_stride_n0_);
                    }
                }
            }
        }
    }
}

__kernel void max_pool2d__kernel(
    __global const float *x_,
    __global float *y_,
    __global long *k_,
    const long block_of_n0_,
    const long size_p_,
    const long size_q_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_r_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_q_,
    const long x_stride_r_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_p_,
    const long k_offset_,
    const long k_stride_n0_,
    const long k_stride_p_) {
    max_pool2d__item(x_, y_, k_, block_of_n0_, size_p_, size_q_, size_n0_, units, chunk, size_r_, size_s_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_n0_, x_stride_p_, x_stride_q_, x_stride_r_, y_offset_, y_stride_n0_, y_stride_p_, k_offset_, k_stride_n0_, k_stride_p_, get_global_id(0));
}


// max_pool2d_grad (kernels_dsl/convolution.netcl)
//     grad_x[n0, c, i, j] = sum[p, q](i == k[n0, c, p, q] // size[s] * dilation.0
//         + p * stride.0 - padding.0 and j == k[n0, c, p, q] % size[s] * dilation.1 + q * stride.1 - padding.1 ? dy[n0, c, p, q] : 0)
__attribute__((noinline)) void max_pool2d_grad__item(
    __global float *grad_x_,
    __global const long *k_,
    __global const float *dy_,
    const long size_p_,
    const long size_q_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long grad_x_offset_,
    const long grad_x_stride_n0_,
    const long grad_x_stride_i_,
    const long k_offset_,
    const long k_stride_n0_,
    const long k_stride_p_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_p_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        for (long left = 0; left < size_i_; ++left) {
            const long i_ = left;
            const long vectors = size_j_ >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = vector * 16L;
                store_floats((float16)(0.0f), grad_x_ + ((grad_x_offset_ + (unit * grad_x_stride_n0_)) + (i_ * grad_x_stride_i_)) + start);
            }
            for (long left_2 = 0; left_2 < (size_j_ & 15L); ++left_2) {
                const long j_ = (vectors * 16L) + left_2;
                grad_x_[((grad_x_offset_ + (unit * grad_x_stride_n0_)) + (i_ * grad_x_stride_i_)) + j_] = 0.0f;
            }
        }
        const long first = floor_div_long(0L, size_q_);
        for (long run = 0; run < (floor_div_long((size_p_ * size_q_) + (size_q_ - 1L), size_q_) - first); ++run) {
            const long at = first + run;
            const long start_2 = max(0L - (at * size_q_), 0L);
            for (long step_2 = 0; step_2 < (min((size_p_ * size_q_) - (at * size_q_), size_q_) - start_2); ++step_2) {
                const long at_2 = start_2 + step_2;
                const long k_value_ = k_[((k_offset_ + (unit * k_stride_n0_)) + (at * k_stride_p_)) + at_2];
                const long row = as_long(((as_ulong(floor_div_long(k_value_, size_s_)) * as_ulong(dilation_0_)) + (as_ulong(at) * as_ulong(stride_0_))) - as_ulong(padding_0_));
                const long row_2 = as_long(((as_ulong(mod_long(k_value_, size_s_)) * as_ulong(dilation_1_)) + (as_ulong(at_2) * as_ulong(stride_1_))) - as_ulong(padding_1_));
                if ((as_ulong(row) < as_ulong(size_i_)) & (as_ulong(row_2) < as_ulong(size_j_))) {
                    const long i_2_ = row;
                    const long j_2_ = row_2;
                    grad_x_[((grad_x_offset_ + (unit * grad_x_stride_n0_)) + (i_2_ * grad_x_stride_i_)) + j_2_] = grad_x_[((grad_x_offset_ + (unit * grad_x_stride_n0_)) + (i_2_ * grad_x_stride_i_)) + j_2_] + dy_[((dy_offset_ + (unit * dy_stride_n0_)) + (at * dy_stride_p_)) + at_2];
                }
            }
        }
    }
}

__kernel void max_pool2d_grad__kernel(
    __global float *grad_x_,
    __global const long *k_,
    __global const float *dy_,
    const long size_p_,
    const long size_q_,
    const long units,
    const long chunk,
    const long size_i_,
    const long size_j_,
    const long grad_x_offset_,
    const long grad_x_stride_n0_,
    const long grad_x_stride_i_,
    const long k_offset_,
    const long k_stride_n0_,
    const long k_stride_p_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_p_) {
    max_pool2d_grad__item(grad_x_, k_, dy_, size_p_, size_q_, units, chunk, size_i_, size_j_, grad_x_offset_, grad_x_stride_n0_, grad_x_stride_i_, k_offset_, k_stride_n0_, k_stride_p_, size_s_, dilation_0_, stride_0_, padding_0_, dilation_1_, stride_1_, padding_1_, dy_offset_, dy_stride_n0_, dy_stride_p_, get_global_id(0));
}
