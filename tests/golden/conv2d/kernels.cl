// conv2d (kernels_dsl/convolution.netcl)
//     y[n0, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d_panels__item(
    __global float *conv2d_panels_,
    __global const float *x_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long units,
    const long chunk,
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
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long item) {
    const long chunks = max((((size_c_ * size_r_) * size_s_) + 255L) >> 8, 1L);
    const long column_tiles = (((size_n0_ * size_p_) * size_q_) + 31L) >> 5;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, column_tiles);
    for (long run = 0; run < (floor_div_long((begin + count) + (column_tiles - 1L), column_tiles) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * column_tiles), 0L);
        for (long step = 0; step < (min((begin + count) - (at * column_tiles), column_tiles) - start); ++step) {
            const long at_2 = start + step;
            const long from = at * 256L;
            const long steps = min(256L, ((size_c_ * size_r_) * size_s_) - from);
            const long exist = min(32L, ((size_n0_ * size_p_) * size_q_) - (at_2 * 32L));
            const long panel = ((at * column_tiles) + at_2) * 8192L;
            const long first_2 = (at_2 * 32L) / (size_p_ * size_q_);
            for (long run_2 = 0; run_2 < (((((at_2 * 32L) + exist) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first_2); ++run_2) {
                const long at_3 = first_2 + run_2;
                const long start_2 = max((at_2 * 32L) - (at_3 * (size_p_ * size_q_)), 0L);
                const long many = min(((at_2 * 32L) + exist) - (at_3 * (size_p_ * size_q_)), size_p_ * size_q_) - start_2;
                const long first_3 = start_2 / size_q_;
                for (long run_3 = 0; run_3 < ((((start_2 + many) + (size_q_ - 1L)) / size_q_) - first_3); ++run_3) {
                    const long at_4 = first_3 + run_3;
                    const long start_3 = max(start_2 - (at_4 * size_q_), 0L);
                    for (long step_2 = 0; step_2 < (min((start_2 + many) - (at_4 * size_q_), size_q_) - start_3); ++step_2) {
                        const long at_5 = start_3 + step_2;
                        const long number = ((((at_3 * size_p_) + at_4) * size_q_) + at_5) - (at_2 * 32L);
                        const long value = at_4 * stride_0_;
                        const long value_2 = at_5 * stride_1_;
                        const long first_4 = from / (size_r_ * size_s_);
                        for (long run_4 = 0; run_4 < ((((from + steps) + ((size_r_ * size_s_) - 1L)) / (size_r_ * size_s_)) - first_4); ++run_4) {
                            const long at_6 = first_4 + run_4;
                            const long start_4 = max(from - (at_6 * (size_r_ * size_s_)), 0L);
                            const long many_2 = min((from + steps) - (at_6 * (size_r_ * size_s_)), size_r_ * size_s_) - start_4;
                            const long first_5 = start_4 / size_s_;
                            for (long run_5 = 0; run_5 < ((((start_4 + many_2) + (size_s_ - 1L)) / size_s_) - first_5); ++run_5) {
                                const long at_7 = first_5 + run_5;
                                const long start_5 = max(start_4 - (at_7 * size_s_), 0L);
                                for (long step_3 = 0; step_3 < (min((start_4 + many_2) - (at_7 * size_s_), size_s_) - start_5); ++step_3) {
                                    const long at_8 = start_5 + step_3;
                                    const long number_2 = ((((at_6 * size_r_) + at_7) * size_s_) + at_8) - from;
                                    const long value_3 = as_long((as_ulong(dilation_0_ * at_7) + as_ulong(value)) - as_ulong(padding_0_));
                                    const long value_4 = as_long((as_ulong(dilation_1_ * at_8) + as_ulong(value_2)) - as_ulong(padding_1_));
                                    const int is = (((0L <= value_3) & (value_3 < size_i_)) & (0L <= value_4)) & (value_4 < size_j_);
                                    conv2d_panels_[(panel + (number_2 * 32L)) + number] = is ? x_[(((((x_offset_ + (at_6 * x_stride_c_)) + (at_3 * x_stride_n0_)) + (at_4 * x_stride_p_)) + at_5) + (at_7 * x_stride_r_)) + at_8] : 0.0f;
                                }
                            }
                        }
                    }
                }
            }
            for (long beyond = 0; beyond < max(32L - exist, 0L); ++beyond) {
                for (long step_4 = 0; step_4 < steps; ++step_4) {
                    conv2d_panels_[(panel + (step_4 * 32L)) + (exist + beyond)] = 0.0f;
                }
            }
        }
    }
}

__kernel void conv2d_panels__kernel(
    __global float *conv2d_panels_,
    __global const float *x_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long units,
    const long chunk,
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
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_r_) {
    conv2d_panels__item(conv2d_panels_, x_, size_n0_, size_p_, size_q_, size_c_, size_r_, size_s_, units, chunk, dilation_0_, stride_0_, padding_0_, size_i_, dilation_1_, stride_1_, padding_1_, size_j_, x_offset_, x_stride_c_, x_stride_n0_, x_stride_p_, x_stride_r_, get_global_id(0));
}


