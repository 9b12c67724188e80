// conv2d (kernels_dsl/convolution.netcl)
//     y[n, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d_panels_right(
    __global float *conv2d_panels,
    __global const float *x_2,
    const long size_n,
    const long size_p,
    const long size_q,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_n * size_p * size_q) - line);
    for (long x = 0; x < exist; ++x) {
        const long q = (line + x) % size_q;
        const long p = (line + x) / size_q % size_p;
        const long n = (line + x) / size_q / size_p;
        const long at_2 = p * stride_0;
        const long at_4 = q * stride_1;
        long s = (from) % size_s;
        long r = (from) / size_s % size_r;
        long c = (from) / size_s / size_r;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = ((dilation_0 * r) + at_2) - padding_0;
            const long at_5 = ((dilation_1 * s) + at_4) - padding_1;
            const int is = (((0L <= at_3) && (at_3 < size_i)) && (0L <= at_5)) && (at_5 < size_j);
            const float x_value = is ? x_2[x_offset + c * x_stride_c + n * x_stride_n + p * x_stride_p + q + r * x_stride_r + s] : 0.0f;
            to[step * 32 + x] = is ? x_value : 0.0f;
            if (++s == size_s) {
                s = 0;
                if (++r == size_r) {
                    r = 0;
                    ++c;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_panels_item(
    __global float *conv2d_panels,
    __global const float *x_2,
    const long size_n,
    const long size_p,
    const long size_q,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_n * size_p * size_q) + 31) / 32;
        const long chunks = max(1L, ((size_c * size_r * size_s) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_c * size_r * size_s) - from);
        conv2d_panels_right(conv2d_panels, x_2, size_n, size_p, size_q, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, size_s, size_r, size_c, chunk, units, conv2d_panels + unit * 8192, column_tile * 32, from, steps);
    }
}

__kernel void conv2d_panels_kernel(
    __global float *conv2d_panels,
    __global const float *x_2,
    const long size_n,
    const long size_p,
    const long size_q,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long chunk,
    const long units) {
    conv2d_panels_item(conv2d_panels, x_2, size_n, size_p, size_q, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, size_s, size_r, size_c, chunk, units, get_global_id(0));
}


// conv2d (kernels_dsl/convolution.netcl)
//     y[n, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d_steps(
    __global float *y,
    __global const float *w,
    __global const float *x_2,
    __global const float *b,
    __global const float *conv2d_panels,
    const long w_stride_c,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long size_f,
    const long w_offset,
    const long w_stride_f,
    const long b_offset,
    const long y_offset,
    const long y_stride_n,
    const long y_stride_f,
    const long y_stride_p,
    const long size_n,
    const long size_p,
    const long size_q,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long s = (from) % size_s;
    long r = (from) / size_s % size_r;
    long c = (from) / size_s / size_r;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = c * w_stride_c + r * w_stride_r + s;
        if (++s == size_s) {
            s = 0;
            if (++r == size_r) {
                r = 0;
                ++c;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d_left(
    __global float *y,
    __global const float *w,
    __global const float *x_2,
    __global const float *b,
    __global const float *conv2d_panels,
    const long w_stride_c,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long size_f,
    const long w_offset,
    const long w_stride_f,
    const long b_offset,
    const long y_offset,
    const long y_stride_n,
    const long y_stride_f,
    const long y_stride_p,
    const long size_n,
    const long size_p,
    const long size_q,
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
        const long line = first + tile * 8, exist = min(8L, (size_f) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long f = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = w_offset + 0 + f * w_stride_f;
                if (x + 1 < exist) {
                    ++f;
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
                    const float8 r0 = vload8(0, w + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, w + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, w + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, w + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, w + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, w + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, w + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, w + begin[group + 7] + left_at[start]);
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
                        panel[step * 8 + group + x] = w[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) void conv2d_store(
    __global float *y,
    __global const float *w,
    __global const float *x_2,
    __global const float *b,
    __global const float *conv2d_panels,
    const long w_stride_c,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long size_f,
    const long w_offset,
    const long w_stride_f,
    const long b_offset,
    const long y_offset,
    const long y_stride_n,
    const long y_stride_f,
    const long y_stride_p,
    const long size_n,
    const long size_p,
    const long size_q,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_f) - row);
    const long count = min(32L, (size_n * size_p * size_q) - column);
    const long q = (column) % size_q;
    const long p = (column) / size_q % size_p;
    const long n = (column) / size_q / size_p;
    const long n_first = n;
    const long p_first = p;
    const long q_first = q;
    for (long line = 0; line < lines; ++line) {
        const long f = row + line;
        const float b_value = b[b_offset + f];
        long n = n_first;
        long p = p_first;
        long q = q_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_p * size_q - ((p) * size_q + q));
            for (; at + 16 <= run; at += 16, q += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals + (float16)(b_value), y + y_offset + n * y_stride_n + f * y_stride_f + p * y_stride_p + q);
            }
            for (; at < run; at += 1, q += 1) {
                const float total = sums[at];
                y[y_offset + n * y_stride_n + f * y_stride_f + p * y_stride_p + q] = total + b_value;
            }
            if (at < end) {
                p = 0;
                q = 0;
                ++n;
            }
        }
    }
}

