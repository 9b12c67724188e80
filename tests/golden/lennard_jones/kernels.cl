// lennard_jones (kernels_dsl/pairwise.netcl)
//     pos, its rows side by side
__attribute__((noinline)) void lennard_jones_1_rows_1_item(
    __global float *lennard_jones_1_rows_1,
    __global const float *pos,
    const long chunk,
    const long units,
    const long blocks,
    const long size_d,
    const long block_i,
    const long size_i,
    const long pos_offset,
    const long pos_stride_i,
    const long lennard_jones_1_rows_1_offset,
    const long lennard_jones_1_rows_1_stride_d,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long d = begin % size_d;
    long i_block = begin / size_d;
    for (long unit = begin; unit < end; ++unit) {
        const long i_begin = i_block * block_i;
        const long i_end = min(i_begin + block_i, size_i);
        {
            long i = i_begin;
            for (; i + 16 <= i_end; i += 16) {
                const long pos_at = pos_offset + d + i * pos_stride_i;
                const float16 pos_value = (float16)(pos[pos_at], pos[pos_at + pos_stride_i], pos[pos_at + 2 * pos_stride_i], pos[pos_at + 3 * pos_stride_i], pos[pos_at + 4 * pos_stride_i], pos[pos_at + 5 * pos_stride_i], pos[pos_at + 6 * pos_stride_i], pos[pos_at + 7 * pos_stride_i], pos[pos_at + 8 * pos_stride_i], pos[pos_at + 9 * pos_stride_i], pos[pos_at + 10 * pos_stride_i], pos[pos_at + 11 * pos_stride_i], pos[pos_at + 12 * pos_stride_i], pos[pos_at + 13 * pos_stride_i], pos[pos_at + 14 * pos_stride_i], pos[pos_at + 15 * pos_stride_i]);
                store_floats(pos_value, lennard_jones_1_rows_1 + lennard_jones_1_rows_1_offset + i + d * lennard_jones_1_rows_1_stride_d);
            }
            for (; i < i_end; ++i) {
                lennard_jones_1_rows_1[lennard_jones_1_rows_1_offset + i + d * lennard_jones_1_rows_1_stride_d] = pos[pos_offset + d + i * pos_stride_i];
            }
        }
        if (++d == size_d) {
            d = 0;
            ++i_block;
        }
    }
}

__kernel void lennard_jones_1_rows_1_kernel(
    __global float *lennard_jones_1_rows_1,
    __global const float *pos,
    const long chunk,
    const long units,
    const long blocks,
    const long size_d,
    const long block_i,
    const long size_i,
    const long pos_offset,
    const long pos_stride_i,
    const long lennard_jones_1_rows_1_offset,
    const long lennard_jones_1_rows_1_stride_d) {
    lennard_jones_1_rows_1_item(lennard_jones_1_rows_1, pos, chunk, units, blocks, size_d, block_i, size_i, pos_offset, pos_stride_i, lennard_jones_1_rows_1_offset, lennard_jones_1_rows_1_stride_d, get_global_id(0));
}