// conv2d (kernels_dsl/convolution.netcl)
//     y[n0, (g f), p, q] = a function of b, w, x with sum[c, r, s]
__attribute__((noinline)) void conv2d__item(
    __global const float *w_,
    __global const float *conv2d_panels_,
    __global const float *b_,
    __global float *y_,
    const long size_f_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_f_,
    const long item) {
    long left_begins[96L] __attribute__((aligned(64)));
    float all_sums[36864L] __attribute__((aligned(64)));
    float left_panels[24576L] __attribute__((aligned(64)));
    float8 left_line;
    float8 left_line_2;
    float8 left_line_3;
    float8 left_line_4;
    float8 left_line_5;
    float8 left_line_6;
    float8 left_line_7;
    float8 left_line_8;
    const long chunks = max((((size_c_ * size_r_) * size_s_) + 255L) >> 8, 1L);
    const long row_tiles = (size_f_ + 7L) >> 3;
    const long column_tiles = (((size_n0_ * size_p_) * size_q_) + 31L) >> 5;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_rows);
    for (long run = 0; run < (floor_div_long((begin + count) + (blocks_of_rows - 1L), blocks_of_rows) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * blocks_of_rows), 0L);
        for (long step = 0; step < (min((begin + count) - (at * blocks_of_rows), blocks_of_rows) - start); ++step) {
            const long at_2 = start + step;
            const long first_row = at_2 * row_block_;
            const long end_row = min(first_row + row_block_, row_tiles);
            const long first_column = at * column_block_;
            const long end_column = min(first_column + column_block_, column_tiles);
            const long begin_chunk = 0L;
            const long end_chunk = chunks;
            for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                const long number = begin_chunk + chunk_2;
                const long from = number * 256L;
                const long steps = min(256L, ((size_c_ * size_r_) * size_s_) - from);
                for (long at_3 = 0; at_3 < (end_row - first_row); ++at_3) {
                    const long row_tile = first_row + at_3;
                    const long exist = min(8L, size_f_ - (row_tile * 8L));
                    for (long step_2 = 0; step_2 < exist; ++step_2) {
                        const long unit = (row_tile * 8L) + step_2;
                        const long number_2 = unit - (row_tile * 8L);
                        left_begins[(at_3 * 8L) + number_2] = w_offset_ + (unit * w_stride_f_);
                    }
                    for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                        const long t = at_3 * 8L;
                        left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                    }
                }
                for (long at_4 = 0; at_4 < (end_row - first_row); ++at_4) {
                    const long row_tile_2 = first_row + at_4;
                    const long exist_2 = min(8L, size_f_ - (row_tile_2 * 8L));
                    for (long group = 0; group < 1L; ++group) {
                        if ((group * 8L) < exist_2) {
                            const long at_5 = from - from;
                            const long count_2 = steps;
                            if (count_2 >= 8L) {
                                for (long square = 0; square < ((count_2 + 7L) >> 3); ++square) {
                                    const long start_2 = at_5 + min(square * 8L, count_2 - 8L);
                                    left_line = load_floats_8(w_ + left_begins[(at_4 * 8L) + (group * 8L)] + (from + start_2));
                                    left_line_2 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 1L)] + (from + start_2));
                                    left_line_3 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 2L)] + (from + start_2));
                                    left_line_4 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 3L)] + (from + start_2));
                                    left_line_5 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 4L)] + (from + start_2));
                                    left_line_6 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 5L)] + (from + start_2));
                                    left_line_7 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 6L)] + (from + start_2));
                                    left_line_8 = load_floats_8(w_ + left_begins[(at_4 * 8L) + ((group * 8L) + 7L)] + (from + start_2));
                                    {
                                        const float8 a = left_line, b = left_line_2;
                                        left_line = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                        left_line_2 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_3, b = left_line_4;
                                        left_line_3 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                        left_line_4 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_5, b = left_line_6;
                                        left_line_5 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                        left_line_6 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_7, b = left_line_8;
                                        left_line_7 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                        left_line_8 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                    }
                                    {
                                        const float8 a = left_line, b = left_line_3;
                                        left_line = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                        left_line_3 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_2, b = left_line_4;
                                        left_line_2 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                        left_line_4 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_5, b = left_line_7;
                                        left_line_5 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                        left_line_7 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_6, b = left_line_8;
                                        left_line_6 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                        left_line_8 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line, b = left_line_5;
                                        left_line = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                        left_line_5 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_2, b = left_line_6;
                                        left_line_2 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                        left_line_6 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_3, b = left_line_7;
                                        left_line_3 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                        left_line_7 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                    }
                                    {
                                        const float8 a = left_line_4, b = left_line_8;
                                        left_line_4 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                        left_line_8 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                    }
                                    store_private_floats_8(left_line, left_panels + (((at_4 * steps) * 8L) + (start_2 * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_2, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 1L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_3, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 2L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_4, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 3L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_5, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 4L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_6, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 5L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_7, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 6L) * 8L)) + (group * 8L));
                                    store_private_floats_8(left_line_8, left_panels + (((at_4 * steps) * 8L) + ((start_2 + 7L) * 8L)) + (group * 8L));
                                }
                            }
                            if (!(count_2 >= 8L)) {
                                for (long step_3 = 0; step_3 < ((at_5 + count_2) - at_5); ++step_3) {
                                    for (long line = 0; line < 8L; ++line) {
                                        const long t_2 = at_5 + step_3;
                                        const long t_3 = (group * 8L) + line;
                                        left_panels[(((at_4 * steps) * 8L) + (t_2 * 8L)) + t_3] = w_[left_begins[(at_4 * 8L) + t_3] + (from + t_2)];
                                    }
                                }
                            }
                        }
                        if (!((group * 8L) < exist_2)) {
                            for (long step_4 = 0; step_4 < steps; ++step_4) {
                                store_private_floats_8((float8)(0.0f), left_panels + (((at_4 * steps) * 8L) + (step_4 * 8L)) + (group * 8L));
                            }
                        }
                    }
                }
                for (long at_6 = 0; at_6 < (end_column - first_column); ++at_6) {
                    const long column_tile = first_column + at_6;
                    const long panel = ((number * column_tiles) + column_tile) * 8192L;
                    for (long at_7 = 0; at_7 < (end_row - first_row); ++at_7) {
                        const long row_tile_3 = first_row + at_7;
                        const long sums = ((at_6 * row_block_) + at_7) * 256L;
                        const long remaining = ((size_n0_ * size_p_) * size_q_) - (column_tile * 32L);
                        if (remaining > 16L) {
                            tile_float32_8x32_global(left_panels, conv2d_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((!(remaining > 16L)) & (remaining > 8L)) {
                            half_tile_float32_8x32_global(left_panels, conv2d_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if (!(remaining > 8L)) {
                            quarter_tile_float32_8x32_global(left_panels, conv2d_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((number + 1L) == end_chunk) {
                            const long lines = min(8L, size_f_ - (row_tile_3 * 8L));
                            const long count_3 = min(32L, ((size_n0_ * size_p_) * size_q_) - (column_tile * 32L));
                            const long first_2 = (column_tile * 32L) / (size_p_ * size_q_);
                            for (long run_2 = 0; run_2 < (((((column_tile * 32L) + count_3) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first_2); ++run_2) {
                                const long at_8 = first_2 + run_2;
                                const long start_3 = max((column_tile * 32L) - (at_8 * (size_p_ * size_q_)), 0L);
                                for (long line_2 = 0; line_2 < lines; ++line_2) {
                                    const long row = (row_tile_3 * 8L) + line_2;
                                    const float b_value_ = b_[b_offset_ + row];
                                    const long vectors = (min(((column_tile * 32L) + count_3) - (at_8 * (size_p_ * size_q_)), size_p_ * size_q_) - start_3) >> 4;
                                    for (long vector = 0; vector < vectors; ++vector) {
                                        const long start_4 = start_3 + (vector * 16L);
                                        const float16 total = load_private_floats(all_sums + (sums + (line_2 * 32L)) + (((at_8 * (size_p_ * size_q_)) + start_4) - (column_tile * 32L)));
                                        store_floats(total + (float16)(b_value_), y_ + ((y_offset_ + (at_8 * y_stride_n0_)) + (row * y_stride_f_)) + start_4);
                                    }
                                    for (long left = 0; left < ((min(((column_tile * 32L) + count_3) - (at_8 * (size_p_ * size_q_)), size_p_ * size_q_) - start_3) & 15L); ++left) {
                                        const long q_ = (start_3 + (vectors * 16L)) + left;
                                        const float total_2 = all_sums[(sums + (line_2 * 32L)) + (((at_8 * (size_p_ * size_q_)) + q_) - (column_tile * 32L))];
                                        y_[((y_offset_ + (at_8 * y_stride_n0_)) + (row * y_stride_f_)) + q_] = total_2 + b_value_;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

__kernel void conv2d__kernel(
    __global const float *w_,
    __global const float *conv2d_panels_,
    __global const float *b_,
    __global float *y_,
    const long size_f_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long w_offset_,
    const long w_stride_f_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_f_) {
    conv2d__item(w_, conv2d_panels_, b_, y_, size_f_, size_n0_, size_p_, size_q_, size_c_, size_r_, size_s_, row_block_, column_block_, units, chunk, w_offset_, w_stride_f_, b_offset_, y_offset_, y_stride_n0_, y_stride_f_, get_global_id(0));
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n0, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1_panels__item(
    __global float *conv2d_grad_x_w_b_1_panels_,
    __global const float *dy_,
    const long size_n0_,
    const long size_i_,
    const long size_j_,
    const long size_f_,
    const long size_r_,
    const long size_s_,
    const long units,
    const long chunk,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long item) {
    const long chunks = max((((size_f_ * size_r_) * size_s_) + 255L) >> 8, 1L);
    const long column_tiles = (((size_i_ * size_j_) * size_n0_) + 31L) >> 5;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, column_tiles);
    for (long run = 0; run < (floor_div_long((begin + count) + (column_tiles - 1L), column_tiles) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * column_tiles), 0L);
        for (long step = 0; step < (min((begin + count) - (at * column_tiles), column_tiles) - start); ++step) {
            const long at_2 = start + step;
            const long from = at * 256L;
            const long steps = min(256L, ((size_f_ * size_r_) * size_s_) - from);
            const long exist = min(32L, ((size_i_ * size_j_) * size_n0_) - (at_2 * 32L));
            const long panel = ((at * column_tiles) + at_2) * 8192L;
            const long first_2 = (at_2 * 32L) / (size_i_ * size_j_);
            for (long run_2 = 0; run_2 < (((((at_2 * 32L) + exist) + ((size_i_ * size_j_) - 1L)) / (size_i_ * size_j_)) - first_2); ++run_2) {
                const long at_3 = first_2 + run_2;
                const long start_2 = max((at_2 * 32L) - (at_3 * (size_i_ * size_j_)), 0L);
                const long many = min(((at_2 * 32L) + exist) - (at_3 * (size_i_ * size_j_)), size_i_ * size_j_) - start_2;
                const long first_3 = start_2 / size_j_;
                for (long run_3 = 0; run_3 < ((((start_2 + many) + (size_j_ - 1L)) / size_j_) - first_3); ++run_3) {
                    const long at_4 = first_3 + run_3;
                    const long start_3 = max(start_2 - (at_4 * size_j_), 0L);
                    for (long step_2 = 0; step_2 < (min((start_2 + many) - (at_4 * size_j_), size_j_) - start_3); ++step_2) {
                        const long at_5 = start_3 + step_2;
                        const long number = ((((at_3 * size_i_) + at_4) * size_j_) + at_5) - (at_2 * 32L);
                        const long value = at_4 + padding_0_;
                        const long value_2 = at_5 + padding_1_;
                        const long first_4 = from / (size_r_ * size_s_);
                        for (long run_4 = 0; run_4 < ((((from + steps) + ((size_r_ * size_s_) - 1L)) / (size_r_ * size_s_)) - first_4); ++run_4) {
                            const long at_6 = first_4 + run_4;
                            const long start_4 = max(from - (at_6 * (size_r_ * size_s_)), 0L);
                            const long many_2 = min((from + steps) - (at_6 * (size_r_ * size_s_)), size_r_ * size_s_) - start_4;
                            const long first_5 = start_4 / size_s_;
                            for (long run_5 = 0; run_5 < ((((start_4 + many_2) + (size_s_ - 1L)) / size_s_) - first_5); ++run_5) {
                                const long at_7 = first_5 + run_5;
                                const long start_5 = max(start_4 - (at_7 * size_s_), 0L);
                                for (long step_3 = 0; step_3 < (min((start_4 + many_2) - (at_7 * size_s_), size_s_) - start_5); ++step_3) {
                                    const long at_8 = start_5 + step_3;
                                    const long number_2 = ((((at_6 * size_r_) + at_7) * size_s_) + at_8) - from;
                                    const long value_3 = as_long(as_ulong(value) - as_ulong(dilation_0_ * at_7));
                                    const long value_4 = as_long(as_ulong(value_2) - as_ulong(dilation_1_ * at_8));
                                    const int is = (((0L <= value_3) & (value_3 < size_p_)) & (0L <= value_4)) & (value_4 < size_q_);
                                    conv2d_grad_x_w_b_1_panels_[(panel + (number_2 * 32L)) + number] = is ? dy_[(((((dy_offset_ + (at_6 * dy_stride_f_)) + (at_4 * dy_stride_i_)) + at_5) + (at_3 * dy_stride_n0_)) + (at_7 * dy_stride_r_)) + (at_8 * dy_stride_s_)] : 0.0f;
                                }
                            }
                        }
                    }
                }
            }
            for (long beyond = 0; beyond < max(32L - exist, 0L); ++beyond) {
                for (long step_4 = 0; step_4 < steps; ++step_4) {
                    conv2d_grad_x_w_b_1_panels_[(panel + (step_4 * 32L)) + (exist + beyond)] = 0.0f;
                }
            }
        }
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n0, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2_panels__item(
    __global float *conv2d_grad_x_w_b_2_panels_,
    __global const float *x_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long units,
    const long chunk,
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
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long item) {
    const long chunks = max((((size_n0_ * size_p_) * size_q_) + 255L) >> 8, 1L);
    const long column_tiles = (((size_c_ * size_r_) * size_s_) + 31L) >> 5;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, column_tiles);
    for (long run = 0; run < (floor_div_long((begin + count) + (column_tiles - 1L), column_tiles) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * column_tiles), 0L);
        for (long step = 0; step < (min((begin + count) - (at * column_tiles), column_tiles) - start); ++step) {
            const long at_2 = start + step;
            const long from = at * 256L;
            const long steps = min(256L, ((size_n0_ * size_p_) * size_q_) - from);
            const long exist = min(32L, ((size_c_ * size_r_) * size_s_) - (at_2 * 32L));
            const long panel = ((at * column_tiles) + at_2) * 8192L;
            const long first_2 = (at_2 * 32L) / (size_r_ * size_s_);
            for (long run_2 = 0; run_2 < (((((at_2 * 32L) + exist) + ((size_r_ * size_s_) - 1L)) / (size_r_ * size_s_)) - first_2); ++run_2) {
                const long at_3 = first_2 + run_2;
                const long start_2 = max((at_2 * 32L) - (at_3 * (size_r_ * size_s_)), 0L);
                const long many = min(((at_2 * 32L) + exist) - (at_3 * (size_r_ * size_s_)), size_r_ * size_s_) - start_2;
                const long first_3 = start_2 / size_s_;
                for (long run_3 = 0; run_3 < ((((start_2 + many) + (size_s_ - 1L)) / size_s_) - first_3); ++run_3) {
                    const long at_4 = first_3 + run_3;
                    const long start_3 = max(start_2 - (at_4 * size_s_), 0L);
                    for (long step_2 = 0; step_2 < (min((start_2 + many) - (at_4 * size_s_), size_s_) - start_3); ++step_2) {
                        const long at_5 = start_3 + step_2;
                        const long number = ((((at_3 * size_r_) + at_4) * size_s_) + at_5) - (at_2 * 32L);
                        const long value = dilation_0_ * at_4;
                        const long value_2 = dilation_1_ * at_5;
                        const long first_4 = from / (size_p_ * size_q_);
                        for (long run_4 = 0; run_4 < ((((from + steps) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first_4); ++run_4) {
                            const long at_6 = first_4 + run_4;
                            const long start_4 = max(from - (at_6 * (size_p_ * size_q_)), 0L);
                            const long many_2 = min((from + steps) - (at_6 * (size_p_ * size_q_)), size_p_ * size_q_) - start_4;
                            const long first_5 = start_4 / size_q_;
                            for (long run_5 = 0; run_5 < ((((start_4 + many_2) + (size_q_ - 1L)) / size_q_) - first_5); ++run_5) {
                                const long at_7 = first_5 + run_5;
                                const long start_5 = max(start_4 - (at_7 * size_q_), 0L);
                                for (long step_3 = 0; step_3 < (min((start_4 + many_2) - (at_7 * size_q_), size_q_) - start_5); ++step_3) {
                                    const long at_8 = start_5 + step_3;
                                    const long number_2 = ((((at_6 * size_p_) + at_7) * size_q_) + at_8) - from;
                                    const long value_3 = as_long((as_ulong(value) + as_ulong(at_7 * stride_0_)) - as_ulong(padding_0_));
                                    const long value_4 = as_long((as_ulong(value_2) + as_ulong(at_8 * stride_1_)) - as_ulong(padding_1_));
                                    const int is = (((0L <= value_3) & (value_3 < size_i_)) & (0L <= value_4)) & (value_4 < size_j_);
                                    conv2d_grad_x_w_b_2_panels_[(panel + (number_2 * 32L)) + number] = is ? x_[(((((x_offset_ + (at_3 * x_stride_c_)) + (at_6 * x_stride_n0_)) + (at_7 * x_stride_p_)) + at_8) + (at_4 * x_stride_r_)) + at_5] : 0.0f;
                                }
                            }
                        }
                    }
                }
            }
            for (long beyond = 0; beyond < max(32L - exist, 0L); ++beyond) {
                for (long step_4 = 0; step_4 < steps; ++step_4) {
                    conv2d_grad_x_w_b_2_panels_[(panel + (step_4 * 32L)) + (exist + beyond)] = 0.0f;
                }
            }
        }
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_b[(g f)] = sum[n0, p, q](dy[n0, g, f, p, q])
__attribute__((noinline)) void conv2d_grad_x_w_b_3__item(
    __global const float *dy_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long size_p_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_n0_,
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
        for (long n0_ = 0; n0_ < size_n0_; ++n0_) {
            const long count_2 = size_p_;
            for (long run = 0; run < ((count_2 + 4095L) >> 12); ++run) {
                const long begin_2 = run * 4096L;
                const long here = max(min(count_2 - (run * 4096L), 4096L), 0L);
                own_run_sum_2 = (float16)(0.0f);
                own_run_sum = 0.0f;
                own_run_sum_3 = (float16)(0.0f);
                own_run_sum_4 = (float16)(0.0f);
                own_run_sum_5 = (float16)(0.0f);
                for (long step_2 = 0; step_2 < (here >> 6); ++step_2) {
                    const float16 dy_value_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + (begin_2 + (step_2 * 64L)));
                    own_run_sum_2 = own_run_sum_2 + dy_value_;
                    const float16 dy_value_2_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + ((begin_2 + (step_2 * 64L)) + 16L));
                    own_run_sum_3 = own_run_sum_3 + dy_value_2_;
                    const float16 dy_value_3_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + ((begin_2 + (step_2 * 64L)) + 32L));
                    own_run_sum_4 = own_run_sum_4 + dy_value_3_;
                    const float16 dy_value_4_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + ((begin_2 + (step_2 * 64L)) + 48L));
                    own_run_sum_5 = own_run_sum_5 + dy_value_4_;
                }
                own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
                own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
                own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
                const long rest = here & 63L;
                const long vectors = rest >> 4;
                for (long vector = 0; vector < vectors; ++vector) {
                    const long start = (begin_2 + ((here >> 6) * 64L)) + (vector * 16L);
                    const float16 dy_value_5_ = load_floats(dy_ + ((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + start);
                    own_run_sum_2 = own_run_sum_2 + dy_value_5_;
                }
                for (long left = 0; left < (rest & 15L); ++left) {
                    const long p_ = ((begin_2 + ((here >> 6) * 64L)) + (vectors * 16L)) + left;
                    own_run_sum = own_run_sum + dy_[((dy_offset_ + (unit * dy_stride_f_)) + (n0_ * dy_stride_n0_)) + p_];
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
    const long size_n0_,
    const long size_i_,
    const long size_j_,
    const long size_f_,
    const long size_r_,
    const long size_s_,
    const long units,
    const long chunk,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long items,
    __global float *conv2d_grad_x_w_b_2_panels_of_2_,
    __global const float *x_of_2_,
    const long size_c_of_2_,
    const long size_r_of_2_,
    const long size_s_of_2_,
    const long size_n0_of_2_,
    const long size_p_of_2_,
    const long size_q_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long stride_0_of_2_,
    const long size_i_of_2_,
    const long stride_1_of_2_,
    const long size_j_of_2_,
    const long x_offset_of_2_,
    const long x_stride_c_of_2_,
    const long x_stride_n0_of_2_,
    const long x_stride_p_of_2_,
    const long x_stride_r_of_2_,
    const long items_of_2,
    __global float *grad_b_of_3_,
    const long units_of_3,
    const long chunk_of_3,
    const long size_n0_of_3_,
    const long size_p_of_3_,
    const long dy_offset_of_3_,
    const long dy_stride_f_of_3_,
    const long dy_stride_n0_of_3_,
    const long grad_b_offset_of_3_) {
    const long items_of_last = get_global_size(0) - items - items_of_2;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_2 * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_2 * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_2 * run / 8;
    const long first_2 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    const long count_1 = items_of_2 * (run + 1) / 8 - first_1;
    if (item < count_0) {
        conv2d_grad_x_w_b_1_panels__item(conv2d_grad_x_w_b_1_panels_, dy_, size_n0_, size_i_, size_j_, size_f_, size_r_, size_s_, units, chunk, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n0_, dy_stride_r_, dy_stride_s_, first_0 + item);
    } else if ((item -= count_0) < count_1) {
        conv2d_grad_x_w_b_2_panels__item(conv2d_grad_x_w_b_2_panels_of_2_, x_of_2_, size_c_of_2_, size_r_of_2_, size_s_of_2_, size_n0_of_2_, size_p_of_2_, size_q_of_2_, units_of_2, chunk_of_2, dilation_0_, stride_0_of_2_, padding_0_, size_i_of_2_, dilation_1_, stride_1_of_2_, padding_1_, size_j_of_2_, x_offset_of_2_, x_stride_c_of_2_, x_stride_n0_of_2_, x_stride_p_of_2_, x_stride_r_of_2_, first_1 + item);
    } else {
        item -= count_1;
        conv2d_grad_x_w_b_3__item(dy_, grad_b_of_3_, units_of_3, chunk_of_3, size_n0_of_3_, size_p_of_3_, dy_offset_of_3_, dy_stride_f_of_3_, dy_stride_n0_of_3_, grad_b_offset_of_3_, first_2 + item);
    }
}


// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_x[n0, (g c), i, j] = a function of dy, w with sum[r, s, f]
__attribute__((noinline)) void conv2d_grad_x_w_b_1__item(
    __global const float *w_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    __global float *grad_x_,
    __global const float *dy_,
    const long size_c_,
    const long size_n0_,
    const long size_i_,
    const long size_j_,
    const long size_f_,
    const long size_r_,
    const long size_s_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long w_stride_f_,
    const long w_stride_r_,
    const long w_offset_,
    const long w_stride_c_,
    const long grad_x_offset_,
    const long grad_x_stride_n0_,
    const long grad_x_stride_c_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long item) {
    long left_begins[96L] __attribute__((aligned(64)));
    long left_steps[256L] __attribute__((aligned(64)));
    float all_sums[36864L] __attribute__((aligned(64)));
    float left_panels[24576L] __attribute__((aligned(64)));
    float8 left_line;
    float8 left_line_2;
    float8 left_line_3;
    float8 left_line_4;
    float8 left_line_5;
    float8 left_line_6;
    float8 left_line_7;
    float8 left_line_8;
    int own_has_nan;
    float own_again;
    const long chunks = max((((size_f_ * size_r_) * size_s_) + 255L) >> 8, 1L);
    const long row_tiles = (size_c_ + 7L) >> 3;
    const long column_tiles = (((size_i_ * size_j_) * size_n0_) + 31L) >> 5;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_rows);
    for (long run = 0; run < (floor_div_long((begin + count) + (blocks_of_rows - 1L), blocks_of_rows) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * blocks_of_rows), 0L);
        for (long step = 0; step < (min((begin + count) - (at * blocks_of_rows), blocks_of_rows) - start); ++step) {
            const long at_2 = start + step;
            const long first_row = at_2 * row_block_;
            const long end_row = min(first_row + row_block_, row_tiles);
            const long first_column = at * column_block_;
            const long end_column = min(first_column + column_block_, column_tiles);
            const long begin_chunk = 0L;
            const long end_chunk = chunks;
            for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                const long number = begin_chunk + chunk_2;
                const long from = number * 256L;
                const long steps = min(256L, ((size_f_ * size_r_) * size_s_) - from);
                const long first_2 = from / (size_r_ * size_s_);
                for (long run_2 = 0; run_2 < ((((from + steps) + ((size_r_ * size_s_) - 1L)) / (size_r_ * size_s_)) - first_2); ++run_2) {
                    const long at_3 = first_2 + run_2;
                    const long start_2 = max(from - (at_3 * (size_r_ * size_s_)), 0L);
                    const long many = min((from + steps) - (at_3 * (size_r_ * size_s_)), size_r_ * size_s_) - start_2;
                    const long first_3 = start_2 / size_s_;
                    for (long run_3 = 0; run_3 < ((((start_2 + many) + (size_s_ - 1L)) / size_s_) - first_3); ++run_3) {
                        const long at_4 = first_3 + run_3;
                        const long start_3 = max(start_2 - (at_4 * size_s_), 0L);
                        for (long step_2 = 0; step_2 < (min((start_2 + many) - (at_4 * size_s_), size_s_) - start_3); ++step_2) {
                            const long at_5 = start_3 + step_2;
                            const long number_2 = ((((at_3 * size_r_) + at_4) * size_s_) + at_5) - from;
                            left_steps[number_2] = ((at_3 * w_stride_f_) + (at_4 * w_stride_r_)) + at_5;
                        }
                    }
                }
                for (long at_6 = 0; at_6 < (end_row - first_row); ++at_6) {
                    const long row_tile = first_row + at_6;
                    const long exist = min(8L, size_c_ - (row_tile * 8L));
                    for (long step_3 = 0; step_3 < exist; ++step_3) {
                        const long unit = (row_tile * 8L) + step_3;
                        const long number_3 = unit - (row_tile * 8L);
                        left_begins[(at_6 * 8L) + number_3] = w_offset_ + (unit * w_stride_c_);
                    }
                    for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                        const long t = at_6 * 8L;
                        left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                    }
                }
                for (long at_7 = 0; at_7 < (end_row - first_row); ++at_7) {
                    const long row_tile_2 = first_row + at_7;
                    const long exist_2 = min(8L, size_c_ - (row_tile_2 * 8L));
                    for (long group = 0; group < 1L; ++group) {
                        if ((group * 8L) < exist_2) {
                            const long first_4 = from / (size_r_ * size_s_);
                            for (long run_4 = 0; run_4 < ((((from + steps) + ((size_r_ * size_s_) - 1L)) / (size_r_ * size_s_)) - first_4); ++run_4) {
                                const long at_8 = first_4 + run_4;
                                const long start_4 = max(from - (at_8 * (size_r_ * size_s_)), 0L);
                                const long at_9 = ((at_8 * (size_r_ * size_s_)) + start_4) - from;
                                const long count_2 = min((from + steps) - (at_8 * (size_r_ * size_s_)), size_r_ * size_s_) - start_4;
                                if (count_2 >= 8L) {
                                    for (long square = 0; square < ((count_2 + 7L) >> 3); ++square) {
                                        const long start_5 = at_9 + min(square * 8L, count_2 - 8L);
                                        left_line = load_floats_8(w_ + left_begins[(at_7 * 8L) + (group * 8L)] + left_steps[start_5]);
                                        left_line_2 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 1L)] + left_steps[start_5]);
                                        left_line_3 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 2L)] + left_steps[start_5]);
                                        left_line_4 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 3L)] + left_steps[start_5]);
                                        left_line_5 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 4L)] + left_steps[start_5]);
                                        left_line_6 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 5L)] + left_steps[start_5]);
                                        left_line_7 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 6L)] + left_steps[start_5]);
                                        left_line_8 = load_floats_8(w_ + left_begins[(at_7 * 8L) + ((group * 8L) + 7L)] + left_steps[start_5]);
                                        {
                                            const float8 a = left_line, b = left_line_2;
                                            left_line = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_2 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_3, b = left_line_4;
                                            left_line_3 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_4 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_5, b = left_line_6;
                                            left_line_5 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_6 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_7, b = left_line_8;
                                            left_line_7 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_8 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line, b = left_line_3;
                                            left_line = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_3 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_2, b = left_line_4;
                                            left_line_2 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_4 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_5, b = left_line_7;
                                            left_line_5 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_7 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_6, b = left_line_8;
                                            left_line_6 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_8 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line, b = left_line_5;
                                            left_line = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_5 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_2, b = left_line_6;
                                            left_line_2 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_6 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_3, b = left_line_7;
                                            left_line_3 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_7 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_4, b = left_line_8;
                                            left_line_4 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_8 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        store_private_floats_8(left_line, left_panels + (((at_7 * steps) * 8L) + (start_5 * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_2, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 1L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_3, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 2L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_4, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 3L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_5, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 4L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_6, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 5L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_7, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 6L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_8, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 7L) * 8L)) + (group * 8L));
                                    }
                                }
                                if (!(count_2 >= 8L)) {
                                    for (long step_4 = 0; step_4 < ((at_9 + count_2) - at_9); ++step_4) {
                                        for (long line = 0; line < 8L; ++line) {
                                            const long t_2 = at_9 + step_4;
                                            const long t_3 = (group * 8L) + line;
                                            left_panels[(((at_7 * steps) * 8L) + (t_2 * 8L)) + t_3] = w_[left_begins[(at_7 * 8L) + t_3] + left_steps[t_2]];
                                        }
                                    }
                                }
                            }
                        }
                        if (!((group * 8L) < exist_2)) {
                            for (long step_5 = 0; step_5 < steps; ++step_5) {
                                store_private_floats_8((float8)(0.0f), left_panels + (((at_7 * steps) * 8L) + (step_5 * 8L)) + (group * 8L));
                            }
                        }
                    }
                }
                for (long at_10 = 0; at_10 < (end_column - first_column); ++at_10) {
                    const long column_tile = first_column + at_10;
                    const long panel = ((number * column_tiles) + column_tile) * 8192L;
                    for (long at_11 = 0; at_11 < (end_row - first_row); ++at_11) {
                        const long row_tile_3 = first_row + at_11;
                        const long sums = ((at_10 * row_block_) + at_11) * 256L;
                        const long remaining = ((size_i_ * size_j_) * size_n0_) - (column_tile * 32L);
                        if (remaining > 16L) {
                            tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_1_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((!(remaining > 16L)) & (remaining > 8L)) {
                            half_tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_1_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if (!(remaining > 8L)) {
                            quarter_tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_1_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((number + 1L) == end_chunk) {
                            const long lines = min(8L, size_c_ - (row_tile_3 * 8L));
                            const long count_3 = min(32L, ((size_i_ * size_j_) * size_n0_) - (column_tile * 32L));
                            own_has_nan = 0;
                            for (long line_2 = 0; line_2 < lines; ++line_2) {
                                for (long side = 0; side < 2L; ++side) {
                                    if (fold_any_int16(isnan(load_private_floats(all_sums + (sums + (line_2 * 32L)) + (side * 16L))))) {
                                        own_has_nan = 1;
                                    }
                                }
                            }
                            if (own_has_nan) {
                                for (long line_3 = 0; line_3 < lines; ++line_3) {
                                    for (long place = 0; place < count_3; ++place) {
                                        if (isnan(all_sums[(sums + (line_3 * 32L)) + place])) {
                                            const long row = (row_tile_3 * 8L) + line_3;
                                            const long column = (column_tile * 32L) + place;
                                            const long at_12 = (column / size_j_) / size_i_;
                                            const long at_13 = column % size_j_;
                                            const long at_14 = (column / size_j_) % size_i_;
                                            const long value = at_14 + padding_0_;
                                            const long value_2 = at_13 + padding_1_;
                                            own_again = 0.0f;
                                            const long first_5 = (begin_chunk * 256L) / (size_r_ * size_s_);
                                            for (long run_5 = 0; run_5 < (floor_div_long(((begin_chunk * 256L) + (min(end_chunk * 256L, (size_f_ * size_r_) * size_s_) - (begin_chunk * 256L))) + ((size_r_ * size_s_) - 1L), size_r_ * size_s_) - first_5); ++run_5) {
                                                const long at_15 = first_5 + run_5;
                                                const long start_6 = max((begin_chunk * 256L) - (at_15 * (size_r_ * size_s_)), 0L);
                                                const long many_2 = min(((begin_chunk * 256L) + (min(end_chunk * 256L, (size_f_ * size_r_) * size_s_) - (begin_chunk * 256L))) - (at_15 * (size_r_ * size_s_)), size_r_ * size_s_) - start_6;
                                                const long first_6 = start_6 / size_s_;
                                                for (long run_6 = 0; run_6 < ((((start_6 + many_2) + (size_s_ - 1L)) / size_s_) - first_6); ++run_6) {
                                                    const long at_16 = first_6 + run_6;
                                                    const long start_7 = max(start_6 - (at_16 * size_s_), 0L);
                                                    for (long step_6 = 0; step_6 < (min((start_6 + many_2) - (at_16 * size_s_), size_s_) - start_7); ++step_6) {
                                                        const long at_17 = start_7 + step_6;
                                                        const float w_value_ = w_[(((w_offset_ + (row * w_stride_c_)) + (at_15 * w_stride_f_)) + (at_16 * w_stride_r_)) + at_17];
                                                        const long value_3 = as_long(as_ulong(value) - as_ulong(dilation_0_ * at_16));
                                                        const long value_4 = as_long(as_ulong(value_2) - as_ulong(dilation_1_ * at_17));
                                                        const int is = (((0L <= value_3) & (value_3 < size_p_)) & (0L <= value_4)) & (value_4 < size_q_);
                                                        const float value_5 = is ? dy_[(((((dy_offset_ + (at_15 * dy_stride_f_)) + (at_14 * dy_stride_i_)) + at_13) + (at_12 * dy_stride_n0_)) + (at_16 * dy_stride_r_)) + (at_17 * dy_stride_s_)] : 0.0f;
                                                        if (is) {
                                                            own_again = fma(w_value_, value_5, own_again);
                                                        }
                                                    }
                                                }
                                            }
                                            all_sums[(sums + (line_3 * 32L)) + place] = own_again;
                                        }
                                    }
                                }
                            }
                            const long first_7 = (column_tile * 32L) / (size_i_ * size_j_);
                            for (long run_7 = 0; run_7 < (((((column_tile * 32L) + count_3) + ((size_i_ * size_j_) - 1L)) / (size_i_ * size_j_)) - first_7); ++run_7) {
                                const long at_18 = first_7 + run_7;
                                const long start_8 = max((column_tile * 32L) - (at_18 * (size_i_ * size_j_)), 0L);
                                for (long line_4 = 0; line_4 < lines; ++line_4) {
                                    const long row_2 = (row_tile_3 * 8L) + line_4;
                                    const long vectors = (min(((column_tile * 32L) + count_3) - (at_18 * (size_i_ * size_j_)), size_i_ * size_j_) - start_8) >> 4;
                                    for (long vector = 0; vector < vectors; ++vector) {
                                        const long start_9 = start_8 + (vector * 16L);
                                        const float16 total = load_private_floats(all_sums + (sums + (line_4 * 32L)) + (((at_18 * (size_i_ * size_j_)) + start_9) - (column_tile * 32L)));
                                        store_floats(total, grad_x_ + ((grad_x_offset_ + (at_18 * grad_x_stride_n0_)) + (row_2 * grad_x_stride_c_)) + start_9);
                                    }
                                    for (long left = 0; left < ((min(((column_tile * 32L) + count_3) - (at_18 * (size_i_ * size_j_)), size_i_ * size_j_) - start_8) & 15L); ++left) {
                                        const long j_ = (start_8 + (vectors * 16L)) + left;
                                        const float total_2 = all_sums[(sums + (line_4 * 32L)) + (((at_18 * (size_i_ * size_j_)) + j_) - (column_tile * 32L))];
                                        grad_x_[((grad_x_offset_ + (at_18 * grad_x_stride_n0_)) + (row_2 * grad_x_stride_c_)) + j_] = total_2;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

// conv2d_grad_x_w_b (kernels_dsl/convolution.netcl)
//     grad_w[(g f), c, r, s] = a function of dy, x with sum[n0, p, q]
__attribute__((noinline)) void conv2d_grad_x_w_b_2__item(
    __global const float *dy_,
    __global const float *conv2d_grad_x_w_b_2_panels_,
    __global float *grad_w_,
    __global const float *x_,
    const long size_f_,
    const long size_c_,
    const long size_r_,
    const long size_s_,
    const long size_n0_,
    const long size_p_,
    const long size_q_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long dy_stride_n0_,
    const long dy_stride_p_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long grad_w_offset_,
    const long grad_w_stride_f_,
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
    const long x_stride_n0_,
    const long x_stride_p_,
    const long x_stride_r_,
    const long item) {
    long left_begins[96L] __attribute__((aligned(64)));
    long left_steps[256L] __attribute__((aligned(64)));
    float all_sums[36864L] __attribute__((aligned(64)));
    float left_panels[24576L] __attribute__((aligned(64)));
    float8 left_line;
    float8 left_line_2;
    float8 left_line_3;
    float8 left_line_4;
    float8 left_line_5;
    float8 left_line_6;
    float8 left_line_7;
    float8 left_line_8;
    int own_has_nan;
    float own_again;
    const long chunks = max((((size_n0_ * size_p_) * size_q_) + 255L) >> 8, 1L);
    const long row_tiles = (size_f_ + 7L) >> 3;
    const long column_tiles = (((size_c_ * size_r_) * size_s_) + 31L) >> 5;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_rows);
    for (long run = 0; run < (floor_div_long((begin + count) + (blocks_of_rows - 1L), blocks_of_rows) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * blocks_of_rows), 0L);
        for (long step = 0; step < (min((begin + count) - (at * blocks_of_rows), blocks_of_rows) - start); ++step) {
            const long at_2 = start + step;
            const long first_row = at_2 * row_block_;
            const long end_row = min(first_row + row_block_, row_tiles);
            const long first_column = at * column_block_;
            const long end_column = min(first_column + column_block_, column_tiles);
            const long begin_chunk = 0L;
            const long end_chunk = chunks;
            for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                const long number = begin_chunk + chunk_2;
                const long from = number * 256L;
                const long steps = min(256L, ((size_n0_ * size_p_) * size_q_) - from);
                const long first_2 = from / (size_p_ * size_q_);
                for (long run_2 = 0; run_2 < ((((from + steps) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first_2); ++run_2) {
                    const long at_3 = first_2 + run_2;
                    const long start_2 = max(from - (at_3 * (size_p_ * size_q_)), 0L);
                    const long many = min((from + steps) - (at_3 * (size_p_ * size_q_)), size_p_ * size_q_) - start_2;
                    const long first_3 = start_2 / size_q_;
                    for (long run_3 = 0; run_3 < ((((start_2 + many) + (size_q_ - 1L)) / size_q_) - first_3); ++run_3) {
                        const long at_4 = first_3 + run_3;
                        const long start_3 = max(start_2 - (at_4 * size_q_), 0L);
                        for (long step_2 = 0; step_2 < (min((start_2 + many) - (at_4 * size_q_), size_q_) - start_3); ++step_2) {
                            const long at_5 = start_3 + step_2;
                            const long number_2 = ((((at_3 * size_p_) + at_4) * size_q_) + at_5) - from;
                            left_steps[number_2] = ((at_3 * dy_stride_n0_) + (at_4 * dy_stride_p_)) + at_5;
                        }
                    }
                }
                for (long at_6 = 0; at_6 < (end_row - first_row); ++at_6) {
                    const long row_tile = first_row + at_6;
                    const long exist = min(8L, size_f_ - (row_tile * 8L));
                    for (long step_3 = 0; step_3 < exist; ++step_3) {
                        const long unit = (row_tile * 8L) + step_3;
                        const long number_3 = unit - (row_tile * 8L);
                        left_begins[(at_6 * 8L) + number_3] = dy_offset_ + (unit * dy_stride_f_);
                    }
                    for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                        const long t = at_6 * 8L;
                        left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                    }
                }
                for (long at_7 = 0; at_7 < (end_row - first_row); ++at_7) {
                    const long row_tile_2 = first_row + at_7;
                    const long exist_2 = min(8L, size_f_ - (row_tile_2 * 8L));
                    for (long group = 0; group < 1L; ++group) {
                        if ((group * 8L) < exist_2) {
                            const long first_4 = from / (size_p_ * size_q_);
                            for (long run_4 = 0; run_4 < ((((from + steps) + ((size_p_ * size_q_) - 1L)) / (size_p_ * size_q_)) - first_4); ++run_4) {
                                const long at_8 = first_4 + run_4;
                                const long start_4 = max(from - (at_8 * (size_p_ * size_q_)), 0L);
                                const long at_9 = ((at_8 * (size_p_ * size_q_)) + start_4) - from;
                                const long count_2 = min((from + steps) - (at_8 * (size_p_ * size_q_)), size_p_ * size_q_) - start_4;
                                if (count_2 >= 8L) {
                                    for (long square = 0; square < ((count_2 + 7L) >> 3); ++square) {
                                        const long start_5 = at_9 + min(square * 8L, count_2 - 8L);
                                        left_line = load_floats_8(dy_ + left_begins[(at_7 * 8L) + (group * 8L)] + left_steps[start_5]);
                                        left_line_2 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 1L)] + left_steps[start_5]);
                                        left_line_3 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 2L)] + left_steps[start_5]);
                                        left_line_4 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 3L)] + left_steps[start_5]);
                                        left_line_5 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 4L)] + left_steps[start_5]);
                                        left_line_6 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 5L)] + left_steps[start_5]);
                                        left_line_7 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 6L)] + left_steps[start_5]);
                                        left_line_8 = load_floats_8(dy_ + left_begins[(at_7 * 8L) + ((group * 8L) + 7L)] + left_steps[start_5]);
                                        {
                                            const float8 a = left_line, b = left_line_2;
                                            left_line = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_2 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_3, b = left_line_4;
                                            left_line_3 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_4 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_5, b = left_line_6;
                                            left_line_5 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_6 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_7, b = left_line_8;
                                            left_line_7 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            left_line_8 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = left_line, b = left_line_3;
                                            left_line = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_3 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_2, b = left_line_4;
                                            left_line_2 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_4 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_5, b = left_line_7;
                                            left_line_5 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_7 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_6, b = left_line_8;
                                            left_line_6 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            left_line_8 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line, b = left_line_5;
                                            left_line = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_5 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_2, b = left_line_6;
                                            left_line_2 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_6 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_3, b = left_line_7;
                                            left_line_3 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_7 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = left_line_4, b = left_line_8;
                                            left_line_4 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            left_line_8 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        store_private_floats_8(left_line, left_panels + (((at_7 * steps) * 8L) + (start_5 * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_2, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 1L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_3, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 2L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_4, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 3L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_5, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 4L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_6, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 5L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_7, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 6L) * 8L)) + (group * 8L));
                                        store_private_floats_8(left_line_8, left_panels + (((at_7 * steps) * 8L) + ((start_5 + 7L) * 8L)) + (group * 8L));
                                    }
                                }
                                if (!(count_2 >= 8L)) {
                                    for (long step_4 = 0; step_4 < ((at_9 + count_2) - at_9); ++step_4) {
                                        for (long line = 0; line < 8L; ++line) {
                                            const long t_2 = at_9 + step_4;
                                            const long t_3 = (group * 8L) + line;
                                            left_panels[(((at_7 * steps) * 8L) + (t_2 * 8L)) + t_3] = dy_[left_begins[(at_7 * 8L) + t_3] + left_steps[t_2]];
                                        }
                                    }
                                }
                            }
                        }
                        if (!((group * 8L) < exist_2)) {
                            for (long step_5 = 0; step_5 < steps; ++step_5) {
                                store_private_floats_8((float8)(0.0f), left_panels + (((at_7 * steps) * 8L) + (step_5 * 8L)) + (group * 8L));
                            }
                        }
                    }
                }
                for (long at_10 = 0; at_10 < (end_column - first_column); ++at_10) {
                    const long column_tile = first_column + at_10;
                    const long panel = ((number * column_tiles) + column_tile) * 8192L;
                    for (long at_11 = 0; at_11 < (end_row - first_row); ++at_11) {
                        const long row_tile_3 = first_row + at_11;
                        const long sums = ((at_10 * row_block_) + at_11) * 256L;
                        const long remaining = ((size_c_ * size_r_) * size_s_) - (column_tile * 32L);
                        if (remaining > 16L) {
                            tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_2_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((!(remaining > 16L)) & (remaining > 8L)) {
                            half_tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_2_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if (!(remaining > 8L)) {
                            quarter_tile_float32_8x32_global(left_panels, conv2d_grad_x_w_b_2_panels_, all_sums, (at_11 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                        }
                        if ((number + 1L) == end_chunk) {
                            const long lines = min(8L, size_f_ - (row_tile_3 * 8L));
                            const long count_3 = min(32L, ((size_c_ * size_r_) * size_s_) - (column_tile * 32L));
                            own_has_nan = 0;
                            for (long line_2 = 0; line_2 < lines; ++line_2) {
                                for (long side = 0; side < 2L; ++side) {
                                    if (fold_any_int16(isnan(load_private_floats(all_sums + (sums + (line_2 * 32L)) + (side * 16L))))) {
                                        own_has_nan = 1;
                                    }
                                }
                            }
                            if (own_has_nan) {
                                for (long line_3 = 0; line_3 < lines; ++line_3) {
                                    for (long place = 0; place < count_3; ++place) {
                                        if (isnan(all_sums[(sums + (line_3 * 32L)) + place])) {
                                            const long row = (row_tile_3 * 8L) + line_3;
                                            const long column = (column_tile * 32L) + place;
                                            const long at_12 = (column / size_s_) / size_r_;
                                            const long at_13 = column % size_s_;
                                            const long at_14 = (column / size_s_) % size_r_;
                                            const long value = dilation_0_ * at_14;
                                            const long value_2 = dilation_1_ * at_13;
                                            own_again = 0.0f;
                                            const long first_5 = (begin_chunk * 256L) / (size_p_ * size_q_);
                                            for (long run_5 = 0; run_5 < (floor_div_long(((begin_chunk * 256L) + (min(end_chunk * 256L, (size_n0_ * size_p_) * size_q_) - (begin_chunk * 256L))) + ((size_p_ * size_q_) - 1L), size_p_ * size_q_) - first_5); ++run_5) {
                                                const long at_15 = first_5 + run_5;
                                                const long start_6 = max((begin_chunk * 256L) - (at_15 * (size_p_ * size_q_)), 0L);
                                                const long many_2 = min(((begin_chunk * 256L) + (min(end_chunk * 256L, (size_n0_ * size_p_) * size_q_) - (begin_chunk * 256L))) - (at_15 * (size_p_ * size_q_)), size_p_ * size_q_) - start_6;
                                                const long first_6 = start_6 / size_q_;
                                                for (long run_6 = 0; run_6 < ((((start_6 + many_2) + (size_q_ - 1L)) / size_q_) - first_6); ++run_6) {
                                                    const long at_16 = first_6 + run_6;
                                                    const long start_7 = max(start_6 - (at_16 * size_q_), 0L);
                                                    for (long step_6 = 0; step_6 < (min((start_6 + many_2) - (at_16 * size_q_), size_q_) - start_7); ++step_6) {
                                                        const long at_17 = start_7 + step_6;
                                                        const float dy_value_ = dy_[(((dy_offset_ + (row * dy_stride_f_)) + (at_15 * dy_stride_n0_)) + (at_16 * dy_stride_p_)) + at_17];
                                                        const long value_3 = as_long((as_ulong(value) + as_ulong(at_16 * stride_0_)) - as_ulong(padding_0_));
                                                        const long value_4 = as_long((as_ulong(value_2) + as_ulong(at_17 * stride_1_)) - as_ulong(padding_1_));
                                                        const int is = (((0L <= value_3) & (value_3 < size_i_)) & (0L <= value_4)) & (value_4 < size_j_);
                                                        const float value_5 = is ? x_[(((((x_offset_ + (at_12 * x_stride_c_)) + (at_15 * x_stride_n0_)) + (at_16 * x_stride_p_)) + at_17) + (at_14 * x_stride_r_)) + at_13] : 0.0f;
                                                        if (is) {
                                                            own_again = fma(dy_value_, value_5, own_again);
                                                        }
                                                    }
                                                }
                                            }
                                            all_sums[(sums + (line_3 * 32L)) + place] = own_again;
                                        }
                                    }
                                }
                            }
                            for (long line_4 = 0; line_4 < lines; ++line_4) {
                                const long row_2 = (row_tile_3 * 8L) + line_4;
                                const long vectors = count_3 >> 4;
                                for (long vector = 0; vector < vectors; ++vector) {
                                    const long start_8 = (column_tile * 32L) + (vector * 16L);
                                    const float16 total = load_private_floats(all_sums + (sums + (line_4 * 32L)) + (start_8 - (column_tile * 32L)));
                                    store_floats(total, grad_w_ + (grad_w_offset_ + (row_2 * grad_w_stride_f_)) + start_8);
                                }
                                for (long left = 0; left < (count_3 & 15L); ++left) {
                                    const long s_ = ((column_tile * 32L) + (vectors * 16L)) + left;
                                    const float total_2 = all_sums[(sums + (line_4 * 32L)) + (s_ - (column_tile * 32L))];
                                    grad_w_[(grad_w_offset_ + (row_2 * grad_w_stride_f_)) + s_] = total_2;
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

__kernel void conv2d_grad_x_w_b_1__kernel(
    __global const float *w_,
    __global const float *conv2d_grad_x_w_b_1_panels_,
    __global float *grad_x_,
    __global const float *dy_,
    const long size_c_,
    const long size_n0_,
    const long size_i_,
    const long size_j_,
    const long size_f_,
    const long size_r_,
    const long size_s_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long w_stride_f_,
    const long w_stride_r_,
    const long w_offset_,
    const long w_stride_c_,
    const long grad_x_offset_,
    const long grad_x_stride_n0_,
    const long grad_x_stride_c_,
    const long padding_0_,
    const long dilation_0_,
    const long size_p_,
    const long padding_1_,
    const long dilation_1_,
    const long size_q_,
    const long dy_offset_,
    const long dy_stride_f_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long dy_stride_r_,
    const long dy_stride_s_,
    const long items,
    __global const float *conv2d_grad_x_w_b_2_panels_of_2_,
    __global float *grad_w_of_2_,
    __global const float *x_of_2_,
    const long size_f_of_2_,
    const long size_c_of_2_,
    const long size_r_of_2_,
    const long size_s_of_2_,
    const long size_n0_of_2_,
    const long size_p_of_2_,
    const long size_q_of_2_,
    const long row_block_of_2_,
    const long column_block_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long dy_stride_n0_of_2_,
    const long dy_stride_p_of_2_,
    const long dy_offset_of_2_,
    const long dy_stride_f_of_2_,
    const long grad_w_offset_of_2_,
    const long grad_w_stride_f_of_2_,
    const long stride_0_of_2_,
    const long size_i_of_2_,
    const long stride_1_of_2_,
    const long size_j_of_2_,
    const long x_offset_of_2_,
    const long x_stride_c_of_2_,
    const long x_stride_n0_of_2_,
    const long x_stride_p_of_2_,
    const long x_stride_r_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        conv2d_grad_x_w_b_1__item(w_, conv2d_grad_x_w_b_1_panels_, grad_x_, dy_, size_c_, size_n0_, size_i_, size_j_, size_f_, size_r_, size_s_, row_block_, column_block_, units, chunk, w_stride_f_, w_stride_r_, w_offset_, w_stride_c_, grad_x_offset_, grad_x_stride_n0_, grad_x_stride_c_, padding_0_, dilation_0_, size_p_, padding_1_, dilation_1_, size_q_, dy_offset_, dy_stride_f_, dy_stride_i_, dy_stride_n0_, dy_stride_r_, dy_stride_s_, first_0 + item);
    } else {
        item -= count_0;
        conv2d_grad_x_w_b_2__item(dy_, conv2d_grad_x_w_b_2_panels_of_2_, grad_w_of_2_, x_of_2_, size_f_of_2_, size_c_of_2_, size_r_of_2_, size_s_of_2_, size_n0_of_2_, size_p_of_2_, size_q_of_2_, row_block_of_2_, column_block_of_2_, units_of_2, chunk_of_2, dy_stride_n0_of_2_, dy_stride_p_of_2_, dy_offset_of_2_, dy_stride_f_of_2_, grad_w_offset_of_2_, grad_w_stride_f_of_2_, dilation_0_, stride_0_of_2_, padding_0_, size_i_of_2_, dilation_1_, stride_1_of_2_, padding_1_, size_j_of_2_, x_offset_of_2_, x_stride_c_of_2_, x_stride_n0_of_2_, x_stride_p_of_2_, x_stride_r_of_2_, first_1 + item);
    }
}