__attribute__((noinline)) void conv2d_item(
    __global float *y,
    __global const float *w,
    __global const float *x_2,
    __global const float *b,
    __global const float *conv2d_panels,
    const long w_stride_c,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long size_f,
    const long w_offset,
    const long w_stride_f,
    const long b_offset,
    const long y_offset,
    const long y_stride_n,
    const long y_stride_f,
    const long y_stride_p,
    const long size_n,
    const long size_p,
    const long size_q,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_f) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_n * size_p * size_q) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_c * size_r * size_s) + 255) / 256);
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
            const long from = number * 256, steps = min(256L, (size_c * size_r * size_s) - from);
            conv2d_steps(y, w, x_2, b, conv2d_panels, w_stride_c, w_stride_r, size_s, size_r, size_c, size_f, w_offset, w_stride_f, b_offset, y_offset, y_stride_n, y_stride_f, y_stride_p, size_n, size_p, size_q, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d_left(y, w, x_2, b, conv2d_panels, w_stride_c, w_stride_r, size_s, size_r, size_c, size_f, w_offset, w_stride_f, b_offset, y_offset, y_stride_n, y_stride_f, y_stride_p, size_n, size_p, size_q, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_panels + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_n * size_p * size_q) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d_store(y, w, x_2, b, conv2d_panels, w_stride_c, w_stride_r, size_s, size_r, size_c, size_f, w_offset, w_stride_f, b_offset, y_offset, y_stride_n, y_stride_f, y_stride_p, size_n, size_p, size_q, row_block, column_block, chunk, units, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void conv2d_kernel(
    __global float *y,
    __global const float *w,
    __global const float *x_2,
    __global const float *b,
    __global const float *conv2d_panels,
    const long w_stride_c,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_c,
    const long size_f,
    const long w_offset,
    const long w_stride_f,
    const long b_offset,
    const long y_offset,
    const long y_stride_n,
    const long y_stride_f,
    const long y_stride_p,
    const long size_n,
    const long size_p,
    const long size_q,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    conv2d_item(y, w, x_2, b, conv2d_panels, w_stride_c, w_stride_r, size_s, size_r, size_c, size_f, w_offset, w_stride_f, b_offset, y_offset, y_stride_n, y_stride_f, y_stride_p, size_n, size_p, size_q, row_block, column_block, chunk, units, get_global_id(0));
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1_panels_right(
    __global float *conv2d_grad_x_w_b_1_panels,
    __global const float *dy,
    const long size_n,
    const long size_i,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long size_s,
    const long size_r,
    const long size_f,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_n * size_i * size_j) - line);
    for (long x = 0; x < exist; ++x) {
        const long j = (line + x) % size_j;
        const long i = (line + x) / size_j % size_i;
        const long n = (line + x) / size_j / size_i;
        const long at_2 = i + padding_0;
        const long at_4 = j + padding_1;
        long s = (from) % size_s;
        long r = (from) / size_s % size_r;
        long f = (from) / size_s / size_r;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = at_2 - (dilation_0 * r);
            const long at_5 = at_4 - (dilation_1 * s);
            const int is = (((0L <= at_3) && (at_3 < size_p)) && (0L <= at_5)) && (at_5 < size_q);
            const float dy_value = is ? dy[dy_offset + f * dy_stride_f + i * dy_stride_i + j + n * dy_stride_n + r * dy_stride_r + s * dy_stride_s] : 0.0f;
            to[step * 32 + x] = is ? dy_value : 0.0f;
            if (++s == size_s) {
                s = 0;
                if (++r == size_r) {
                    r = 0;
                    ++f;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1_panels_item(
    __global float *conv2d_grad_x_w_b_1_panels,
    __global const float *dy,
    const long size_n,
    const long size_i,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long size_s,
    const long size_r,
    const long size_f,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_n * size_i * size_j) + 31) / 32;
        const long chunks = max(1L, ((size_f * size_r * size_s) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_f * size_r * size_s) - from);
        conv2d_grad_x_w_b_1_panels_right(conv2d_grad_x_w_b_1_panels, dy, size_n, size_i, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, size_s, size_r, size_f, chunk, units, conv2d_grad_x_w_b_1_panels + unit * 8192, column_tile * 32, from, steps);
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2_panels_right(
    __global float *conv2d_grad_x_w_b_2_panels,
    __global const float *x_2,
    const long size_c,
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
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long size_q,
    const long size_p,
    const long size_n,
    const long chunk,
    const long units,
    __global float *to,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_c * size_r * size_s) - line);
    for (long x = 0; x < exist; ++x) {
        const long s = (line + x) % size_s;
        const long r = (line + x) / size_s % size_r;
        const long c = (line + x) / size_s / size_r;
        const long at_2 = dilation_0 * r;
        const long at_4 = dilation_1 * s;
        long q = (from) % size_q;
        long p = (from) / size_q % size_p;
        long n = (from) / size_q / size_p;
        for (long step = 0; step < steps; ++step) {
            const long at_3 = (at_2 + (p * stride_0)) - padding_0;
            const long at_5 = (at_4 + (q * stride_1)) - padding_1;
            const int is = (((0L <= at_3) && (at_3 < size_i)) && (0L <= at_5)) && (at_5 < size_j);
            const float x_value = is ? x_2[x_offset + c * x_stride_c + n * x_stride_n + p * x_stride_p + q + r * x_stride_r + s] : 0.0f;
            to[step * 32 + x] = is ? x_value : 0.0f;
            if (++q == size_q) {
                q = 0;
                if (++p == size_p) {
                    p = 0;
                    ++n;
                }
            }
        }
    }
    for (long x = exist; x < 32; ++x)
        for (long step = 0; step < steps; ++step) to[step * 32 + x] = 0;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2_panels_item(
    __global float *conv2d_grad_x_w_b_2_panels,
    __global const float *x_2,
    const long size_c,
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
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long size_q,
    const long size_p,
    const long size_n,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_c * size_r * size_s) + 31) / 32;
        const long chunks = max(1L, ((size_n * size_p * size_q) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_n * size_p * size_q) - from);
        conv2d_grad_x_w_b_2_panels_right(conv2d_grad_x_w_b_2_panels, x_2, size_c, size_r, size_s, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, size_q, size_p, size_n, chunk, units, conv2d_grad_x_w_b_2_panels + unit * 8192, column_tile * 32, from, steps);
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_b[(g f)] = sum[n, p, q](dy[n, g, f, p, q])
__attribute__((noinline)) void conv2d_grad_x_w_b_3_item(
    __global float *grad_b,
    __global const float *dy,
    const long chunk,
    const long units,
    const long size_f,
    const long size_n,
    const long size_p_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_n,
    const long grad_b_offset,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long f = begin; f < end; ++f) {
        float sum_n_p_q = 0.0f, sum_n_p_q_low = 0.0f;
        float16 sum_n_p_q_lanes = 0.0f, sum_n_p_q_lanes_low = 0.0f;
        for (long n = 0; n < size_n; ++n) {
            {
                long p_q = 0;
                while (p_q + 16 <= size_p_q) {
                    const long p_q_stop = min(p_q + 4096, size_p_q - 15);
                    float16 sum_n_p_q_lanes_part = 0.0f;
                    float16 sum_n_p_q_lanes_2_part = 0.0f;
                    float16 sum_n_p_q_lanes_3_part = 0.0f;
                    float16 sum_n_p_q_lanes_4_part = 0.0f;
                    for (; p_q + 64 <= p_q_stop + 15; p_q += 64) {
                        const long p_q_here = p_q;
                        sum_n_p_q_lanes_part += load_floats(dy + dy_offset + f * dy_stride_f + n * dy_stride_n + p_q);
                        {
                            const long p_q = p_q_here + 16;
                            sum_n_p_q_lanes_2_part += load_floats(dy + dy_offset + f * dy_stride_f + n * dy_stride_n + p_q);
                        }
                        {
                            const long p_q = p_q_here + 32;
                            sum_n_p_q_lanes_3_part += load_floats(dy + dy_offset + f * dy_stride_f + n * dy_stride_n + p_q);
                        }
                        {
                            const long p_q = p_q_here + 48;
                            sum_n_p_q_lanes_4_part += load_floats(dy + dy_offset + f * dy_stride_f + n * dy_stride_n + p_q);
                        }
                    }
                    sum_n_p_q_lanes_part += sum_n_p_q_lanes_2_part;
                    sum_n_p_q_lanes_part += sum_n_p_q_lanes_3_part;
                    sum_n_p_q_lanes_part += sum_n_p_q_lanes_4_part;
                    for (; p_q < p_q_stop; p_q += 16) {
                        sum_n_p_q_lanes_part += load_floats(dy + dy_offset + f * dy_stride_f + n * dy_stride_n + p_q);
                    }
                    add_pair_float16(&sum_n_p_q_lanes, &sum_n_p_q_lanes_low, sum_n_p_q_lanes_part);
                }
                float sum_n_p_q_part = 0.0f;
                for (; p_q < size_p_q; ++p_q) {
                    sum_n_p_q_part += dy[dy_offset + f * dy_stride_f + n * dy_stride_n + p_q];
                }
                add_pair_float(&sum_n_p_q, &sum_n_p_q_low, sum_n_p_q_part);
            }
        }
        add_pair_float(&sum_n_p_q, &sum_n_p_q_low, fold_sum_float16(sum_n_p_q_lanes));
        sum_n_p_q_low += fold_sum_float16(sum_n_p_q_lanes_low);
        const float sum_n_p_q_total = close_pair_float(sum_n_p_q, sum_n_p_q_low);
        grad_b[grad_b_offset + f] = sum_n_p_q_total;
    }
}

__kernel void conv2d_grad_x_w_b_1_panels_kernel(
    __global float *conv2d_grad_x_w_b_1_panels,
    __global const float *dy,
    const long size_n,
    const long size_i,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long size_s,
    const long size_r,
    const long size_f,
    const long chunk,
    const long units,
    const long items,
    __global float *conv2d_grad_x_w_b_2_panels_of_2,
    __global const float *x_2_of_2,
    const long size_c_of_2,
    const long size_r_of_2,
    const long size_s_of_2,
    const long dilation_0_of_2,
    const long stride_0_of_2,
    const long padding_0_of_2,
    const long size_i_of_2,
    const long dilation_1_of_2,
    const long stride_1_of_2,
    const long padding_1_of_2,
    const long size_j_of_2,
    const long x_offset_of_2,
    const long x_stride_c_of_2,
    const long x_stride_n_of_2,
    const long x_stride_p_of_2,
    const long x_stride_r_of_2,
    const long size_q_of_2,
    const long size_p_of_2,
    const long size_n_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long items_of_2,
    __global float *grad_b_of_3,
    __global const float *dy_of_3,
    const long chunk_of_3,
    const long units_of_3,
    const long size_f_of_3,
    const long size_n_of_3,
    const long size_p_q_of_3,
    const long dy_offset_of_3,
    const long dy_stride_f_of_3,
    const long dy_stride_n_of_3,
    const long grad_b_offset_of_3) {
    long item = get_global_id(0);
    if (item < items) {
        conv2d_grad_x_w_b_1_panels_item(conv2d_grad_x_w_b_1_panels, dy, size_n, size_i, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, size_s, size_r, size_f, chunk, units, item);
    } else if ((item -= items) < items_of_2) {
        conv2d_grad_x_w_b_2_panels_item(conv2d_grad_x_w_b_2_panels_of_2, x_2_of_2, size_c_of_2, size_r_of_2, size_s_of_2, dilation_0_of_2, stride_0_of_2, padding_0_of_2, size_i_of_2, dilation_1_of_2, stride_1_of_2, padding_1_of_2, size_j_of_2, x_offset_of_2, x_stride_c_of_2, x_stride_n_of_2, x_stride_p_of_2, x_stride_r_of_2, size_q_of_2, size_p_of_2, size_n_of_2, chunk_of_2, units_of_2, item);
    } else {
        item -= items_of_2;
        conv2d_grad_x_w_b_3_item(grad_b_of_3, dy_of_3, chunk_of_3, units_of_3, size_f_of_3, size_n_of_3, size_p_q_of_3, dy_offset_of_3, dy_stride_f_of_3, dy_stride_n_of_3, grad_b_offset_of_3, item);
    }
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1_steps(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long s = (from) % size_s;
    long r = (from) / size_s % size_r;
    long f = (from) / size_s / size_r;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = f * w_stride_f + r * w_stride_r + s;
        if (++s == size_s) {
            s = 0;
            if (++r == size_r) {
                r = 0;
                ++f;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1_left(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
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
        const long line = first + tile * 8, exist = min(8L, (size_c) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long c = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = w_offset + 0 + c * w_stride_c;
                if (x + 1 < exist) {
                    ++c;
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
                    const float8 r0 = vload8(0, w + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, w + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, w + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, w + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, w + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, w + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, w + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, w + begin[group + 7] + left_at[start]);
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
                        panel[step * 8 + group + x] = w[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) float conv2d_grad_x_w_b_1_again(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    long c,
    long n,
    long i,
    long j,
    long begin_chunk,
    long end_chunk) {
    i += j / size_j, j %= size_j;
    const long from = begin_chunk * 256, to = min(end_chunk * 256, size_f * size_r * size_s);
    const long at_2 = i + padding_0;
    const long at_4 = j + padding_1;
    long s = (from) % size_s;
    long r = (from) / size_s % size_r;
    long f = (from) / size_s / size_r;
    float again = 0;
    for (long step = from; step < to && again == again; ++step) {
        const long at_3 = at_2 - (dilation_0 * r);
        const long at_5 = at_4 - (dilation_1 * s);
        const int is = (((0L <= at_3) && (at_3 < size_p)) && (0L <= at_5)) && (at_5 < size_q);
        const float dy_value = is ? dy[dy_offset + f * dy_stride_f + i * dy_stride_i + j + n * dy_stride_n + r * dy_stride_r + s * dy_stride_s] : 0.0f;
        if (is) again = fma(w[w_offset + c * w_stride_c + f * w_stride_f + r * w_stride_r + s], is ? dy_value : 0.0f, again);
        if (++s == size_s) {
            s = 0;
            if (++r == size_r) {
                r = 0;
                ++f;
            }
        }
    }
    return again;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1_store(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long begin_chunk,
    const long end_chunk,
    float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_c) - row);
    const long count = min(32L, (size_n * size_i * size_j) - column);
    const long j = (column) % size_j;
    const long i = (column) / size_j % size_i;
    const long n = (column) / size_j / size_i;
    const long n_first = n;
    const long i_first = i;
    const long j_first = j;
    for (long line = 0; line < lines; ++line) {
        const long c = row + line;
        long n = n_first;
        long i = i_first;
        long j = j_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_i * size_j - ((i) * size_j + j));
            for (; at + 16 <= run; at += 16, j += 16) {
                if (any(isnan(vload16(0, sums + at))))
                    for (long x = 0; x < 16; ++x)
                        if (isnan(sums[at + x])) sums[at + x] = conv2d_grad_x_w_b_1_again(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, c, n, i, j + x, begin_chunk, end_chunk);
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_x + grad_x_offset + n * grad_x_stride_n + c * grad_x_stride_c + i * grad_x_stride_i + j);
            }
            for (; at < run; at += 1, j += 1) {
                if (isnan(sums[at])) sums[at] = conv2d_grad_x_w_b_1_again(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, c, n, i, j, begin_chunk, end_chunk);
                const float total = sums[at];
                grad_x[grad_x_offset + n * grad_x_stride_n + c * grad_x_stride_c + i * grad_x_stride_i + j] = total;
            }
            if (at < end) {
                i = 0;
                j = 0;
                ++n;
            }
        }
    }
}

__attribute__((noinline)) void conv2d_grad_x_w_b_1_item(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_c) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_n * size_i * size_j) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_f * size_r * size_s) + 255) / 256);
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
            const long from = number * 256, steps = min(256L, (size_f * size_r * size_s) - from);
            conv2d_grad_x_w_b_1_steps(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d_grad_x_w_b_1_left(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_grad_x_w_b_1_panels + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_n * size_i * size_j) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d_grad_x_w_b_1_store(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, begin_chunk, end_chunk, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2_steps(
    __global float *grad_w,
    __global const float *dy,
    __global const float *x_2,
    __global const float *conv2d_grad_x_w_b_2_panels,
    const long dy_stride_n,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long size_n,
    const long size_f,
    const long dy_offset,
    const long dy_stride_f,
    const long size_s,
    const long size_r,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long grad_w_offset,
    const long grad_w_stride_f,
    const long grad_w_stride_c,
    const long grad_w_stride_r,
    const long size_c,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at,
    int *left_run) {
    long q = (from) % size_q;
    long p = (from) / size_q % size_p;
    long n = (from) / size_q / size_p;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = n * dy_stride_n + p * dy_stride_p + q;
        if (++q == size_q) {
            q = 0;
            if (++p == size_p) {
                p = 0;
                ++n;
            }
        }
    }
    for (long step = steps - 1; step >= 0; --step)
        left_run[step] = step + 1 < steps && left_at[step + 1] == left_at[step] + 1 ? left_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2_left(
    __global float *grad_w,
    __global const float *dy,
    __global const float *x_2,
    __global const float *conv2d_grad_x_w_b_2_panels,
    const long dy_stride_n,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long size_n,
    const long size_f,
    const long dy_offset,
    const long dy_stride_f,
    const long size_s,
    const long size_r,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long grad_w_offset,
    const long grad_w_stride_f,
    const long grad_w_stride_c,
    const long grad_w_stride_r,
    const long size_c,
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
        const long line = first + tile * 8, exist = min(8L, (size_f) - line);
        float *panel = to + tile * steps * 8;
        long begin[8];
        {
            long f = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = dy_offset + 0 + f * dy_stride_f;
                if (x + 1 < exist) {
                    ++f;
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
                    const float8 r0 = vload8(0, dy + begin[group + 0] + left_at[start]);
                    const float8 r1 = vload8(0, dy + begin[group + 1] + left_at[start]);
                    const float8 r2 = vload8(0, dy + begin[group + 2] + left_at[start]);
                    const float8 r3 = vload8(0, dy + begin[group + 3] + left_at[start]);
                    const float8 r4 = vload8(0, dy + begin[group + 4] + left_at[start]);
                    const float8 r5 = vload8(0, dy + begin[group + 5] + left_at[start]);
                    const float8 r6 = vload8(0, dy + begin[group + 6] + left_at[start]);
                    const float8 r7 = vload8(0, dy + begin[group + 7] + left_at[start]);
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
                        panel[step * 8 + group + x] = dy[begin[group + x] + left_at[step]];
                    ++step;
                }
            }
        }
    }
}

