// conv2d (kernels_dsl/convolution.netcl)
//     y[n, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d_panels__right(
    __global float *conv2d_panels_,
    __global const float *x_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_n_ * size_p_ * size_q_) - line);
    for (long x = 0; x < exist; ++x) {
        const long q_ = (line + x) % size_q_;
        const long p_ = (line + x) / size_q_ % size_p_;
        const long n_ = (line + x) / size_q_ / size_p_;
        const long at_2 = p_ * stride_0_;
        const long at_4 = q_ * stride_1_;
        long s_ = (from) % size_s_;
        long r_ = (from) / size_s_ % size_r_;
        long c_ = (from) / size_s_ / size_r_;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = ((dilation_0_ * r_) + at_2) - padding_0_;
            const long at_5 = ((dilation_1_ * s_) + at_4) - padding_1_;
            const int is = (((0L <= at_3) && (at_3 < size_i_)) && (0L <= at_5)) && (at_5 < size_j_);
            const float x_value_ = is ? x_[x_offset_ + c_ * x_stride_c_ + n_ * x_stride_n_ + p_ * x_stride_p_ + q_ + r_ * x_stride_r_ + s_] : 0.0f;
            to[step * 32 + x] = is ? x_value_ : 0.0f;
            if (++s_ == size_s_) {
                s_ = 0;
                if (++r_ == size_r_) {
                    r_ = 0;
                    ++c_;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_panels__item(
    __global float *conv2d_panels_,
    __global const float *x_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_n_ * size_p_ * size_q_) + 31) / 32;
        const long chunks = max(1L, ((size_c_ * size_r_ * size_s_) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_c_ * size_r_ * size_s_) - from);
        conv2d_panels__right(conv2d_panels_, x_, size_n_, size_p_, size_q_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, size_s_, size_r_, size_c_, chunk, units, conv2d_panels_ + unit * 8192, column_tile * 32, from, steps);
    }
}

__kernel void conv2d_panels__kernel(
    __global float *conv2d_panels_,
    __global const float *x_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long chunk,
    const long units) {
    conv2d_panels__item(conv2d_panels_, x_, size_n_, size_p_, size_q_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, size_s_, size_r_, size_c_, chunk, units, get_global_id(0));
}


// conv2d (kernels_dsl/convolution.netcl)
//     y[n, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d__steps(
    __global float *y_,
    __global const float *w_,
    __global const float *x_,
    __global const float *b_,
    __global const float *conv2d_panels_,
    const long w_stride_c_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long size_f_,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n_,
    const long y_stride_f_,
    const long y_stride_p_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long s_ = (from) % size_s_;
    long r_ = (from) / size_s_ % size_r_;
    long c_ = (from) / size_s_ / size_r_;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = c_ * w_stride_c_ + r_ * w_stride_r_ + s_;
        if (++s_ == size_s_) {
            s_ = 0;
            if (++r_ == size_r_) {
                r_ = 0;
                ++c_;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d__left(
    __global float *y_,
    __global const float *w_,
    __global const float *x_,
    __global const float *b_,
    __global const float *conv2d_panels_,
    const long w_stride_c_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long size_f_,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n_,
    const long y_stride_f_,
    const long y_stride_p_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    float *to,
    const long *left_at,
    const int *left_run,
    const long first,
    const long count,
    const long from,
    const long steps) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_f_) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long f_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = w_offset_ + 0 + f_ * w_stride_f_;
                if (x + 1 < exist) {
                    ++f_;
                }
            }
        }
        for (int group = 0; group < 8; group += 8) {
            long step = 0;
            const long end = steps;
            if (group >= exist)
                for (; step < end; ++step) vstore8((float8)(0), 0, panel + step * 8 + group);
            while (step < end) {
                const long start = step - max(0, 8 - left_run[step]);
                if (start >= 0 && left_run[start] >= 8) {
                    float *block = panel + start * 8 + group;
                    const float8 r0 = vload8(0, w_ + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, w_ + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, w_ + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, w_ + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, w_ + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, w_ + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, w_ + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, w_ + begin[group + 7] + left_at[start]);
                    const float8 t0 = (float8)(r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5), t1 = (float8)(r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7);
                    const float8 t2 = (float8)(r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5), t3 = (float8)(r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7);
                    const float8 t4 = (float8)(r4.s0, r5.s0, r4.s1, r5.s1, r4.s4, r5.s4, r4.s5, r5.s5), t5 = (float8)(r4.s2, r5.s2, r4.s3, r5.s3, r4.s6, r5.s6, r4.s7, r5.s7);
                    const float8 t6 = (float8)(r6.s0, r7.s0, r6.s1, r7.s1, r6.s4, r7.s4, r6.s5, r7.s5), t7 = (float8)(r6.s2, r7.s2, r6.s3, r7.s3, r6.s6, r7.s6, r6.s7, r7.s7);
                    const float8 u0 = (float8)(t0.s01, t2.s01, t0.s45, t2.s45), u1 = (float8)(t0.s23, t2.s23, t0.s67, t2.s67);
                    const float8 u2 = (float8)(t1.s01, t3.s01, t1.s45, t3.s45), u3 = (float8)(t1.s23, t3.s23, t1.s67, t3.s67);
                    const float8 u4 = (float8)(t4.s01, t6.s01, t4.s45, t6.s45), u5 = (float8)(t4.s23, t6.s23, t4.s67, t6.s67);
                    const float8 u6 = (float8)(t5.s01, t7.s01, t5.s45, t7.s45), u7 = (float8)(t5.s23, t7.s23, t5.s67, t7.s67);
                    vstore8((float8)(u0.lo, u4.lo), 0, block + 0);
                    vstore8((float8)(u0.hi, u4.hi), 0, block + 32);
                    vstore8((float8)(u1.lo, u5.lo), 0, block + 8);
                    vstore8((float8)(u1.hi, u5.hi), 0, block + 40);
                    vstore8((float8)(u2.lo, u6.lo), 0, block + 16);
                    vstore8((float8)(u2.hi, u6.hi), 0, block + 48);
                    vstore8((float8)(u3.lo, u7.lo), 0, block + 24);
                    vstore8((float8)(u3.hi, u7.hi), 0, block + 56);
                    step = start + 8;
                } else {
                    for (int x = 0; x < 8; ++x)
                        panel[step * 8 + group + x] = w_[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) void conv2d__store(
    __global float *y_,
    __global const float *w_,
    __global const float *x_,
    __global const float *b_,
    __global const float *conv2d_panels_,
    const long w_stride_c_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long size_f_,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n_,
    const long y_stride_f_,
    const long y_stride_p_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_f_) - row);
    const long count = min(32L, (size_n_ * size_p_ * size_q_) - column);
    const long q_ = (column) % size_q_;
    const long p_ = (column) / size_q_ % size_p_;
    const long n_ = (column) / size_q_ / size_p_;
    const long n__first = n_;
    const long p__first = p_;
    const long q__first = q_;
    for (long line = 0; line < lines; ++line) {
        const long f_ = row + line;
        const float b_value_ = b_[b_offset_ + f_];
        long n_ = n__first;
        long p_ = p__first;
        long q_ = q__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_p_ * size_q_ - ((p_) * size_q_ + q_));
            for (; at + 16 <= run; at += 16, q_ += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals + (float16)(b_value_), y_ + y_offset_ + n_ * y_stride_n_ + f_ * y_stride_f_ + p_ * y_stride_p_ + q_);
            }
            for (; at < run; at += 1, q_ += 1) {
                const float total = sums[at];
                y_[y_offset_ + n_ * y_stride_n_ + f_ * y_stride_f_ + p_ * y_stride_p_ + q_] = total + b_value_;
            }
            if (at < end) {
                p_ = 0;
                q_ = 0;
                ++n_;
            }
        }
    }
}