// lennard_jones (kernels_dsl/pairwise.netcl)
//     part_1[i] = sum[j](i < j ? 4 * epsilon * (((sigma ^ 2 / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) ^ 2 - (sigma ^ 2 / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) : 0)
__attribute__((noinline)) void lennard_jones_1_item(
    __global float *part_1,
    __global const float *pos,
    __global const float *lennard_jones_1_rows_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i,
    const long size_i,
    const long size_j,
    const float epsilon,
    const float sigma,
    const long size_d,
    const long lennard_jones_1_rows_1_1_offset,
    const long lennard_jones_1_rows_1_1_stride_d,
    const long pos_2_offset,
    const long pos_2_stride_j,
    const long part_1_offset,
    const long item) {
    const float t = 4.0f * epsilon;
    const float t_2 = sigma * sigma;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i_block = begin; i_block < end; ++i_block) {
        const long i_begin = i_block * block_i;
        const long i_end = min(i_begin + block_i, size_i);
        {
            long i = i_begin;
            for (; i < i_end; i += 16) {
                float16 sum_j = 0.0f, sum_j_low = 0.0f;
                const long16 i_lanes = i + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                for (long j_run = i + 1; j_run < size_j; j_run += 256) {
                    const long j_stop = min(j_run + 256, size_j);
                    float16 sum_j_part = 0.0f;
                    for (long j = j_run; j < j_stop; ++j) {
                        float16 sum_d = 0.0f, sum_d_low = 0.0f;
                        for (long d_run = 0; d_run < size_d; d_run += 256) {
                            const long d_stop = min(d_run + 256, size_d);
                            float16 sum_d_part = 0.0f;
                            for (long d = d_run; d < d_stop; ++d) {
                                const float16 lennard_jones_1_rows_1_value = load_floats(lennard_jones_1_rows_1 + lennard_jones_1_rows_1_1_offset + i + d * lennard_jones_1_rows_1_1_stride_d);
                                const float16 t_3 = lennard_jones_1_rows_1_value - (float16)(pos[pos_2_offset + d + j * pos_2_stride_j]);
                                sum_d_part += t_3 * t_3;
                            }
                            add_pair_float16(&sum_d, &sum_d_low, sum_d_part);
                        }
                        const float16 sum_d_total = close_pair_float16(sum_d, sum_d_low);
                        const float16 t_4 = (float16)(t_2) / sum_d_total;
                        const float16 t_5 = t_4 * t_4 * t_4;
                        sum_j_part += convert_int16(i_lanes < (long16)(j)) ? ((float16)(t) * ((t_5 * t_5) - t_5)) : (float16)(0.0f);
                    }
                    add_pair_float16(&sum_j, &sum_j_low, sum_j_part);
                }
                const float16 sum_j_total = close_pair_float16(sum_j, sum_j_low);
                store_some_floats(sum_j_total, part_1 + part_1_offset + i, 1, size_i - i);
            }
        }
    }
}

__kernel void lennard_jones_1_kernel(
    __global float *part_1,
    __global const float *pos,
    __global const float *lennard_jones_1_rows_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i,
    const long size_i,
    const long size_j,
    const float epsilon,
    const float sigma,
    const long size_d,
    const long lennard_jones_1_rows_1_1_offset,
    const long lennard_jones_1_rows_1_1_stride_d,
    const long pos_2_offset,
    const long pos_2_stride_j,
    const long part_1_offset) {
    lennard_jones_1_item(part_1, pos, lennard_jones_1_rows_1, chunk, units, blocks, block_i, size_i, size_j, epsilon, sigma, size_d, lennard_jones_1_rows_1_1_offset, lennard_jones_1_rows_1_1_stride_d, pos_2_offset, pos_2_stride_j, part_1_offset, get_global_id(0));
}


// lennard_jones (kernels_dsl/pairwise.netcl)
//     e[] = sum[i](part_1[i])
__attribute__((noinline)) void lennard_jones_2_item(
    __global float *e,
    __global const float *part_1,
    const long size_i,
    const long part_1_offset,
    const long e_offset,
    const long item) {
    float sum_i = 0.0f, sum_i_low = 0.0f;
    float16 sum_i_lanes = 0.0f, sum_i_lanes_low = 0.0f;
    {
        long i = 0;
        while (i + 16 <= size_i) {
            const long i_stop = min(i + 4096, size_i - 15);
            float16 sum_i_lanes_part = 0.0f;
            float16 sum_i_lanes_2_part = 0.0f;
            float16 sum_i_lanes_3_part = 0.0f;
            float16 sum_i_lanes_4_part = 0.0f;
            for (; i + 64 <= i_stop + 15; i += 64) {
                const long i_here = i;
                sum_i_lanes_part += load_floats(part_1 + part_1_offset + i);
                {
                    const long i = i_here + 16;
                    sum_i_lanes_2_part += load_floats(part_1 + part_1_offset + i);
                }
                {
                    const long i = i_here + 32;
                    sum_i_lanes_3_part += load_floats(part_1 + part_1_offset + i);
                }
                {
                    const long i = i_here + 48;
                    sum_i_lanes_4_part += load_floats(part_1 + part_1_offset + i);
                }
            }
            sum_i_lanes_part += sum_i_lanes_2_part;
            sum_i_lanes_part += sum_i_lanes_3_part;
            sum_i_lanes_part += sum_i_lanes_4_part;
            for (; i < i_stop; i += 16) {
                sum_i_lanes_part += load_floats(part_1 + part_1_offset + i);
            }
            add_pair_float16(&sum_i_lanes, &sum_i_lanes_low, sum_i_lanes_part);
        }
        float sum_i_part = 0.0f;
        for (; i < size_i; ++i) {
            sum_i_part += part_1[part_1_offset + i];
        }
        add_pair_float(&sum_i, &sum_i_low, sum_i_part);
    }
    add_pair_float(&sum_i, &sum_i_low, fold_sum_float16(sum_i_lanes));
    sum_i_low += fold_sum_float16(sum_i_lanes_low);
    const float sum_i_total = close_pair_float(sum_i, sum_i_low);
    e[e_offset] = sum_i_total;
}