__attribute__((noinline)) float conv2d_grad_x_w_b_2_again(
    __global float *grad_w,
    __global const float *dy,
    __global const float *x_2,
    __global const float *conv2d_grad_x_w_b_2_panels,
    const long dy_stride_n,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long size_n,
    const long size_f,
    const long dy_offset,
    const long dy_stride_f,
    const long size_s,
    const long size_r,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long grad_w_offset,
    const long grad_w_stride_f,
    const long grad_w_stride_c,
    const long grad_w_stride_r,
    const long size_c,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    long f,
    long c,
    long r,
    long s,
    long begin_chunk,
    long end_chunk) {
    r += s / size_s, s %= size_s;
    c += r / size_r, r %= size_r;
    const long from = begin_chunk * 256, to = min(end_chunk * 256, size_n * size_p * size_q);
    const long at_2 = dilation_0 * r;
    const long at_4 = dilation_1 * s;
    long q = (from) % size_q;
    long p = (from) / size_q % size_p;
    long n = (from) / size_q / size_p;
    float again = 0;
    for (long step = from; step < to && again == again; ++step) {
        const long at_3 = (at_2 + (p * stride_0)) - padding_0;
        const long at_5 = (at_4 + (q * stride_1)) - padding_1;
        const int is = (((0L <= at_3) && (at_3 < size_i)) && (0L <= at_5)) && (at_5 < size_j);
        const float x_value = is ? x_2[x_offset + c * x_stride_c + n * x_stride_n + p * x_stride_p + q + r * x_stride_r + s] : 0.0f;
        if (is) again = fma(dy[dy_offset + f * dy_stride_f + n * dy_stride_n + p * dy_stride_p + q], is ? x_value : 0.0f, again);
        if (++q == size_q) {
            q = 0;
            if (++p == size_p) {
                p = 0;
                ++n;
            }
        }
    }
    return again;
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2_store(
    __global float *grad_w,
    __global const float *dy,
    __global const float *x_2,
    __global const float *conv2d_grad_x_w_b_2_panels,
    const long dy_stride_n,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long size_n,
    const long size_f,
    const long dy_offset,
    const long dy_stride_f,
    const long size_s,
    const long size_r,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long grad_w_offset,
    const long grad_w_stride_f,
    const long grad_w_stride_c,
    const long grad_w_stride_r,
    const long size_c,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long begin_chunk,
    const long end_chunk,
    float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_f) - row);
    const long count = min(32L, (size_c * size_r * size_s) - column);
    const long s = (column) % size_s;
    const long r = (column) / size_s % size_r;
    const long c = (column) / size_s / size_r;
    const long c_first = c;
    const long r_first = r;
    const long s_first = s;
    for (long line = 0; line < lines; ++line) {
        const long f = row + line;
        long c = c_first;
        long r = r_first;
        long s = s_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_c * size_r * size_s - (((c) * size_r + r) * size_s + s));
            for (; at + 16 <= run; at += 16, s += 16) {
                if (any(isnan(vload16(0, sums + at))))
                    for (long x = 0; x < 16; ++x)
                        if (isnan(sums[at + x])) sums[at + x] = conv2d_grad_x_w_b_2_again(grad_w, dy, x_2, conv2d_grad_x_w_b_2_panels, dy_stride_n, dy_stride_p, size_q, size_p, size_n, size_f, dy_offset, dy_stride_f, size_s, size_r, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, grad_w_offset, grad_w_stride_f, grad_w_stride_c, grad_w_stride_r, size_c, row_block, column_block, chunk, units, f, c, r, s + x, begin_chunk, end_chunk);
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_w + grad_w_offset + f * grad_w_stride_f + c * grad_w_stride_c + r * grad_w_stride_r + s);
            }
            for (; at < run; at += 1, s += 1) {
                if (isnan(sums[at])) sums[at] = conv2d_grad_x_w_b_2_again(grad_w, dy, x_2, conv2d_grad_x_w_b_2_panels, dy_stride_n, dy_stride_p, size_q, size_p, size_n, size_f, dy_offset, dy_stride_f, size_s, size_r, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, grad_w_offset, grad_w_stride_f, grad_w_stride_c, grad_w_stride_r, size_c, row_block, column_block, chunk, units, f, c, r, s, begin_chunk, end_chunk);
                const float total = sums[at];
                grad_w[grad_w_offset + f * grad_w_stride_f + c * grad_w_stride_c + r * grad_w_stride_r + s] = total;
            }
        }
    }
}

