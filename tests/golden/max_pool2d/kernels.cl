// max_pool2d (kernels_dsl/convolution.netcl)
//     y[n, c, p, q] = a function of x with max[r, s]
//     k[n, c, p, q] = a function of x with argmax[r, s]
__attribute__((noinline)) void max_pool2d__item(
    __global float *y_,
    __global long *k_,
    __global const float *x_,
    const long chunk,
    const long units,
    const long blocks,
    const long size_p_,
    const long size_q_,
    const long block_n_c_,
    const long size_n_c_,
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
    const long x_stride_n_c_,
    const long x_stride_p_,
    const long x_stride_q_,
    const long x_stride_r_,
    const long y_offset_,
    const long y_stride_n_c_,
    const long y_stride_p_,
    const long k_offset_,
    const long k_stride_n_c_,
    const long k_stride_p_,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long q_ = begin % size_q_;
    long p_ = begin / size_q_ % size_p_;
    long n_c_block_ = begin / size_q_ / size_p_;
    for (long unit = begin; unit < end; ++unit) {
        const long n_c__begin = n_c_block_ * block_n_c_;
        const long n_c__end = min(n_c__begin + block_n_c_, size_n_c_);
        const long at = p_ * stride_0_;
        const long at_3 = q_ * stride_1_;
        {
            long n_c_ = n_c__begin;
            for (; n_c_ + 16 <= n_c__end; n_c_ += 16) {
                float16 max_r_s_ = (float16)((-INFINITY));
                int16 max_r_s__nan = 0;
                float16 argmax_r_s__best = (float16)((-INFINITY));
                long16 argmax_r_s_ = 0;
                for (long r_ = 0; r_ < size_r_; ++r_) {
                    const long at_2 = ((dilation_0_ * r_) + at) - padding_0_;
                    const int is = (0L <= at_2) && (at_2 < size_i_);
                    for (long s_ = 0; s_ < size_s_; ++s_) {
                        const long at_4 = ((dilation_1_ * s_) + at_3) - padding_1_;
                        const int is_2 = (is && (0L <= at_4)) && (at_4 < size_j_);
                        const long x_at_ = x_offset_ + n_c_ * x_stride_n_c_ + p_ * x_stride_p_ + q_ * x_stride_q_ + r_ * x_stride_r_ + s_;
                        float16 x_value_ = 0.0f;
                        if (is_2) x_value_ = (float16)(x_[x_at_], x_[x_at_ + x_stride_n_c_], x_[x_at_ + 2 * x_stride_n_c_], x_[x_at_ + 3 * x_stride_n_c_], x_[x_at_ + 4 * x_stride_n_c_], x_[x_at_ + 5 * x_stride_n_c_], x_[x_at_ + 6 * x_stride_n_c_], x_[x_at_ + 7 * x_stride_n_c_], x_[x_at_ + 8 * x_stride_n_c_], x_[x_at_ + 9 * x_stride_n_c_], x_[x_at_ + 10 * x_stride_n_c_], x_[x_at_ + 11 * x_stride_n_c_], x_[x_at_ + 12 * x_stride_n_c_], x_[x_at_ + 13 * x_stride_n_c_], x_[x_at_ + 14 * x_stride_n_c_], x_[x_at_ + 15 * x_stride_n_c_]);
                        const float16 t = is_2 ? x_value_ : (float16)(-INFINITY);
                        const float16 max_r_s__value = t;
                        max_r_s__nan |= max_r_s__value != max_r_s__value;
                        max_r_s_ = max_r_s_ > max_r_s__value ? max_r_s_ : max_r_s__value;
                        const float16 argmax_r_s__value = t;
                        const int16 argmax_r_s__better = (argmax_r_s__value > argmax_r_s__best) | (isnan(argmax_r_s__value) & ~isnan(argmax_r_s__best));
                        argmax_r_s__best = argmax_r_s__better ? argmax_r_s__value : argmax_r_s__best;
                        argmax_r_s_ = convert_long16(argmax_r_s__better) ? (r_) * size_s_ + s_ : argmax_r_s_;
                    }
                }
                const float16 max_r_s_total_ = max_r_s__nan ? (float16)(NAN) : max_r_s_;
                const long y_at_ = y_offset_ + n_c_ * y_stride_n_c_ + p_ * y_stride_p_ + q_;
                y_[y_at_ + 0 * y_stride_n_c_] = max_r_s_total_.s0;
                y_[y_at_ + 1 * y_stride_n_c_] = max_r_s_total_.s1;
                y_[y_at_ + 2 * y_stride_n_c_] = max_r_s_total_.s2;
                y_[y_at_ + 3 * y_stride_n_c_] = max_r_s_total_.s3;
                y_[y_at_ + 4 * y_stride_n_c_] = max_r_s_total_.s4;
                y_[y_at_ + 5 * y_stride_n_c_] = max_r_s_total_.s5;
                y_[y_at_ + 6 * y_stride_n_c_] = max_r_s_total_.s6;
                y_[y_at_ + 7 * y_stride_n_c_] = max_r_s_total_.s7;
                y_[y_at_ + 8 * y_stride_n_c_] = max_r_s_total_.s8;
                y_[y_at_ + 9 * y_stride_n_c_] = max_r_s_total_.s9;
                y_[y_at_ + 10 * y_stride_n_c_] = max_r_s_total_.sa;
                y_[y_at_ + 11 * y_stride_n_c_] = max_r_s_total_.sb;
                y_[y_at_ + 12 * y_stride_n_c_] = max_r_s_total_.sc;
                y_[y_at_ + 13 * y_stride_n_c_] = max_r_s_total_.sd;
                y_[y_at_ + 14 * y_stride_n_c_] = max_r_s_total_.se;
                y_[y_at_ + 15 * y_stride_n_c_] = max_r_s_total_.sf;
                const long k_at_ = k_offset_ + n_c_ * k_stride_n_c_ + p_ * k_stride_p_ + q_;
                k_[k_at_ + 0 * k_stride_n_c_] = argmax_r_s_.s0;
                k_[k_at_ + 1 * k_stride_n_c_] = argmax_r_s_.s1;
                k_[k_at_ + 2 * k_stride_n_c_] = argmax_r_s_.s2;
                k_[k_at_ + 3 * k_stride_n_c_] = argmax_r_s_.s3;
                k_[k_at_ + 4 * k_stride_n_c_] = argmax_r_s_.s4;
                k_[k_at_ + 5 * k_stride_n_c_] = argmax_r_s_.s5;
                k_[k_at_ + 6 * k_stride_n_c_] = argmax_r_s_.s6;
                k_[k_at_ + 7 * k_stride_n_c_] = argmax_r_s_.s7;
                k_[k_at_ + 8 * k_stride_n_c_] = argmax_r_s_.s8;
                k_[k_at_ + 9 * k_stride_n_c_] = argmax_r_s_.s9;
                k_[k_at_ + 10 * k_stride_n_c_] = argmax_r_s_.sa;
                k_[k_at_ + 11 * k_stride_n_c_] = argmax_r_s_.sb;
                k_[k_at_ + 12 * k_stride_n_c_] = argmax_r_s_.sc;
                k_[k_at_ + 13 * k_stride_n_c_] = argmax_r_s_.sd;
                k_[k_at_ + 14 * k_stride_n_c_] = argmax_r_s_.se;
                k_[k_at_ + 15 * k_stride_n_c_] = argmax_r_s_.sf;
            }
            for (; n_c_ < n_c__end; ++n_c_) {
                float max_r_s_2_ = (-INFINITY);
                int max_r_s_2__nan = 0;
                float argmax_r_s_2__best = (-INFINITY);
                long argmax_r_s_2_ = 0;
                for (long r_ = 0; r_ < size_r_; ++r_) {
                    const long at_5 = ((dilation_0_ * r_) + at) - padding_0_;
                    const int is_3 = (0L <= at_5) && (at_5 < size_i_);
                    for (long s_ = 0; s_ < size_s_; ++s_) {
                        const long at_6 = ((dilation_1_ * s_) + at_3) - padding_1_;
                        const int is_4 = (is_3 && (0L <= at_6)) && (at_6 < size_j_);
                        const float x_value_2_ = is_4 ? x_[x_offset_ + n_c_ * x_stride_n_c_ + p_ * x_stride_p_ + q_ * x_stride_q_ + r_ * x_stride_r_ + s_] : 0.0f;
                        const float t_2 = is_4 ? x_value_2_ : (-INFINITY);
                        const float max_r_s_2__value = t_2;
                        max_r_s_2__nan |= max_r_s_2__value != max_r_s_2__value;
                        max_r_s_2_ = max_r_s_2_ > max_r_s_2__value ? max_r_s_2_ : max_r_s_2__value;
                        const float argmax_r_s_2__value = t_2;
                        if (argmax_r_s_2__value > argmax_r_s_2__best || (isnan(argmax_r_s_2__value) && !isnan(argmax_r_s_2__best))) {
                            argmax_r_s_2__best = argmax_r_s_2__value;
                            argmax_r_s_2_ = (r_) * size_s_ + s_;
                        }
                    }
                }
                const float max_r_s_2_total_ = or_nan_float(max_r_s_2_, max_r_s_2__nan);
                y_[y_offset_ + n_c_ * y_stride_n_c_ + p_ * y_stride_p_ + q_] = max_r_s_2_total_;
                k_[k_offset_ + n_c_ * k_stride_n_c_ + p_ * k_stride_p_ + q_] = argmax_r_s_2_;
            }
        }
        if (++q_ == size_q_) {
            q_ = 0;
            if (++p_ == size_p_) {
                p_ = 0;
                ++n_c_block_;
            }
        }
    }
}