__attribute__((noinline)) void conv2d__item(
    __global float *y_,
    __global const float *w_,
    __global const float *x_,
    __global const float *b_,
    __global const float *conv2d_panels_,
    const long w_stride_c_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long size_f_,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n_,
    const long y_stride_f_,
    const long y_stride_p_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_f_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_n_ * size_p_ * size_q_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_c_ * size_r_ * size_s_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        long left_at[256];
        int left_run[256];
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_c_ * size_r_ * size_s_) - from);
            conv2d__steps(y_, w_, x_, b_, conv2d_panels_, w_stride_c_, w_stride_r_, size_s_, size_r_, size_c_, size_f_, w_offset_, w_stride_f_, b_offset_, y_offset_, y_stride_n_, y_stride_f_, y_stride_p_, size_n_, size_p_, size_q_, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d__left(y_, w_, x_, b_, conv2d_panels_, w_stride_c_, w_stride_r_, size_s_, size_r_, size_c_, size_f_, w_offset_, w_stride_f_, b_offset_, y_offset_, y_stride_n_, y_stride_f_, y_stride_p_, size_n_, size_p_, size_q_, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_panels_ + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_n_ * size_p_ * size_q_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d__store(y_, w_, x_, b_, conv2d_panels_, w_stride_c_, w_stride_r_, size_s_, size_r_, size_c_, size_f_, w_offset_, w_stride_f_, b_offset_, y_offset_, y_stride_n_, y_stride_f_, y_stride_p_, size_n_, size_p_, size_q_, row_block, column_block, chunk, units, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void conv2d__kernel(
    __global float *y_,
    __global const float *w_,
    __global const float *x_,
    __global const float *b_,
    __global const float *conv2d_panels_,
    const long w_stride_c_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_c_,
    const long size_f_,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n_,
    const long y_stride_f_,
    const long y_stride_p_,
    const long size_n_,
    const long size_p_,
    const long size_q_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    conv2d__item(y_, w_, x_, b_, conv2d_panels_, w_stride_c_, w_stride_r_, size_s_, size_r_, size_c_, size_f_, w_offset_, w_stride_f_, b_offset_, y_offset_, y_stride_n_, y_stride_f_, y_stride_p_, size_n_, size_p_, size_q_, row_block, column_block, chunk, units, get_global_id(0));
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1_panels__right(
    __global float *conv2d_grad_x_w_b_1_panels_,
    __global const float *dy_,
    const long size_n_,
    const long size_i_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_n_ * size_i_ * size_j_) - line);
    for (long x = 0; x < exist; ++x) {
        const long j_ = (line + x) % size_j_;
        const long i_ = (line + x) / size_j_ % size_i_;
        const long n_ = (line + x) / size_j_ / size_i_;
        const long at_2 = i_ + padding_0_;
        const long at_4 = j_ + padding_1_;
        long s_ = (from) % size_s_;
        long r_ = (from) / size_s_ % size_r_;
        long f_ = (from) / size_s_ / size_r_;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = at_2 - (dilation_0_ * r_);
            const long at_5 = at_4 - (dilation_1_ * s_);
            const int is = (((0L <= at_3) && (at_3 < size_p_)) && (0L <= at_5)) && (at_5 < size_q_);
            const float dy_value_ = is ? dy_[dy_offset_ + f_ * dy_stride_f_ + i_ * dy_stride_i_ + j_ + n_ * dy_stride_n_ + r_ * dy_stride_r_ + s_ * dy_stride_s_] : 0.0f;
            to[step * 32 + x] = is ? dy_value_ : 0.0f;
            if (++s_ == size_s_) {
                s_ = 0;
                if (++r_ == size_r_) {
                    r_ = 0;
                    ++f_;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1_panels__item(
    __global float *conv2d_grad_x_w_b_1_panels_,
    __global const float *dy_,
    const long size_n_,
    const long size_i_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_n_ * size_i_ * size_j_) + 31) / 32;
        const long chunks = max(1L, ((size_f_ * size_r_ * size_s_) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_f_ * size_r_ * size_s_) - from);
        conv2d_grad_x_w_b_1_panels__right(conv2d_grad_x_w_b_1_panels_, dy_, size_n_, size_i_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, size_s_, size_r_, size_f_, chunk, units, conv2d_grad_x_w_b_1_panels_ + unit * 8192, column_tile * 32, from, steps);
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2_panels__right(
    __global float *conv2d_grad_x_w_b_2_panels_,
    __global const float *x_,
    const long size_c_,
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
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_c_ * size_r_ * size_s_) - line);
    for (long x = 0; x < exist; ++x) {
        const long s_ = (line + x) % size_s_;
        const long r_ = (line + x) / size_s_ % size_r_;
        const long c_ = (line + x) / size_s_ / size_r_;
        const long at_2 = dilation_0_ * r_;
        const long at_4 = dilation_1_ * s_;
        long q_ = (from) % size_q_;
        long p_ = (from) / size_q_ % size_p_;
        long n_ = (from) / size_q_ / size_p_;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = (at_2 + (p_ * stride_0_)) - padding_0_;
            const long at_5 = (at_4 + (q_ * stride_1_)) - padding_1_;
            const int is = (((0L <= at_3) && (at_3 < size_i_)) && (0L <= at_5)) && (at_5 < size_j_);
            const float x_value_ = is ? x_[x_offset_ + c_ * x_stride_c_ + n_ * x_stride_n_ + p_ * x_stride_p_ + q_ + r_ * x_stride_r_ + s_] : 0.0f;
            to[step * 32 + x] = is ? x_value_ : 0.0f;
            if (++q_ == size_q_) {
                q_ = 0;
                if (++p_ == size_p_) {
                    p_ = 0;
                    ++n_;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2_panels__item(
    __global float *conv2d_grad_x_w_b_2_panels_,
    __global const float *x_,
    const long size_c_,
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
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_c_ * size_r_ * size_s_) + 31) / 32;
        const long chunks = max(1L, ((size_n_ * size_p_ * size_q_) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_n_ * size_p_ * size_q_) - from);
        conv2d_grad_x_w_b_2_panels__right(conv2d_grad_x_w_b_2_panels_, x_, size_c_, size_r_, size_s_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, size_q_, size_p_, size_n_, chunk, units, conv2d_grad_x_w_b_2_panels_ + unit * 8192, column_tile * 32, from, steps);
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_b[(g f)] = sum[n, p, q](dy[n, g, f, p, q])
__attribute__((noinline)) void conv2d_grad_x_w_b_3__item(
    __global const float *dy_,
    __global float *grad_b_,
    const long size_f_,
    const long units,
    const long chunk,
    const long size_n_,
    const long size_p_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_n_,
    const long grad_b_offset_,
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
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        own_total = 0.0f;
        own_rest = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_rest_2 = (float16)(0.0f);
        for (long n_ = 0; n_ < size_n_; ++n_) {
            const long count_2 = size_p_q_;
            for (long run = 0; run < ((count_2 + 4095L) >> 12); ++run) {
                const long begin_2 = run * 4096L;
                const long here = max(min(count_2 - (run * 4096L), 4096L), 0L);
                own_run_sum_2 = (float16)(0.0f);
                own_run_sum = 0.0f;
                own_run_sum_3 = (float16)(0.0f);
                own_run_sum_4 = (float16)(0.0f);
                own_run_sum_5 = (float16)(0.0f);
                for (long step_2 = 0; step_2 < (here >> 6); ++step_2) {
                    const float16 dy_value_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + (begin_2 + (step_2 * 64L)));
                    own_run_sum_2 = own_run_sum_2 + dy_value_;
                    const float16 dy_value_2_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + ((begin_2 + (step_2 * 64L)) + 16L));
                    own_run_sum_3 = own_run_sum_3 + dy_value_2_;
                    const float16 dy_value_3_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + ((begin_2 + (step_2 * 64L)) + 32L));
                    own_run_sum_4 = own_run_sum_4 + dy_value_3_;
                    const float16 dy_value_4_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + ((begin_2 + (step_2 * 64L)) + 48L));
                    own_run_sum_5 = own_run_sum_5 + dy_value_4_;
                }
                own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
                own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
                own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
                const long rest = here & 63L;
                const long vectors = rest >> 4;
                for (long vector = 0; vector < vectors; ++vector) {
                    const long start = (begin_2 + ((here >> 6) * 64L)) + (vector * 16L);
                    const float16 dy_value_5_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + start);
                    own_run_sum_2 = own_run_sum_2 + dy_value_5_;
                }
                for (long left = 0; left < (rest & 15L); ++left) {
                    const long p_q_ = ((begin_2 + ((here >> 6) * 64L)) + (vectors * 16L)) + left;
                    own_run_sum = own_run_sum + dy_[((dy_offset_ + (unit * dy_stride_f_)) + (n_ * dy_stride_n_)) + p_q_];
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
        grad_b_[grad_b_offset_ + unit] = total;
    }
}

__kernel void conv2d_grad_x_w_b_1_panels__kernel(
    __global float *conv2d_grad_x_w_b_1_panels_,
    __global const float *dy_,
    const long size_n_,
    const long size_i_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long chunk,
    const long units,
    const long items,
    __global float *conv2d_grad_x_w_b_2_panels_of_2_,
    __global const float *x_of_2_,
    const long size_c_of_2_,
    const long size_r_of_2_,
    const long size_s_of_2_,
    const long dilation_0_of_2_,
    const long stride_0_of_2_,
    const long padding_0_of_2_,
    const long size_i_of_2_,
    const long dilation_1_of_2_,
    const long stride_1_of_2_,
    const long padding_1_of_2_,
    const long size_j_of_2_,
    const long x_offset_of_2_,
    const long x_stride_c_of_2_,
    const long x_stride_n_of_2_,
    const long x_stride_p_of_2_,
    const long x_stride_r_of_2_,
    const long size_q_of_2_,
    const long size_p_of_2_,
    const long size_n_of_2_,
    const long chunk_of_2,
    const long units_of_2,
    const long items_of_2,
    __global const float *dy_of_3_,
    __global float *grad_b_of_3_,
    const long size_f_of_3_,
    const long units_of_3,
    const long chunk_of_3,
    const long size_n_of_3_,
    const long size_p_q_of_3_,
    const long dy_offset_of_3_,
    const long dy_stride_f_of_3_,
    const long dy_stride_n_of_3_,
    const long grad_b_offset_of_3_) {
    long item = get_global_id(0);
    if (item < items) {
        conv2d_grad_x_w_b_1_panels__item(conv2d_grad_x_w_b_1_panels_, dy_, size_n_, size_i_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, size_s_, size_r_, size_f_, chunk, units, item);
    } else if ((item -= items) < items_of_2) {
        conv2d_grad_x_w_b_2_panels__item(conv2d_grad_x_w_b_2_panels_of_2_, x_of_2_, size_c_of_2_, size_r_of_2_, size_s_of_2_, dilation_0_of_2_, stride_0_of_2_, padding_0_of_2_, size_i_of_2_, dilation_1_of_2_, stride_1_of_2_, padding_1_of_2_, size_j_of_2_, x_offset_of_2_, x_stride_c_of_2_, x_stride_n_of_2_, x_stride_p_of_2_, x_stride_r_of_2_, size_q_of_2_, size_p_of_2_, size_n_of_2_, chunk_of_2, units_of_2, item);
    } else {
        item -= items_of_2;
        conv2d_grad_x_w_b_3__item(dy_of_3_, grad_b_of_3_, size_f_of_3_, units_of_3, chunk_of_3, size_n_of_3_, size_p_q_of_3_, dy_offset_of_3_, dy_stride_f_of_3_, dy_stride_n_of_3_, grad_b_offset_of_3_, item);
    }
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1__steps(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long s_ = (from) % size_s_;
    long r_ = (from) / size_s_ % size_r_;
    long f_ = (from) / size_s_ / size_r_;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = f_ * w_stride_f_ + r_ * w_stride_r_ + s_;
        if (++s_ == size_s_) {
            s_ = 0;
            if (++r_ == size_r_) {
                r_ = 0;
                ++f_;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1__left(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    float *to,
    const long *left_at,
    const int *left_run,
    const long first,
    const long count,
    const long from,
    const long steps) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_c_) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long c_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = w_offset_ + 0 + c_ * w_stride_c_;
                if (x + 1 < exist) {
                    ++c_;
                }
            }
        }
        for (int group = 0; group < 8; group += 8) {
            long step = 0;
            const long end = steps;
            if (group >= exist)
                for (; step < end; ++step) vstore8((float8)(0), 0, panel + step * 8 + group);
            while (step < end) {
                const long start = step - max(0, 8 - left_run[step]);
                if (start >= 0 && left_run[start] >= 8) {
                    float *block = panel + start * 8 + group;
                    const float8 r0 = vload8(0, w_ + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, w_ + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, w_ + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, w_ + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, w_ + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, w_ + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, w_ + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, w_ + begin[group + 7] + left_at[start]);
                    const float8 t0 = (float8)(r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5), t1 = (float8)(r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7);
                    const float8 t2 = (float8)(r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5), t3 = (float8)(r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7);
                    const float8 t4 = (float8)(r4.s0, r5.s0, r4.s1, r5.s1, r4.s4, r5.s4, r4.s5, r5.s5), t5 = (float8)(r4.s2, r5.s2, r4.s3, r5.s3, r4.s6, r5.s6, r4.s7, r5.s7);
                    const float8 t6 = (float8)(r6.s0, r7.s0, r6.s1, r7.s1, r6.s4, r7.s4, r6.s5, r7.s5), t7 = (float8)(r6.s2, r7.s2, r6.s3, r7.s3, r6.s6, r7.s6, r6.s7, r7.s7);
                    const float8 u0 = (float8)(t0.s01, t2.s01, t0.s45, t2.s45), u1 = (float8)(t0.s23, t2.s23, t0.s67, t2.s67);
                    const float8 u2 = (float8)(t1.s01, t3.s01, t1.s45, t3.s45), u3 = (float8)(t1.s23, t3.s23, t1.s67, t3.s67);
                    const float8 u4 = (float8)(t4.s01, t6.s01, t4.s45, t6.s45), u5 = (float8)(t4.s23, t6.s23, t4.s67, t6.s67);
                    const float8 u6 = (float8)(t5.s01, t7.s01, t5.s45, t7.s45), u7 = (float8)(t5.s23, t7.s23, t5.s67, t7.s67);
                    vstore8((float8)(u0.lo, u4.lo), 0, block + 0);
                    vstore8((float8)(u0.hi, u4.hi), 0, block + 32);
                    vstore8((float8)(u1.lo, u5.lo), 0, block + 8);
                    vstore8((float8)(u1.hi, u5.hi), 0, block + 40);
                    vstore8((float8)(u2.lo, u6.lo), 0, block + 16);
                    vstore8((float8)(u2.hi, u6.hi), 0, block + 48);
                    vstore8((float8)(u3.lo, u7.lo), 0, block + 24);
                    vstore8((float8)(u3.hi, u7.hi), 0, block + 56);
                    step = start + 8;
                } else {
                    for (int x = 0; x < 8; ++x)
                        panel[step * 8 + group + x] = w_[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) float conv2d_grad_x_w_b_1__again(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    long c_,
    long n_,
    long i_,
    long j_,
    long begin_chunk,
    long end_chunk) {
    i_ += j_ / size_j_, j_ %= size_j_;
    const long from = begin_chunk * 256, to = min(end_chunk * 256, size_f_ * size_r_ * size_s_);
    const long at_2 = i_ + padding_0_;
    const long at_4 = j_ + padding_1_;
    long s_ = (from) % size_s_;
    long r_ = (from) / size_s_ % size_r_;
    long f_ = (from) / size_s_ / size_r_;
    float again = 0;
    for (long step = from; step < to && again == again; ++step) {
        const long at_3 = at_2 - (dilation_0_ * r_);
        const long at_5 = at_4 - (dilation_1_ * s_);
        const int is = (((0L <= at_3) && (at_3 < size_p_)) && (0L <= at_5)) && (at_5 < size_q_);
        const float dy_value_ = is ? dy_[dy_offset_ + f_ * dy_stride_f_ + i_ * dy_stride_i_ + j_ + n_ * dy_stride_n_ + r_ * dy_stride_r_ + s_ * dy_stride_s_] : 0.0f;
        if (is) again = fma(w_[w_offset_ + c_ * w_stride_c_ + f_ * w_stride_f_ + r_ * w_stride_r_ + s_], is ? dy_value_ : 0.0f, again);
        if (++s_ == size_s_) {
            s_ = 0;
            if (++r_ == size_r_) {
                r_ = 0;
                ++f_;
            }
        }
    }
    return again;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1__store(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long begin_chunk,
    const long end_chunk,
    float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_c_) - row);
    const long count = min(32L, (size_n_ * size_i_ * size_j_) - column);
    const long j_ = (column) % size_j_;
    const long i_ = (column) / size_j_ % size_i_;
    const long n_ = (column) / size_j_ / size_i_;
    const long n__first = n_;
    const long i__first = i_;
    const long j__first = j_;
    for (long line = 0; line < lines; ++line) {
        const long c_ = row + line;
        long n_ = n__first;
        long i_ = i__first;
        long j_ = j__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_i_ * size_j_ - ((i_) * size_j_ + j_));
            for (; at + 16 <= run; at += 16, j_ += 16) {
                if (any(isnan(vload16(0, sums + at))))
                    for (long x = 0; x < 16; ++x)
                        if (isnan(sums[at + x])) sums[at + x] = conv2d_grad_x_w_b_1__again(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, c_, n_, i_, j_ + x, begin_chunk, end_chunk);
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_x_ + grad_x_offset_ + n_ * grad_x_stride_n_ + c_ * grad_x_stride_c_ + i_ * grad_x_stride_i_ + j_);
            }
            for (; at < run; at += 1, j_ += 1) {
                if (isnan(sums[at])) sums[at] = conv2d_grad_x_w_b_1__again(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, c_, n_, i_, j_, begin_chunk, end_chunk);
                const float total = sums[at];
                grad_x_[grad_x_offset_ + n_ * grad_x_stride_n_ + c_ * grad_x_stride_c_ + i_ * grad_x_stride_i_ + j_] = total;
            }
            if (at < end) {
                i_ = 0;
                j_ = 0;
                ++n_;
            }
        }
    }
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1__item(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_c_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_n_ * size_i_ * size_j_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_f_ * size_r_ * size_s_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        long left_at[256];
        int left_run[256];
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_f_ * size_r_ * size_s_) - from);
            conv2d_grad_x_w_b_1__steps(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d_grad_x_w_b_1__left(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_grad_x_w_b_1_panels_ + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_n_ * size_i_ * size_j_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d_grad_x_w_b_1__store(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, begin_chunk, end_chunk, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2__steps(
    __global float *grad_w_,
    __global const float *dy_,
    __global const float *x_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    const long dy_stride_n_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long size_f_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long size_s_,
    const long size_r_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
    const long grad_w_stride_c_,
    const long grad_w_stride_r_,
    const long size_c_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long q_ = (from) % size_q_;
    long p_ = (from) / size_q_ % size_p_;
    long n_ = (from) / size_q_ / size_p_;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = n_ * dy_stride_n_ + p_ * dy_stride_p_ + q_;
        if (++q_ == size_q_) {
            q_ = 0;
            if (++p_ == size_p_) {
                p_ = 0;
                ++n_;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2__left(
    __global float *grad_w_,
    __global const float *dy_,
    __global const float *x_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    const long dy_stride_n_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long size_f_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long size_s_,
    const long size_r_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
    const long grad_w_stride_c_,
    const long grad_w_stride_r_,
    const long size_c_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    float *to,
    const long *left_at,
    const int *left_run,
    const long first,
    const long count,
    const long from,
    const long steps) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_f_) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long f_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = dy_offset_ + 0 + f_ * dy_stride_f_;
                if (x + 1 < exist) {
                    ++f_;
                }
            }
        }
        for (int group = 0; group < 8; group += 8) {
            long step = 0;
            const long end = steps;
            if (group >= exist)
                for (; step < end; ++step) vstore8((float8)(0), 0, panel + step * 8 + group);
            while (step < end) {
                const long start = step - max(0, 8 - left_run[step]);
                if (start >= 0 && left_run[start] >= 8) {
                    float *block = panel + start * 8 + group;
                    const float8 r0 = vload8(0, dy_ + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, dy_ + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, dy_ + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, dy_ + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, dy_ + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, dy_ + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, dy_ + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, dy_ + begin[group + 7] + left_at[start]);
                    const float8 t0 = (float8)(r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5), t1 = (float8)(r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7);
                    const float8 t2 = (float8)(r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5), t3 = (float8)(r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7);
                    const float8 t4 = (float8)(r4.s0, r5.s0, r4.s1, r5.s1, r4.s4, r5.s4, r4.s5, r5.s5), t5 = (float8)(r4.s2, r5.s2, r4.s3, r5.s3, r4.s6, r5.s6, r4.s7, r5.s7);
                    const float8 t6 = (float8)(r6.s0, r7.s0, r6.s1, r7.s1, r6.s4, r7.s4, r6.s5, r7.s5), t7 = (float8)(r6.s2, r7.s2, r6.s3, r7.s3, r6.s6, r7.s6, r6.s7, r7.s7);
                    const float8 u0 = (float8)(t0.s01, t2.s01, t0.s45, t2.s45), u1 = (float8)(t0.s23, t2.s23, t0.s67, t2.s67);
                    const float8 u2 = (float8)(t1.s01, t3.s01, t1.s45, t3.s45), u3 = (float8)(t1.s23, t3.s23, t1.s67, t3.s67);
                    const float8 u4 = (float8)(t4.s01, t6.s01, t4.s45, t6.s45), u5 = (float8)(t4.s23, t6.s23, t4.s67, t6.s67);
                    const float8 u6 = (float8)(t5.s01, t7.s01, t5.s45, t7.s45), u7 = (float8)(t5.s23, t7.s23, t5.s67, t7.s67);
                    vstore8((float8)(u0.lo, u4.lo), 0, block + 0);
                    vstore8((float8)(u0.hi, u4.hi), 0, block + 32);
                    vstore8((float8)(u1.lo, u5.lo), 0, block + 8);
                    vstore8((float8)(u1.hi, u5.hi), 0, block + 40);
                    vstore8((float8)(u2.lo, u6.lo), 0, block + 16);
                    vstore8((float8)(u2.hi, u6.hi), 0, block + 48);
                    vstore8((float8)(u3.lo, u7.lo), 0, block + 24);
                    vstore8((float8)(u3.hi, u7.hi), 0, block + 56);
                    step = start + 8;
                } else {
                    for (int x = 0; x < 8; ++x)
                        panel[step * 8 + group + x] = dy_[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) float conv2d_grad_x_w_b_2__again(
    __global float *grad_w_,
    __global const float *dy_,
    __global const float *x_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    const long dy_stride_n_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long size_f_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long size_s_,
    const long size_r_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
    const long grad_w_stride_c_,
    const long grad_w_stride_r_,
    const long size_c_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    long f_,
    long c_,
    long r_,
    long s_,
    long begin_chunk,
    long end_chunk) {
    r_ += s_ / size_s_, s_ %= size_s_;
    c_ += r_ / size_r_, r_ %= size_r_;
    const long from = begin_chunk * 256, to = min(end_chunk * 256, size_n_ * size_p_ * size_q_);
    const long at_2 = dilation_0_ * r_;
    const long at_4 = dilation_1_ * s_;
    long q_ = (from) % size_q_;
    long p_ = (from) / size_q_ % size_p_;
    long n_ = (from) / size_q_ / size_p_;
    float again = 0;
    for (long step = from; step < to && again == again; ++step) {
        const long at_3 = (at_2 + (p_ * stride_0_)) - padding_0_;
        const long at_5 = (at_4 + (q_ * stride_1_)) - padding_1_;
        const int is = (((0L <= at_3) && (at_3 < size_i_)) && (0L <= at_5)) && (at_5 < size_j_);
        const float x_value_ = is ? x_[x_offset_ + c_ * x_stride_c_ + n_ * x_stride_n_ + p_ * x_stride_p_ + q_ + r_ * x_stride_r_ + s_] : 0.0f;
        if (is) again = fma(dy_[dy_offset_ + f_ * dy_stride_f_ + n_ * dy_stride_n_ + p_ * dy_stride_p_ + q_], is ? x_value_ : 0.0f, again);
        if (++q_ == size_q_) {
            q_ = 0;
            if (++p_ == size_p_) {
                p_ = 0;
                ++n_;
            }
        }
    }
    return again;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2__store(
    __global float *grad_w_,
    __global const float *dy_,
    __global const float *x_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    const long dy_stride_n_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long size_f_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long size_s_,
    const long size_r_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
    const long grad_w_stride_c_,
    const long grad_w_stride_r_,
    const long size_c_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long begin_chunk,
    const long end_chunk,
    float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_f_) - row);
    const long count = min(32L, (size_c_ * size_r_ * size_s_) - column);
    const long s_ = (column) % size_s_;
    const long r_ = (column) / size_s_ % size_r_;
    const long c_ = (column) / size_s_ / size_r_;
    const long c__first = c_;
    const long r__first = r_;
    const long s__first = s_;
    for (long line = 0; line < lines; ++line) {
        const long f_ = row + line;
        long c_ = c__first;
        long r_ = r__first;
        long s_ = s__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_c_ * size_r_ * size_s_ - (((c_) * size_r_ + r_) * size_s_ + s_));
            for (; at + 16 <= run; at += 16, s_ += 16) {
                if (any(isnan(vload16(0, sums + at))))
                    for (long x = 0; x < 16; ++x)
                        if (isnan(sums[at + x])) sums[at + x] = conv2d_grad_x_w_b_2__again(grad_w_, dy_, x_, conv2d_grad_x_w_b_2_panels_, dy_stride_n_, dy_stride_p_, size_q_, size_p_, size_n_, size_f_, dy_offset_, dy_stride_f_, size_s_, size_r_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, grad_w_offset_, grad_w_stride_f_, grad_w_stride_c_, grad_w_stride_r_, size_c_, row_block, column_block, chunk, units, f_, c_, r_, s_ + x, begin_chunk, end_chunk);
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_w_ + grad_w_offset_ + f_ * grad_w_stride_f_ + c_ * grad_w_stride_c_ + r_ * grad_w_stride_r_ + s_);
            }
            for (; at < run; at += 1, s_ += 1) {
                if (isnan(sums[at])) sums[at] = conv2d_grad_x_w_b_2__again(grad_w_, dy_, x_, conv2d_grad_x_w_b_2_panels_, dy_stride_n_, dy_stride_p_, size_q_, size_p_, size_n_, size_f_, dy_offset_, dy_stride_f_, size_s_, size_r_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, grad_w_offset_, grad_w_stride_f_, grad_w_stride_c_, grad_w_stride_r_, size_c_, row_block, column_block, chunk, units, f_, c_, r_, s_, begin_chunk, end_chunk);
                const float total = sums[at];
                grad_w_[grad_w_offset_ + f_ * grad_w_stride_f_ + c_ * grad_w_stride_c_ + r_ * grad_w_stride_r_ + s_] = total;
            }
        }
    }
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2__item(
    __global float *grad_w_,
    __global const float *dy_,
    __global const float *x_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    const long dy_stride_n_,
    const long dy_stride_p_,
    const long size_q_,
    const long size_p_,
    const long size_n_,
    const long size_f_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long size_s_,
    const long size_r_,
    const long dilation_0_,
    const long stride_0_,
    const long padding_0_,
    const long size_i_,
    const long dilation_1_,
    const long stride_1_,
    const long padding_1_,
    const long size_j_,
    const long x_offset_,
    const long x_stride_c_,
    const long x_stride_n_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
    const long grad_w_stride_c_,
    const long grad_w_stride_r_,
    const long size_c_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_f_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_c_ * size_r_ * size_s_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_n_ * size_p_ * size_q_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        long left_at[256];
        int left_run[256];
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_n_ * size_p_ * size_q_) - from);
            conv2d_grad_x_w_b_2__steps(grad_w_, dy_, x_, conv2d_grad_x_w_b_2_panels_, dy_stride_n_, dy_stride_p_, size_q_, size_p_, size_n_, size_f_, dy_offset_, dy_stride_f_, size_s_, size_r_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, grad_w_offset_, grad_w_stride_f_, grad_w_stride_c_, grad_w_stride_r_, size_c_, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d_grad_x_w_b_2__left(grad_w_, dy_, x_, conv2d_grad_x_w_b_2_panels_, dy_stride_n_, dy_stride_p_, size_q_, size_p_, size_n_, size_f_, dy_offset_, dy_stride_f_, size_s_, size_r_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, grad_w_offset_, grad_w_stride_f_, grad_w_stride_c_, grad_w_stride_r_, size_c_, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_grad_x_w_b_2_panels_ + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_c_ * size_r_ * size_s_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d_grad_x_w_b_2__store(grad_w_, dy_, x_, conv2d_grad_x_w_b_2_panels_, dy_stride_n_, dy_stride_p_, size_q_, size_p_, size_n_, size_f_, dy_offset_, dy_stride_f_, size_s_, size_r_, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n_, x_stride_p_, x_stride_r_, grad_w_offset_, grad_w_stride_f_, grad_w_stride_c_, grad_w_stride_r_, size_c_, row_block, column_block, chunk, units, begin_chunk, end_chunk, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void conv2d_grad_x_w_b_1__kernel(
    __global float *grad_x_,
    __global const float *w_,
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    const long w_stride_f_,
    const long w_stride_r_,
    const long size_s_,
    const long size_r_,
    const long size_f_,
    const long size_c_,
    const long w_offset_,
    const long w_stride_c_,
    const long size_j_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long grad_x_offset_,
    const long grad_x_stride_n_,
    const long grad_x_stride_c_,
    const long grad_x_stride_i_,
    const long size_n_,
    const long size_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long items,
    __global float *grad_w_of_2_,
    __global const float *dy_of_2_,
    __global const float *x_of_2_,
    __global const float *conv2d_grad_x_w_b_2_panels_of_2_,
    const long dy_stride_n_of_2_,
    const long dy_stride_p_of_2_,
    const long size_q_of_2_,
    const long size_p_of_2_,
    const long size_n_of_2_,
    const long size_f_of_2_,
    const long dy_offset_of_2_,
    const long dy_stride_f_of_2_,
    const long size_s_of_2_,
    const long size_r_of_2_,
    const long dilation_0_of_2_,
    const long stride_0_of_2_,
    const long padding_0_of_2_,
    const long size_i_of_2_,
    const long dilation_1_of_2_,
    const long stride_1_of_2_,
    const long padding_1_of_2_,
    const long size_j_of_2_,
    const long x_offset_of_2_,
    const long x_stride_c_of_2_,
    const long x_stride_n_of_2_,
    const long x_stride_p_of_2_,
    const long x_stride_r_of_2_,
    const long grad_w_offset_of_2_,
    const long grad_w_stride_f_of_2_,
    const long grad_w_stride_c_of_2_,
    const long grad_w_stride_r_of_2_,
    const long size_c_of_2_,
    const long row_block_of_2,
    const long column_block_of_2,
    const long chunk_of_2,
    const long units_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        conv2d_grad_x_w_b_1__item(grad_x_, w_, dy_, conv2d_grad_x_w_b_1_panels_, w_stride_f_, w_stride_r_, size_s_, size_r_, size_f_, size_c_, w_offset_, w_stride_c_, size_j_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n_, dy_stride_r_, dy_stride_s_, grad_x_offset_, grad_x_stride_n_, grad_x_stride_c_, grad_x_stride_i_, size_n_, size_i_, row_block, column_block, chunk, units, item);
    } else {
        item -= items;
        conv2d_grad_x_w_b_2__item(grad_w_of_2_, dy_of_2_, x_of_2_, conv2d_grad_x_w_b_2_panels_of_2_, dy_stride_n_of_2_, dy_stride_p_of_2_, size_q_of_2_, size_p_of_2_, size_n_of_2_, size_f_of_2_, dy_offset_of_2_, dy_stride_f_of_2_, size_s_of_2_, size_r_of_2_, dilation_0_of_2_, stride_0_of_2_, padding_0_of_2_, size_i_of_2_, dilation_1_of_2_, stride_1_of_2_, padding_1_of_2_, size_j_of_2_, x_offset_of_2_, x_stride_c_of_2_, x_stride_n_of_2_, x_stride_p_of_2_, x_stride_r_of_2_, grad_w_offset_of_2_, grad_w_stride_f_of_2_, grad_w_stride_c_of_2_, grad_w_stride_r_of_2_, size_c_of_2_, row_block_of_2, column_block_of_2, chunk_of_2, units_of_2, item);
    }
}