__attribute__((noinline)) void conv2d_grad_x_w_b_2_item(
    __global float *grad_w,
    __global const float *dy,
    __global const float *x_2,
    __global const float *conv2d_grad_x_w_b_2_panels,
    const long dy_stride_n,
    const long dy_stride_p,
    const long size_q,
    const long size_p,
    const long size_n,
    const long size_f,
    const long dy_offset,
    const long dy_stride_f,
    const long size_s,
    const long size_r,
    const long dilation_0,
    const long stride_0,
    const long padding_0,
    const long size_i,
    const long dilation_1,
    const long stride_1,
    const long padding_1,
    const long size_j,
    const long x_offset,
    const long x_stride_c,
    const long x_stride_n,
    const long x_stride_p,
    const long x_stride_r,
    const long grad_w_offset,
    const long grad_w_stride_f,
    const long grad_w_stride_c,
    const long grad_w_stride_r,
    const long size_c,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_f) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_c * size_r * size_s) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_n * size_p * size_q) + 255) / 256);
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
            const long from = number * 256, steps = min(256L, (size_n * size_p * size_q) - from);
            conv2d_grad_x_w_b_2_steps(grad_w, dy, x_2, conv2d_grad_x_w_b_2_panels, dy_stride_n, dy_stride_p, size_q, size_p, size_n, size_f, dy_offset, dy_stride_f, size_s, size_r, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, grad_w_offset, grad_w_stride_f, grad_w_stride_c, grad_w_stride_r, size_c, row_block, column_block, chunk, units, from, steps, left_at, left_run);
            conv2d_grad_x_w_b_2_left(grad_w, dy, x_2, conv2d_grad_x_w_b_2_panels, dy_stride_n, dy_stride_p, size_q, size_p, size_n, size_f, dy_offset, dy_stride_f, size_s, size_r, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, grad_w_offset, grad_w_stride_f, grad_w_stride_c, grad_w_stride_r, size_c, row_block, column_block, chunk, units, left, left_at, left_run, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = conv2d_grad_x_w_b_2_panels + (((0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_c * size_r * size_s) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        conv2d_grad_x_w_b_2_store(grad_w, dy, x_2, conv2d_grad_x_w_b_2_panels, dy_stride_n, dy_stride_p, size_q, size_p, size_n, size_f, dy_offset, dy_stride_f, size_s, size_r, dilation_0, stride_0, padding_0, size_i, dilation_1, stride_1, padding_1, size_j, x_offset, x_stride_c, x_stride_n, x_stride_p, x_stride_r, grad_w_offset, grad_w_stride_f, grad_w_stride_c, grad_w_stride_r, size_c, row_block, column_block, chunk, units, begin_chunk, end_chunk, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void conv2d_grad_x_w_b_1_kernel(
    __global float *grad_x,
    __global const float *w,
    __global const float *dy,
    __global const float *conv2d_grad_x_w_b_1_panels,
    const long w_stride_f,
    const long w_stride_r,
    const long size_s,
    const long size_r,
    const long size_f,
    const long size_c,
    const long w_offset,
    const long w_stride_c,
    const long size_j,
    const long padding_0,
    const long dilation_0,
    const long size_p,
    const long padding_1,
    const long dilation_1,
    const long size_q,
    const long dy_offset,
    const long dy_stride_f,
    const long dy_stride_i,
    const long dy_stride_n,
    const long dy_stride_r,
    const long dy_stride_s,
    const long grad_x_offset,
    const long grad_x_stride_n,
    const long grad_x_stride_c,
    const long grad_x_stride_i,
    const long size_n,
    const long size_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long items,
    __global float *grad_w_of_2,
    __global const float *dy_of_2,
    __global const float *x_2_of_2,
    __global const float *conv2d_grad_x_w_b_2_panels_of_2,
    const long dy_stride_n_of_2,
    const long dy_stride_p_of_2,
    const long size_q_of_2,
    const long size_p_of_2,
    const long size_n_of_2,
    const long size_f_of_2,
    const long dy_offset_of_2,
    const long dy_stride_f_of_2,
    const long size_s_of_2,
    const long size_r_of_2,
    const long dilation_0_of_2,
    const long stride_0_of_2,
    const long padding_0_of_2,
    const long size_i_of_2,
    const long dilation_1_of_2,
    const long stride_1_of_2,
    const long padding_1_of_2,
    const long size_j_of_2,
    const long x_offset_of_2,
    const long x_stride_c_of_2,
    const long x_stride_n_of_2,
    const long x_stride_p_of_2,
    const long x_stride_r_of_2,
    const long grad_w_offset_of_2,
    const long grad_w_stride_f_of_2,
    const long grad_w_stride_c_of_2,
    const long grad_w_stride_r_of_2,
    const long size_c_of_2,
    const long row_block_of_2,
    const long column_block_of_2,
    const long chunk_of_2,
    const long units_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        conv2d_grad_x_w_b_1_item(grad_x, w, dy, conv2d_grad_x_w_b_1_panels, w_stride_f, w_stride_r, size_s, size_r, size_f, size_c, w_offset, w_stride_c, size_j, padding_0, dilation_0, size_p, padding_1, dilation_1, size_q, dy_offset, dy_stride_f, dy_stride_i, dy_stride_n, dy_stride_r, dy_stride_s, grad_x_offset, grad_x_stride_n, grad_x_stride_c, grad_x_stride_i, size_n, size_i, row_block, column_block, chunk, units, item);
    } else {
        item -= items;
        conv2d_grad_x_w_b_2_item(grad_w_of_2, dy_of_2, x_2_of_2, conv2d_grad_x_w_b_2_panels_of_2, dy_stride_n_of_2, dy_stride_p_of_2, size_q_of_2, size_p_of_2, size_n_of_2, size_f_of_2, dy_offset_of_2, dy_stride_f_of_2, size_s_of_2, size_r_of_2, dilation_0_of_2, stride_0_of_2, padding_0_of_2, size_i_of_2, dilation_1_of_2, stride_1_of_2, padding_1_of_2, size_j_of_2, x_offset_of_2, x_stride_c_of_2, x_stride_n_of_2, x_stride_p_of_2, x_stride_r_of_2, grad_w_offset_of_2, grad_w_stride_f_of_2, grad_w_stride_c_of_2, grad_w_stride_r_of_2, size_c_of_2, row_block_of_2, column_block_of_2, chunk_of_2, units_of_2, item);
    }
}