__kernel void lennard_jones_2_kernel(
    __global float *e,
    __global const float *part_1,
    const long size_i,
    const long part_1_offset,
    const long e_offset) {
    lennard_jones_2_item(e, part_1, size_i, part_1_offset, e_offset, get_global_id(0));
}


// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     pos_2, its rows side by side
__attribute__((noinline)) void lennard_jones_grad_rows_1_item(
    __global float *lennard_jones_grad_rows_1,
    __global const float *pos,
    const long chunk,
    const long units,
    const long blocks,
    const long size_d,
    const long block_n,
    const long size_n,
    const long pos_2_offset,
    const long pos_2_stride_n,
    const long lennard_jones_grad_rows_1_offset,
    const long lennard_jones_grad_rows_1_stride_d,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long d = begin % size_d;
    long n_block = begin / size_d;
    for (long unit = begin; unit < end; ++unit) {
        const long n_begin = n_block * block_n;
        const long n_end = min(n_begin + block_n, size_n);
        {
            long n = n_begin;
            for (; n + 16 <= n_end; n += 16) {
                const long pos_at = pos_2_offset + d + n * pos_2_stride_n;
                const float16 pos_value = (float16)(pos[pos_at], pos[pos_at + pos_2_stride_n], pos[pos_at + 2 * pos_2_stride_n], pos[pos_at + 3 * pos_2_stride_n], pos[pos_at + 4 * pos_2_stride_n], pos[pos_at + 5 * pos_2_stride_n], pos[pos_at + 6 * pos_2_stride_n], pos[pos_at + 7 * pos_2_stride_n], pos[pos_at + 8 * pos_2_stride_n], pos[pos_at + 9 * pos_2_stride_n], pos[pos_at + 10 * pos_2_stride_n], pos[pos_at + 11 * pos_2_stride_n], pos[pos_at + 12 * pos_2_stride_n], pos[pos_at + 13 * pos_2_stride_n], pos[pos_at + 14 * pos_2_stride_n], pos[pos_at + 15 * pos_2_stride_n]);
                store_floats(pos_value, lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_offset + n + d * lennard_jones_grad_rows_1_stride_d);
            }
            for (; n < n_end; ++n) {
                lennard_jones_grad_rows_1[lennard_jones_grad_rows_1_offset + n + d * lennard_jones_grad_rows_1_stride_d] = pos[pos_2_offset + d + n * pos_2_stride_n];
            }
        }
        if (++d == size_d) {
            d = 0;
            ++n_block;
        }
    }
}

__kernel void lennard_jones_grad_rows_1_kernel(
    __global float *lennard_jones_grad_rows_1,
    __global const float *pos,
    const long chunk,
    const long units,
    const long blocks,
    const long size_d,
    const long block_n,
    const long size_n,
    const long pos_2_offset,
    const long pos_2_stride_n,
    const long lennard_jones_grad_rows_1_offset,
    const long lennard_jones_grad_rows_1_stride_d) {
    lennard_jones_grad_rows_1_item(lennard_jones_grad_rows_1, pos, chunk, units, blocks, size_d, block_n, size_n, pos_2_offset, pos_2_stride_n, lennard_jones_grad_rows_1_offset, lennard_jones_grad_rows_1_stride_d, get_global_id(0));
}


// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     grad_pos[n, d] = a function of de, pos with sum[d], sum[i], sum[j]
__attribute__((noinline)) void lennard_jones_grad_item(
    __global float *grad_pos,
    __global const float *pos,
    __global const float *de,
    __global const float *lennard_jones_grad_rows_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n,
    const long size_n,
    const long size_d,
    const long size_i,
    const float sigma,
    const long pos_offset,
    const long pos_stride_i,
    const long lennard_jones_grad_rows_1_1_offset,
    const long lennard_jones_grad_rows_1_1_stride_d,
    const long de_offset,
    const float epsilon,
    const long size_j,
    const long pos_3_offset,
    const long pos_3_stride_j,
    const long grad_pos_offset,
    const long grad_pos_stride_n,
    const long item) {
    const float t = sigma * sigma;
    const float t_4 = de[de_offset] * (4.0f * epsilon);
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long n_block = begin; n_block < end; ++n_block) {
        const long n_begin = n_block * block_n;
        const long n_end = min(n_begin + block_n, size_n);
        {
            long n = n_begin;
            for (; n < n_end; n += 16) {
                const long16 n_lanes = n + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                for (long d_first = 0; d_first < size_d; d_first += 8) {
                    const long d_1 = min(d_first + 0, size_d - 1);
                    const long d_2 = min(d_first + 1, size_d - 1);
                    const long d_3 = min(d_first + 2, size_d - 1);
                    const long d_4 = min(d_first + 3, size_d - 1);
                    const long d_5 = min(d_first + 4, size_d - 1);
                    const long d_6 = min(d_first + 5, size_d - 1);
                    const long d_7 = min(d_first + 6, size_d - 1);
                    const long d_8 = min(d_first + 7, size_d - 1);
                    float16 sum_i = 0.0f, sum_i_low = 0.0f;
                    float16 sum_i_2 = 0.0f, sum_i_2_low = 0.0f;
                    float16 sum_i_3 = 0.0f, sum_i_3_low = 0.0f;
                    float16 sum_i_4 = 0.0f, sum_i_4_low = 0.0f;
                    float16 sum_i_5 = 0.0f, sum_i_5_low = 0.0f;
                    float16 sum_i_6 = 0.0f, sum_i_6_low = 0.0f;
                    float16 sum_i_7 = 0.0f, sum_i_7_low = 0.0f;
                    float16 sum_i_8 = 0.0f, sum_i_8_low = 0.0f;
                    for (long i_run = 0; i_run < min(n + 15, size_i); i_run += 256) {
                        const long i_stop = min(i_run + 256, min(n + 15, size_i));
                        float16 sum_i_part = 0.0f;
                        float16 sum_i_2_part = 0.0f;
                        float16 sum_i_3_part = 0.0f;
                        float16 sum_i_4_part = 0.0f;
                        float16 sum_i_5_part = 0.0f;
                        float16 sum_i_6_part = 0.0f;
                        float16 sum_i_7_part = 0.0f;
                        float16 sum_i_8_part = 0.0f;
                        for (long i = i_run; i < i_stop; ++i) {
                            const int16 is = convert_int16((long16)(i) < n_lanes);
                            float16 sum_d = 0.0f, sum_d_low = 0.0f;
                            for (long d_1_run = 0; d_1_run < size_d; d_1_run += 256) {
                                const long d_1_stop = min(d_1_run + 256, size_d);
                                float16 sum_d_part = 0.0f;
                                for (long d_1 = d_1_run; d_1 < d_1_stop; ++d_1) {
                                    const float16 lennard_jones_grad_rows_1_value = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_1 * lennard_jones_grad_rows_1_1_stride_d);
                                    const float16 t_2 = (float16)(pos[pos_offset + d_1 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value;
                                    sum_d_part += t_2 * t_2;
                                }
                                add_pair_float16(&sum_d, &sum_d_low, sum_d_part);
                            }
                            const float16 sum_d_total = close_pair_float16(sum_d, sum_d_low);
                            const float16 t_3 = (float16)(t) / sum_d_total;
                            const float16 t_5 = (((float16)(t_4) * ((float16)(2.0f) * (t_3 * t_3 * t_3))) - (float16)(t_4)) * ((float16)(3.0f) * (t_3 * t_3));
                            const float16 t_6 = (t_3 / sum_d_total) * t_5;
                            const float16 lennard_jones_grad_rows_1_value_2 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_1 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_7 = (float16)(pos[pos_offset + d_1 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_2;
                            sum_i_part += is ? (t_6 * ((float16)(2.0f) * t_7)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_3 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_2 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_8 = (float16)(pos[pos_offset + d_2 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_3;
                            sum_i_2_part += is ? (t_6 * ((float16)(2.0f) * t_8)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_4 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_3 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_9 = (float16)(pos[pos_offset + d_3 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_4;
                            sum_i_3_part += is ? (t_6 * ((float16)(2.0f) * t_9)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_5 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_4 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_10 = (float16)(pos[pos_offset + d_4 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_5;
                            sum_i_4_part += is ? (t_6 * ((float16)(2.0f) * t_10)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_6 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_5 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_11 = (float16)(pos[pos_offset + d_5 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_6;
                            sum_i_5_part += is ? (t_6 * ((float16)(2.0f) * t_11)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_7 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_6 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_12 = (float16)(pos[pos_offset + d_6 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_7;
                            sum_i_6_part += is ? (t_6 * ((float16)(2.0f) * t_12)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_8 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_7 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_13 = (float16)(pos[pos_offset + d_7 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_8;
                            sum_i_7_part += is ? (t_6 * ((float16)(2.0f) * t_13)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_9 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_8 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_14 = (float16)(pos[pos_offset + d_8 + i * pos_stride_i]) - lennard_jones_grad_rows_1_value_9;
                            sum_i_8_part += is ? (t_6 * ((float16)(2.0f) * t_14)) : (float16)(0.0f);
                        }
                        add_pair_float16(&sum_i, &sum_i_low, sum_i_part);
                        add_pair_float16(&sum_i_2, &sum_i_2_low, sum_i_2_part);
                        add_pair_float16(&sum_i_3, &sum_i_3_low, sum_i_3_part);
                        add_pair_float16(&sum_i_4, &sum_i_4_low, sum_i_4_part);
                        add_pair_float16(&sum_i_5, &sum_i_5_low, sum_i_5_part);
                        add_pair_float16(&sum_i_6, &sum_i_6_low, sum_i_6_part);
                        add_pair_float16(&sum_i_7, &sum_i_7_low, sum_i_7_part);
                        add_pair_float16(&sum_i_8, &sum_i_8_low, sum_i_8_part);
                    }
                    const float16 sum_i_total = close_pair_float16(sum_i, sum_i_low);
                    const float16 sum_i_2_total = close_pair_float16(sum_i_2, sum_i_2_low);
                    const float16 sum_i_3_total = close_pair_float16(sum_i_3, sum_i_3_low);
                    const float16 sum_i_4_total = close_pair_float16(sum_i_4, sum_i_4_low);
                    const float16 sum_i_5_total = close_pair_float16(sum_i_5, sum_i_5_low);
                    const float16 sum_i_6_total = close_pair_float16(sum_i_6, sum_i_6_low);
                    const float16 sum_i_7_total = close_pair_float16(sum_i_7, sum_i_7_low);
                    const float16 sum_i_8_total = close_pair_float16(sum_i_8, sum_i_8_low);
                    float16 sum_j = 0.0f, sum_j_low = 0.0f;
                    float16 sum_j_2 = 0.0f, sum_j_2_low = 0.0f;
                    float16 sum_j_3 = 0.0f, sum_j_3_low = 0.0f;
                    float16 sum_j_4 = 0.0f, sum_j_4_low = 0.0f;
                    float16 sum_j_5 = 0.0f, sum_j_5_low = 0.0f;
                    float16 sum_j_6 = 0.0f, sum_j_6_low = 0.0f;
                    float16 sum_j_7 = 0.0f, sum_j_7_low = 0.0f;
                    float16 sum_j_8 = 0.0f, sum_j_8_low = 0.0f;
                    for (long j_run = n + 1; j_run < size_j; j_run += 256) {
                        const long j_stop = min(j_run + 256, size_j);
                        float16 sum_j_part = 0.0f;
                        float16 sum_j_2_part = 0.0f;
                        float16 sum_j_3_part = 0.0f;
                        float16 sum_j_4_part = 0.0f;
                        float16 sum_j_5_part = 0.0f;
                        float16 sum_j_6_part = 0.0f;
                        float16 sum_j_7_part = 0.0f;
                        float16 sum_j_8_part = 0.0f;
                        for (long j = j_run; j < j_stop; ++j) {
                            const int16 is_2 = convert_int16(n_lanes < (long16)(j));
                            float16 sum_d_2 = 0.0f, sum_d_2_low = 0.0f;
                            for (long d_1_run = 0; d_1_run < size_d; d_1_run += 256) {
                                const long d_1_stop = min(d_1_run + 256, size_d);
                                float16 sum_d_2_part = 0.0f;
                                for (long d_1 = d_1_run; d_1 < d_1_stop; ++d_1) {
                                    const float16 lennard_jones_grad_rows_1_value_10 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_1 * lennard_jones_grad_rows_1_1_stride_d);
                                    const float16 t_15 = lennard_jones_grad_rows_1_value_10 - (float16)(pos[pos_3_offset + d_1 + j * pos_3_stride_j]);
                                    sum_d_2_part += t_15 * t_15;
                                }
                                add_pair_float16(&sum_d_2, &sum_d_2_low, sum_d_2_part);
                            }
                            const float16 sum_d_2_total = close_pair_float16(sum_d_2, sum_d_2_low);
                            const float16 t_16 = (float16)(t) / sum_d_2_total;
                            const float16 t_17 = (((float16)(t_4) * ((float16)(2.0f) * (t_16 * t_16 * t_16))) - (float16)(t_4)) * ((float16)(3.0f) * (t_16 * t_16));
                            const float16 t_18 = (t_16 / sum_d_2_total) * t_17;
                            const float16 lennard_jones_grad_rows_1_value_11 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_1 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_19 = lennard_jones_grad_rows_1_value_11 - (float16)(pos[pos_3_offset + d_1 + j * pos_3_stride_j]);
                            sum_j_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_19))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_12 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_2 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_20 = lennard_jones_grad_rows_1_value_12 - (float16)(pos[pos_3_offset + d_2 + j * pos_3_stride_j]);
                            sum_j_2_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_20))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_13 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_3 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_21 = lennard_jones_grad_rows_1_value_13 - (float16)(pos[pos_3_offset + d_3 + j * pos_3_stride_j]);
                            sum_j_3_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_21))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_14 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_4 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_22 = lennard_jones_grad_rows_1_value_14 - (float16)(pos[pos_3_offset + d_4 + j * pos_3_stride_j]);
                            sum_j_4_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_22))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_15 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_5 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_23 = lennard_jones_grad_rows_1_value_15 - (float16)(pos[pos_3_offset + d_5 + j * pos_3_stride_j]);
                            sum_j_5_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_23))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_16 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_6 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_24 = lennard_jones_grad_rows_1_value_16 - (float16)(pos[pos_3_offset + d_6 + j * pos_3_stride_j]);
                            sum_j_6_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_24))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_17 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_7 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_25 = lennard_jones_grad_rows_1_value_17 - (float16)(pos[pos_3_offset + d_7 + j * pos_3_stride_j]);
                            sum_j_7_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_25))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_18 = load_floats(lennard_jones_grad_rows_1 + lennard_jones_grad_rows_1_1_offset + n + d_8 * lennard_jones_grad_rows_1_1_stride_d);
                            const float16 t_26 = lennard_jones_grad_rows_1_value_18 - (float16)(pos[pos_3_offset + d_8 + j * pos_3_stride_j]);
                            sum_j_8_part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_26))) : (float16)(0.0f);
                        }
                        add_pair_float16(&sum_j, &sum_j_low, sum_j_part);
                        add_pair_float16(&sum_j_2, &sum_j_2_low, sum_j_2_part);
                        add_pair_float16(&sum_j_3, &sum_j_3_low, sum_j_3_part);
                        add_pair_float16(&sum_j_4, &sum_j_4_low, sum_j_4_part);
                        add_pair_float16(&sum_j_5, &sum_j_5_low, sum_j_5_part);
                        add_pair_float16(&sum_j_6, &sum_j_6_low, sum_j_6_part);
                        add_pair_float16(&sum_j_7, &sum_j_7_low, sum_j_7_part);
                        add_pair_float16(&sum_j_8, &sum_j_8_low, sum_j_8_part);
                    }
                    const float16 sum_j_total = close_pair_float16(sum_j, sum_j_low);
                    const float16 sum_j_2_total = close_pair_float16(sum_j_2, sum_j_2_low);
                    const float16 sum_j_3_total = close_pair_float16(sum_j_3, sum_j_3_low);
                    const float16 sum_j_4_total = close_pair_float16(sum_j_4, sum_j_4_low);
                    const float16 sum_j_5_total = close_pair_float16(sum_j_5, sum_j_5_low);
                    const float16 sum_j_6_total = close_pair_float16(sum_j_6, sum_j_6_low);
                    const float16 sum_j_7_total = close_pair_float16(sum_j_7, sum_j_7_low);
                    const float16 sum_j_8_total = close_pair_float16(sum_j_8, sum_j_8_low);
                    store_some_floats((sum_i_total + sum_j_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_1, grad_pos_stride_n, size_n - n);
                    if (d_first + 1 < size_d) {
                        store_some_floats((sum_i_2_total + sum_j_2_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_2, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 2 < size_d) {
                        store_some_floats((sum_i_3_total + sum_j_3_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_3, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 3 < size_d) {
                        store_some_floats((sum_i_4_total + sum_j_4_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_4, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 4 < size_d) {
                        store_some_floats((sum_i_5_total + sum_j_5_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_5, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 5 < size_d) {
                        store_some_floats((sum_i_6_total + sum_j_6_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_6, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 6 < size_d) {
                        store_some_floats((sum_i_7_total + sum_j_7_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_7, grad_pos_stride_n, size_n - n);
                    }
                    if (d_first + 7 < size_d) {
                        store_some_floats((sum_i_8_total + sum_j_8_total), grad_pos + grad_pos_offset + n * grad_pos_stride_n + d_8, grad_pos_stride_n, size_n - n);
                    }
                }
            }
        }
    }
}

__kernel void lennard_jones_grad_kernel(
    __global float *grad_pos,
    __global const float *pos,
    __global const float *de,
    __global const float *lennard_jones_grad_rows_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n,
    const long size_n,
    const long size_d,
    const long size_i,
    const float sigma,
    const long pos_offset,
    const long pos_stride_i,
    const long lennard_jones_grad_rows_1_1_offset,
    const long lennard_jones_grad_rows_1_1_stride_d,
    const long de_offset,
    const float epsilon,
    const long size_j,
    const long pos_3_offset,
    const long pos_3_stride_j,
    const long grad_pos_offset,
    const long grad_pos_stride_n) {
    lennard_jones_grad_item(grad_pos, pos, de, lennard_jones_grad_rows_1, chunk, units, blocks, block_n, size_n, size_d, size_i, sigma, pos_offset, pos_stride_i, lennard_jones_grad_rows_1_1_offset, lennard_jones_grad_rows_1_1_stride_d, de_offset, epsilon, size_j, pos_3_offset, pos_3_stride_j, grad_pos_offset, grad_pos_stride_n, get_global_id(0));
}