__kernel void max_pool2d__kernel(
    __global float *y_,
    __global long *k_,
    __global const float *x_,
    const long chunk,
    const long units,
    const long blocks,
    const long size_p_,
    const long size_q_,
    const long block_n_c_,
    const long size_n_c_,
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
    const long x_stride_n_c_,
    const long x_stride_p_,
    const long x_stride_q_,
    const long x_stride_r_,
    const long y_offset_,
    const long y_stride_n_c_,
    const long y_stride_p_,
    const long k_offset_,
    const long k_stride_n_c_,
    const long k_stride_p_) {
    max_pool2d__item(y_, k_, x_, chunk, units, blocks, size_p_, size_q_, block_n_c_, size_n_c_, size_r_, size_s_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_n_c_, x_stride_p_, x_stride_q_, x_stride_r_, y_offset_, y_stride_n_c_, y_stride_p_, k_offset_, k_stride_n_c_, k_stride_p_, get_global_id(0));
}


// max_pool2d_grad (kernels_dsl/convolution.netcl)
//     grad_x[n, c, i, j] = sum[p, q](i == k[n, c, p, q] // size[s] * dilation.0
//         + p * stride.0 - padding.0 and j == k[n, c, p, q] % size[s] * dilation.1 + q * stride.1 - padding.1 ? dy[n, c, p, q] : 0)
__attribute__((noinline)) void max_pool2d_grad__item(
    __global float *grad_x_,
    __global const long *k_,
    __global const float *dy_,
    const long size_i_,
    const long size_j_,
    const long grad_x_offset_,
    const long grad_x_stride_n_c_,
    const long grad_x_stride_i_,
    const long k_offset_,
    const long k_stride_n_c_,
    const long k_stride_p_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long dy_offset_,
    const long dy_stride_n_c_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long first_row = unit % row_blocks * rows_per_block, end_row = min(first_row + rows_per_block, size_i_);
        const long n_c_ = unit / row_blocks;
        const long begin_value = 0, end_value = size_p_ * size_q_;
        for (long i_ = first_row; i_ < end_row; ++i_) {
            {
                long j_ = 0;
                for (; j_ + 16 <= size_j_; j_ += 16) {
                    store_floats((float16)(0.0f), grad_x_ + grad_x_offset_ + n_c_ * grad_x_stride_n_c_ + i_ * grad_x_stride_i_ + j_);
                }
                for (; j_ < size_j_; ++j_) {
                    grad_x_[grad_x_offset_ + n_c_ * grad_x_stride_n_c_ + i_ * grad_x_stride_i_ + j_] = 0.0f;
                }
            }
        }
        long q_ = (begin_value) % size_q_;
        long p_ = (begin_value) / size_q_;
        for (long value_number = begin_value; value_number < end_value; ++value_number) {
            const long k_value_ = k_[k_offset_ + n_c_ * k_stride_n_c_ + p_ * k_stride_p_ + q_];
            const long at = as_long((as_ulong(floor_div_long(k_value_, size_s_)) * as_ulong(dilation_0_)) + as_ulong(p_ * stride_0_));
            const long i_ = as_long(as_ulong(at) - as_ulong(padding_0_));
            const long at_2 = as_long((as_ulong(mod_long(k_value_, size_s_)) * as_ulong(dilation_1_)) + as_ulong(q_ * stride_1_));
            const long j_ = as_long(as_ulong(at_2) - as_ulong(padding_1_));
            if ((i_ >= first_row) & (i_ < end_row) && (j_ >= 0) & (j_ < size_j_)) {
                grad_x_[grad_x_offset_ + n_c_ * grad_x_stride_n_c_ + i_ * grad_x_stride_i_ + j_] += dy_[dy_offset_ + n_c_ * dy_stride_n_c_ + p_ * dy_stride_p_ + q_];
            }
            if (++q_ == size_q_) {
                q_ = 0;
                ++p_;
            }
        }
    }
}

__kernel void max_pool2d_grad__kernel(
    __global float *grad_x_,
    __global const long *k_,
    __global const float *dy_,
    const long size_i_,
    const long size_j_,
    const long grad_x_offset_,
    const long grad_x_stride_n_c_,
    const long grad_x_stride_i_,
    const long k_offset_,
    const long k_stride_n_c_,
    const long k_stride_p_,
    const long size_s_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long dy_offset_,
    const long dy_stride_n_c_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block) {
    max_pool2d_grad__item(grad_x_, k_, dy_, size_i_, size_j_, grad_x_offset_, grad_x_stride_n_c_, grad_x_stride_i_, k_offset_, k_stride_n_c_, k_stride_p_, size_s_, dilation_0_, stride_0_, padding_0_, dilation_1_, stride_1_, padding_1_, dy_offset_, dy_stride_n_c_, dy_stride_p_, size_q_, size_p_, chunk, units, row_blocks, rows_per_block, get_global_id(0));
}
