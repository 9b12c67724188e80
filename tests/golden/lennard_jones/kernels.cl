// lennard_jones (kernels_dsl/pairwise.netcl)
//     pos, its rows side by side
__attribute__((noinline)) void lennard_jones_1_rows_1__item(
    __global const float *pos_,
    __global float *lennard_jones_1_rows_1_,
    const long block_of_i_,
    const long size_d_,
    const long size_i_,
    const long units,
    const long chunk,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_1_rows_1_offset_,
    const long lennard_jones_1_rows_1_stride_d_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_d_;
    for (long run = 0; run < ((((begin + count) + (size_d_ - 1L)) / size_d_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_d_), size_d_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_i_;
            const long count_of_part = min(block_of_i_, size_i_ - (at * block_of_i_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 value = load_floats_apart(pos_ + (pos_offset_ + at_2) + (pos_stride_i_ * start_2), pos_stride_i_);
                store_floats(value, lennard_jones_1_rows_1_ + (lennard_jones_1_rows_1_offset_ + start_2) + (at_2 * lennard_jones_1_rows_1_stride_d_));
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long i_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_1_rows_1_[(lennard_jones_1_rows_1_offset_ + i_) + (at_2 * lennard_jones_1_rows_1_stride_d_)] = pos_[(pos_offset_ + at_2) + (i_ * pos_stride_i_)];
            }
        }
    }
}

// lennard_jones (kernels_dsl/pairwise.netcl)
//     pos, zeros behind its last row
__attribute__((noinline)) void lennard_jones_1_rows_1_rest__item(
    __global float *lennard_jones_1_rows_1_,
    const long block_of_lennard_jones_1_rows_1_rest_,
    const long size_d_,
    const long size_lennard_jones_1_rows_1_rest_,
    const long units,
    const long chunk,
    const long lennard_jones_1_rows_1_offset_,
    const long lennard_jones_1_rows_1_stride_d_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_d_;
    for (long run = 0; run < ((((begin + count) + (size_d_ - 1L)) / size_d_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_d_), size_d_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_lennard_jones_1_rows_1_rest_;
            const long count_of_part = min(block_of_lennard_jones_1_rows_1_rest_, size_lennard_jones_1_rows_1_rest_ - (at * block_of_lennard_jones_1_rows_1_rest_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                store_floats((float16)(0.0f), lennard_jones_1_rows_1_ + (lennard_jones_1_rows_1_offset_ + (at_2 * lennard_jones_1_rows_1_stride_d_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long lennard_jones_1_rows_1_rest_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_1_rows_1_[(lennard_jones_1_rows_1_offset_ + (at_2 * lennard_jones_1_rows_1_stride_d_)) + lennard_jones_1_rows_1_rest_] = 0.0f;
            }
        }
    }
}

__kernel void lennard_jones_1_rows_1__kernel(
    __global const float *pos_,
    __global float *lennard_jones_1_rows_1_,
    const long block_of_i_,
    const long size_d_,
    const long size_i_,
    const long units,
    const long chunk,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_1_rows_1_offset_,
    const long lennard_jones_1_rows_1_stride_d_,
    const long items,
    const long block_of_lennard_jones_1_rows_1_rest_of_2_,
    const long size_d_of_2_,
    const long size_lennard_jones_1_rows_1_rest_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long lennard_jones_1_rows_1_offset_of_2_,
    const long lennard_jones_1_rows_1_stride_d_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        lennard_jones_1_rows_1__item(pos_, lennard_jones_1_rows_1_, block_of_i_, size_d_, size_i_, units, chunk, pos_offset_, pos_stride_i_, lennard_jones_1_rows_1_offset_, lennard_jones_1_rows_1_stride_d_, first_0 + item);
    } else {
        item -= count_0;
        lennard_jones_1_rows_1_rest__item(lennard_jones_1_rows_1_, block_of_lennard_jones_1_rows_1_rest_of_2_, size_d_of_2_, size_lennard_jones_1_rows_1_rest_of_2_, units_of_2, chunk_of_2, lennard_jones_1_rows_1_offset_of_2_, lennard_jones_1_rows_1_stride_d_of_2_, first_1 + item);
    }
}


// lennard_jones (kernels_dsl/pairwise.netcl)
//     part.1[i] = sum[j](i < j ? (4 * epsilon) * ((((sigma ^ 2) / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) ^ 2 - ((sigma ^ 2) / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) : 0)
__attribute__((noinline)) void lennard_jones_1__item(
    __global const float *lennard_jones_1_rows_1_,
    __global const float *pos_,
    __global float *part_1_,
    const long block_of_i_,
    const long size_j_,
    const long size_i_,
    const long units,
    const long chunk,
    const float n4_epsilon_,
    const float sigma_2_,
    const long size_d_,
    const long lennard_jones_1_rows_1_1_offset_,
    const long lennard_jones_1_rows_1_1_stride_d_,
    const long pos_2_offset_,
    const long pos_2_stride_j_,
    const long part_1_offset_,
    const long item) {
    float16 own_total;
    float16 own_rest;
    float16 own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_i_;
        const long count_of_part = min(block_of_i_, size_i_ - (unit * block_of_i_));
        own_total = (float16)(0.0f);
        own_rest = (float16)(0.0f);
        const long count_2 = max(size_j_ - (begin_of_part + 1L), 0L);
        for (long run = 0; run < ((count_2 + 255L) >> 8); ++run) {
            own_run_sum = (float16)(0.0f);
            for (long j_ = 0; j_ < min(count_2 - (run * 256L), 256L); ++j_) {
                const long at = j_ + (run * 256L);
                const long j_2_ = (at + begin_of_part) + 1L;
                own_total_2 = (float16)(0.0f);
                own_rest_2 = (float16)(0.0f);
                const long count_3 = size_d_;
                for (long run_2 = 0; run_2 < ((count_3 + 255L) >> 8); ++run_2) {
                    own_run_sum_2 = (float16)(0.0f);
                    for (long d_ = 0; d_ < min(count_3 - (run_2 * 256L), 256L); ++d_) {
                        const long at_2 = d_ + (run_2 * 256L);
                        const float16 lennard_jones_1_rows_1_value_ = load_floats(lennard_jones_1_rows_1_ + (lennard_jones_1_rows_1_1_offset_ + begin_of_part) + (at_2 * lennard_jones_1_rows_1_1_stride_d_));
                        const float16 t = lennard_jones_1_rows_1_value_ - (float16)(pos_[(pos_2_offset_ + at_2) + (j_2_ * pos_2_stride_j_)]);
                        own_run_sum_2 = own_run_sum_2 + (t * t);
                    }
                    const float16 before = own_total_2;
                    const float16 part = own_run_sum_2;
                    const float16 after = before + part;
                    const float16 arrived = after - before;
                    own_rest_2 = own_rest_2 + ((before - (after - arrived)) + (part - arrived));
                    own_total_2 = after;
                }
                const float16 total = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : (float16)(0.0f));
                const float16 t_2 = (float16)(sigma_2_) / total;
                const float16 value = t_2 * t_2 * t_2;
                own_run_sum = own_run_sum + (((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(j_2_ - begin_of_part, -1L, 16L))) ? ((float16)(n4_epsilon_) * ((value * value) - value)) : (float16)(0.0f));
            }
            const float16 before_2 = own_total;
            const float16 part_2 = own_run_sum;
            const float16 after_2 = before_2 + part_2;
            const float16 arrived_2 = after_2 - before_2;
            own_rest = own_rest + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
            own_total = after_2;
        }
        const float16 total_2 = own_total + ((isfinite(own_rest)) ? own_rest : (float16)(0.0f));
        const int16 inside = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_i_ - begin_of_part, -1L, 16L));
        if (fold_all_int16(inside)) {
            store_floats(total_2, part_1_ + part_1_offset_ + begin_of_part);
        } else store_floats_where(total_2, inside, part_1_ + part_1_offset_ + begin_of_part, 1L);
    }
}

__kernel void lennard_jones_1__kernel(
    __global const float *lennard_jones_1_rows_1_,
    __global const float *pos_,
    __global float *part_1_,
    const long block_of_i_,
    const long size_j_,
    const long size_i_,
    const long units,
    const long chunk,
    const float n4_epsilon_,
    const float sigma_2_,
    const long size_d_,
    const long lennard_jones_1_rows_1_1_offset_,
    const long lennard_jones_1_rows_1_1_stride_d_,
    const long pos_2_offset_,
    const long pos_2_stride_j_,
    const long part_1_offset_) {
    lennard_jones_1__item(lennard_jones_1_rows_1_, pos_, part_1_, block_of_i_, size_j_, size_i_, units, chunk, n4_epsilon_, sigma_2_, size_d_, lennard_jones_1_rows_1_1_offset_, lennard_jones_1_rows_1_1_stride_d_, pos_2_offset_, pos_2_stride_j_, part_1_offset_, get_global_id(0));
}


// lennard_jones (kernels_dsl/pairwise.netcl)
//     e[] = sum[i](part.1[i])
__attribute__((noinline)) void lennard_jones_2__item(
    __global const float *part_1_,
    __global float *e_,
    const long units,
    const long chunk,
    const long size_i_,
    const long part_1_offset_,
    const long e_offset_,
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
    for (long step = 0; step < (size_i_ >> 6); ++step) {
        const float16 part_1_value_ = load_floats(part_1_ + part_1_offset_ + (step * 64L));
        own_total_2 = own_total_2 + part_1_value_;
        const float16 part_1_value_2_ = load_floats(part_1_ + part_1_offset_ + ((step * 64L) + 16L));
        own_total_3 = own_total_3 + part_1_value_2_;
        const float16 part_1_value_3_ = load_floats(part_1_ + part_1_offset_ + ((step * 64L) + 32L));
        own_total_4 = own_total_4 + part_1_value_3_;
        const float16 part_1_value_4_ = load_floats(part_1_ + part_1_offset_ + ((step * 64L) + 48L));
        own_total_5 = own_total_5 + part_1_value_4_;
    }
    own_total_2 = own_total_2 + own_total_3;
    own_total_2 = own_total_2 + own_total_4;
    own_total_2 = own_total_2 + own_total_5;
    const long rest = size_i_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_i_ >> 6) * 64L) + (vector * 16L);
        const float16 part_1_value_5_ = load_floats(part_1_ + part_1_offset_ + start);
        own_total_2 = own_total_2 + part_1_value_5_;
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long i_ = (((size_i_ >> 6) * 64L) + (vectors * 16L)) + left;
        own_total = own_total + part_1_[part_1_offset_ + i_];
    }
    const float folded = fold_sum_float16(own_total_2);
    own_total = own_total + folded;
    const float total = own_total;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step_2 = 0; step_2 < count; ++step_2) {
        const long unit = begin + step_2;
        e_[e_offset_] = total;
    }
}

__kernel void lennard_jones_2__kernel(
    __global const float *part_1_,
    __global float *e_,
    const long units,
    const long chunk,
    const long size_i_,
    const long part_1_offset_,
    const long e_offset_) {
    lennard_jones_2__item(part_1_, e_, units, chunk, size_i_, part_1_offset_, e_offset_, get_global_id(0));
}


// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     pos:2, its rows side by side
__attribute__((noinline)) void lennard_jones_grad_rows_1__item(
    __global const float *pos_,
    __global float *lennard_jones_grad_rows_1_,
    const long block_of_n_,
    const long size_d_,
    const long size_n_,
    const long units,
    const long chunk,
    const long pos_2_offset_,
    const long pos_2_stride_n_,
    const long lennard_jones_grad_rows_1_offset_,
    const long lennard_jones_grad_rows_1_stride_d_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_d_;
    for (long run = 0; run < ((((begin + count) + (size_d_ - 1L)) / size_d_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_d_), size_d_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_n_;
            const long count_of_part = min(block_of_n_, size_n_ - (at * block_of_n_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 value = load_floats_apart(pos_ + (pos_2_offset_ + at_2) + (pos_2_stride_n_ * start_2), pos_2_stride_n_);
                store_floats(value, lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_offset_ + start_2) + (at_2 * lennard_jones_grad_rows_1_stride_d_));
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long n_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_grad_rows_1_[(lennard_jones_grad_rows_1_offset_ + n_) + (at_2 * lennard_jones_grad_rows_1_stride_d_)] = pos_[(pos_2_offset_ + at_2) + (n_ * pos_2_stride_n_)];
            }
        }
    }
}

// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     pos:2, zeros behind its last row
__attribute__((noinline)) void lennard_jones_grad_rows_1_rest__item(
    __global float *lennard_jones_grad_rows_1_,
    const long block_of_lennard_jones_grad_rows_1_rest_,
    const long size_d_,
    const long size_lennard_jones_grad_rows_1_rest_,
    const long units,
    const long chunk,
    const long lennard_jones_grad_rows_1_offset_,
    const long lennard_jones_grad_rows_1_stride_d_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_d_;
    for (long run = 0; run < ((((begin + count) + (size_d_ - 1L)) / size_d_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_d_), size_d_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_lennard_jones_grad_rows_1_rest_;
            const long count_of_part = min(block_of_lennard_jones_grad_rows_1_rest_, size_lennard_jones_grad_rows_1_rest_ - (at * block_of_lennard_jones_grad_rows_1_rest_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                store_floats((float16)(0.0f), lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_offset_ + (at_2 * lennard_jones_grad_rows_1_stride_d_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long lennard_jones_grad_rows_1_rest_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_grad_rows_1_[(lennard_jones_grad_rows_1_offset_ + (at_2 * lennard_jones_grad_rows_1_stride_d_)) + lennard_jones_grad_rows_1_rest_] = 0.0f;
            }
        }
    }
}

__kernel void lennard_jones_grad_rows_1__kernel(
    __global const float *pos_,
    __global float *lennard_jones_grad_rows_1_,
    const long block_of_n_,
    const long size_d_,
    const long size_n_,
    const long units,
    const long chunk,
    const long pos_2_offset_,
    const long pos_2_stride_n_,
    const long lennard_jones_grad_rows_1_offset_,
    const long lennard_jones_grad_rows_1_stride_d_,
    const long items,
    const long block_of_lennard_jones_grad_rows_1_rest_of_2_,
    const long size_d_of_2_,
    const long size_lennard_jones_grad_rows_1_rest_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long lennard_jones_grad_rows_1_offset_of_2_,
    const long lennard_jones_grad_rows_1_stride_d_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        lennard_jones_grad_rows_1__item(pos_, lennard_jones_grad_rows_1_, block_of_n_, size_d_, size_n_, units, chunk, pos_2_offset_, pos_2_stride_n_, lennard_jones_grad_rows_1_offset_, lennard_jones_grad_rows_1_stride_d_, first_0 + item);
    } else {
        item -= count_0;
        lennard_jones_grad_rows_1_rest__item(lennard_jones_grad_rows_1_, block_of_lennard_jones_grad_rows_1_rest_of_2_, size_d_of_2_, size_lennard_jones_grad_rows_1_rest_of_2_, units_of_2, chunk_of_2, lennard_jones_grad_rows_1_offset_of_2_, lennard_jones_grad_rows_1_stride_d_of_2_, first_1 + item);
    }
}


// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     grad_pos[n, d] = a function of de, pos with sum[d], sum[i], sum[j]
__attribute__((noinline)) void lennard_jones_grad__item(
    __global const float *pos_,
    __global const float *lennard_jones_grad_rows_1_,
    __global const float *de_,
    __global float *grad_pos_,
    const long block_of_n_,
    const long size_i_,
    const long size_j_,
    const long size_n_,
    const long units,
    const long chunk,
    const long size_d_,
    const float sigma_2_,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_grad_rows_1_1_offset_,
    const long lennard_jones_grad_rows_1_1_stride_d_,
    const long de_offset_,
    const float n4_epsilon_,
    const long pos_3_stride_j_,
    const long grad_pos_offset_,
    const long grad_pos_stride_n_,
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
    float16 own_total_6;
    float16 own_rest_6;
    float16 own_run_sum_6;
    float16 own_total_7;
    float16 own_rest_7;
    float16 own_run_sum_7;
    float16 own_total_8;
    float16 own_rest_8;
    float16 own_run_sum_8;
    float16 own_total_9;
    float16 own_rest_9;
    float16 own_run_sum_9;
    float16 own_total_10;
    float16 own_rest_10;
    float16 own_run_sum_10;
    float16 own_total_11;
    float16 own_rest_11;
    float16 own_run_sum_11;
    float16 own_total_12;
    float16 own_rest_12;
    float16 own_run_sum_12;
    float16 own_total_13;
    float16 own_rest_13;
    float16 own_run_sum_13;
    float16 own_total_14;
    float16 own_rest_14;
    float16 own_run_sum_14;
    float16 own_total_15;
    float16 own_rest_15;
    float16 own_run_sum_15;
    float16 own_total_16;
    float16 own_rest_16;
    float16 own_run_sum_16;
    float16 own_total_17;
    float16 own_rest_17;
    float16 own_run_sum_17;
    float16 own_total_18;
    float16 own_rest_18;
    float16 own_run_sum_18;
    const float value = de_[de_offset_] * n4_epsilon_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_n_;
        const long count_of_part = min(block_of_n_, size_n_ - (unit * block_of_n_));
        for (long columns = 0; columns < ((size_d_ + 7L) >> 3); ++columns) {
            const long first = columns * 8L;
            const long d_ = min(first, size_d_ - 1L);
            const long d_2_ = min(first + 1L, size_d_ - 1L);
            const long d_3_ = min(first + 2L, size_d_ - 1L);
            const long d_4_ = min(first + 3L, size_d_ - 1L);
            const long d_5_ = min(first + 4L, size_d_ - 1L);
            const long d_6_ = min(first + 5L, size_d_ - 1L);
            const long d_7_ = min(first + 6L, size_d_ - 1L);
            const long d_8_ = min(first + 7L, size_d_ - 1L);
            own_total = (float16)(0.0f);
            own_rest = (float16)(0.0f);
            own_total_2 = (float16)(0.0f);
            own_rest_2 = (float16)(0.0f);
            own_total_3 = (float16)(0.0f);
            own_rest_3 = (float16)(0.0f);
            own_total_4 = (float16)(0.0f);
            own_rest_4 = (float16)(0.0f);
            own_total_5 = (float16)(0.0f);
            own_rest_5 = (float16)(0.0f);
            own_total_6 = (float16)(0.0f);
            own_rest_6 = (float16)(0.0f);
            own_total_7 = (float16)(0.0f);
            own_rest_7 = (float16)(0.0f);
            own_total_8 = (float16)(0.0f);
            own_rest_8 = (float16)(0.0f);
            const long count_2 = max(min(begin_of_part + 15L, size_i_), 0L);
            for (long run = 0; run < ((count_2 + 255L) >> 8); ++run) {
                own_run_sum = (float16)(0.0f);
                own_run_sum_2 = (float16)(0.0f);
                own_run_sum_3 = (float16)(0.0f);
                own_run_sum_4 = (float16)(0.0f);
                own_run_sum_5 = (float16)(0.0f);
                own_run_sum_6 = (float16)(0.0f);
                own_run_sum_7 = (float16)(0.0f);
                own_run_sum_8 = (float16)(0.0f);
                for (long i_ = 0; i_ < min(count_2 - (run * 256L), 256L); ++i_) {
                    const long at = i_ + (run * 256L);
                    const int16 is = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) > (int16)((int)clamp(at - begin_of_part, -1L, 16L));
                    own_total_9 = (float16)(0.0f);
                    own_rest_9 = (float16)(0.0f);
                    const long count_3 = size_d_;
                    for (long run_2 = 0; run_2 < ((count_3 + 255L) >> 8); ++run_2) {
                        own_run_sum_9 = (float16)(0.0f);
                        for (long d_9_ = 0; d_9_ < min(count_3 - (run_2 * 256L), 256L); ++d_9_) {
                            const long at_2 = d_9_ + (run_2 * 256L);
                            const float16 lennard_jones_grad_rows_1_value_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (at_2 * lennard_jones_grad_rows_1_1_stride_d_));
                            const float16 value_2 = (float16)(pos_[(pos_offset_ + at_2) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_;
                            own_run_sum_9 = own_run_sum_9 + (value_2 * value_2);
                        }
                        const float16 before = own_total_9;
                        const float16 part = own_run_sum_9;
                        const float16 after = before + part;
                        const float16 arrived = after - before;
                        own_rest_9 = own_rest_9 + ((before - (after - arrived)) + (part - arrived));
                        own_total_9 = after;
                    }
                    const float16 total = own_total_9 + ((isfinite(own_rest_9)) ? own_rest_9 : (float16)(0.0f));
                    const float16 value_3 = (float16)(sigma_2_) / total;
                    const float16 value_4 = (value_3 / total) * ((((float16)(value) * ((float16)(2.0f) * (value_3 * value_3 * value_3))) - (float16)(value)) * ((float16)(3.0f) * (value_3 * value_3)));
                    const float16 lennard_jones_grad_rows_1_value_2_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_5 = (float16)(pos_[(pos_offset_ + d_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_2_;
                    own_run_sum = own_run_sum + (is ? (value_4 * ((float16)(2.0f) * value_5)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_3_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_2_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_6 = (float16)(pos_[(pos_offset_ + d_2_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_3_;
                    own_run_sum_2 = own_run_sum_2 + (is ? (value_4 * ((float16)(2.0f) * value_6)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_4_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_3_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_7 = (float16)(pos_[(pos_offset_ + d_3_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_4_;
                    own_run_sum_3 = own_run_sum_3 + (is ? (value_4 * ((float16)(2.0f) * value_7)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_5_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_4_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_8 = (float16)(pos_[(pos_offset_ + d_4_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_5_;
                    own_run_sum_4 = own_run_sum_4 + (is ? (value_4 * ((float16)(2.0f) * value_8)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_6_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_5_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_9 = (float16)(pos_[(pos_offset_ + d_5_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_6_;
                    own_run_sum_5 = own_run_sum_5 + (is ? (value_4 * ((float16)(2.0f) * value_9)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_7_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_6_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_10 = (float16)(pos_[(pos_offset_ + d_6_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_7_;
                    own_run_sum_6 = own_run_sum_6 + (is ? (value_4 * ((float16)(2.0f) * value_10)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_8_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_7_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_11 = (float16)(pos_[(pos_offset_ + d_7_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_8_;
                    own_run_sum_7 = own_run_sum_7 + (is ? (value_4 * ((float16)(2.0f) * value_11)) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_9_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_8_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_12 = (float16)(pos_[(pos_offset_ + d_8_) + (at * pos_stride_i_)]) - lennard_jones_grad_rows_1_value_9_;
                    own_run_sum_8 = own_run_sum_8 + (is ? (value_4 * ((float16)(2.0f) * value_12)) : (float16)(0.0f));
                }
                const float16 before_2 = own_total;
                const float16 part_2 = own_run_sum;
                const float16 after_2 = before_2 + part_2;
                const float16 arrived_2 = after_2 - before_2;
                own_rest = own_rest + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
                own_total = after_2;
                const float16 before_3 = own_total_2;
                const float16 part_3 = own_run_sum_2;
                const float16 after_3 = before_3 + part_3;
                const float16 arrived_3 = after_3 - before_3;
                own_rest_2 = own_rest_2 + ((before_3 - (after_3 - arrived_3)) + (part_3 - arrived_3));
                own_total_2 = after_3;
                const float16 before_4 = own_total_3;
                const float16 part_4 = own_run_sum_3;
                const float16 after_4 = before_4 + part_4;
                const float16 arrived_4 = after_4 - before_4;
                own_rest_3 = own_rest_3 + ((before_4 - (after_4 - arrived_4)) + (part_4 - arrived_4));
                own_total_3 = after_4;
                const float16 before_5 = own_total_4;
                const float16 part_5 = own_run_sum_4;
                const float16 after_5 = before_5 + part_5;
                const float16 arrived_5 = after_5 - before_5;
                own_rest_4 = own_rest_4 + ((before_5 - (after_5 - arrived_5)) + (part_5 - arrived_5));
                own_total_4 = after_5;
                const float16 before_6 = own_total_5;
                const float16 part_6 = own_run_sum_5;
                const float16 after_6 = before_6 + part_6;
                const float16 arrived_6 = after_6 - before_6;
                own_rest_5 = own_rest_5 + ((before_6 - (after_6 - arrived_6)) + (part_6 - arrived_6));
                own_total_5 = after_6;
                const float16 before_7 = own_total_6;
                const float16 part_7 = own_run_sum_6;
                const float16 after_7 = before_7 + part_7;
                const float16 arrived_7 = after_7 - before_7;
                own_rest_6 = own_rest_6 + ((before_7 - (after_7 - arrived_7)) + (part_7 - arrived_7));
                own_total_6 = after_7;
                const float16 before_8 = own_total_7;
                const float16 part_8 = own_run_sum_7;
                const float16 after_8 = before_8 + part_8;
                const float16 arrived_8 = after_8 - before_8;
                own_rest_7 = own_rest_7 + ((before_8 - (after_8 - arrived_8)) + (part_8 - arrived_8));
                own_total_7 = after_8;
                const float16 before_9 = own_total_8;
                const float16 part_9 = own_run_sum_8;
                const float16 after_9 = before_9 + part_9;
                const float16 arrived_9 = after_9 - before_9;
                own_rest_8 = own_rest_8 + ((before_9 - (after_9 - arrived_9)) + (part_9 - arrived_9));
                own_total_8 = after_9;
            }
            const float16 total_2 = own_total + ((isfinite(own_rest)) ? own_rest : (float16)(0.0f));
            const float16 total_3 = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : (float16)(0.0f));
            const float16 total_4 = own_total_3 + ((isfinite(own_rest_3)) ? own_rest_3 : (float16)(0.0f));
            const float16 total_5 = own_total_4 + ((isfinite(own_rest_4)) ? own_rest_4 : (float16)(0.0f));
            const float16 total_6 = own_total_5 + ((isfinite(own_rest_5)) ? own_rest_5 : (float16)(0.0f));
            const float16 total_7 = own_total_6 + ((isfinite(own_rest_6)) ? own_rest_6 : (float16)(0.0f));
            const float16 total_8 = own_total_7 + ((isfinite(own_rest_7)) ? own_rest_7 : (float16)(0.0f));
            const float16 total_9 = own_total_8 + ((isfinite(own_rest_8)) ? own_rest_8 : (float16)(0.0f));
            own_total_10 = (float16)(0.0f);
            own_rest_10 = (float16)(0.0f);
            own_total_11 = (float16)(0.0f);
            own_rest_11 = (float16)(0.0f);
            own_total_12 = (float16)(0.0f);
            own_rest_12 = (float16)(0.0f);
            own_total_13 = (float16)(0.0f);
            own_rest_13 = (float16)(0.0f);
            own_total_14 = (float16)(0.0f);
            own_rest_14 = (float16)(0.0f);
            own_total_15 = (float16)(0.0f);
            own_rest_15 = (float16)(0.0f);
            own_total_16 = (float16)(0.0f);
            own_rest_16 = (float16)(0.0f);
            own_total_17 = (float16)(0.0f);
            own_rest_17 = (float16)(0.0f);
            const long count_4 = max(size_j_ - (begin_of_part + 1L), 0L);
            for (long run_3 = 0; run_3 < ((count_4 + 255L) >> 8); ++run_3) {
                own_run_sum_10 = (float16)(0.0f);
                own_run_sum_11 = (float16)(0.0f);
                own_run_sum_12 = (float16)(0.0f);
                own_run_sum_13 = (float16)(0.0f);
                own_run_sum_14 = (float16)(0.0f);
                own_run_sum_15 = (float16)(0.0f);
                own_run_sum_16 = (float16)(0.0f);
                own_run_sum_17 = (float16)(0.0f);
                for (long j_ = 0; j_ < min(count_4 - (run_3 * 256L), 256L); ++j_) {
                    const long at_3 = j_ + (run_3 * 256L);
                    const long j_2_ = (at_3 + begin_of_part) + 1L;
                    const int16 is_2 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(j_2_ - begin_of_part, -1L, 16L));
                    own_total_18 = (float16)(0.0f);
                    own_rest_18 = (float16)(0.0f);
                    const long count_5 = size_d_;
                    for (long run_4 = 0; run_4 < ((count_5 + 255L) >> 8); ++run_4) {
                        own_run_sum_18 = (float16)(0.0f);
                        for (long d_10_ = 0; d_10_ < min(count_5 - (run_4 * 256L), 256L); ++d_10_) {
                            const long at_4 = d_10_ + (run_4 * 256L);
                            const float16 lennard_jones_grad_rows_1_value_10_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (at_4 * lennard_jones_grad_rows_1_1_stride_d_));
                            const float16 value_13 = lennard_jones_grad_rows_1_value_10_ - (float16)(pos_[(pos_offset_ + at_4) + (j_2_ * pos_3_stride_j_)]);
                            own_run_sum_18 = own_run_sum_18 + (value_13 * value_13);
                        }
                        const float16 before_10 = own_total_18;
                        const float16 part_10 = own_run_sum_18;
                        const float16 after_10 = before_10 + part_10;
                        const float16 arrived_10 = after_10 - before_10;
                        own_rest_18 = own_rest_18 + ((before_10 - (after_10 - arrived_10)) + (part_10 - arrived_10));
                        own_total_18 = after_10;
                    }
                    const float16 total_10 = own_total_18 + ((isfinite(own_rest_18)) ? own_rest_18 : (float16)(0.0f));
                    const float16 value_14 = (float16)(sigma_2_) / total_10;
                    const float16 value_15 = (value_14 / total_10) * ((((float16)(value) * ((float16)(2.0f) * (value_14 * value_14 * value_14))) - (float16)(value)) * ((float16)(3.0f) * (value_14 * value_14)));
                    const float16 lennard_jones_grad_rows_1_value_11_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_16 = lennard_jones_grad_rows_1_value_11_ - (float16)(pos_[(pos_offset_ + d_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_10 = own_run_sum_10 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_16))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_12_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_2_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_17 = lennard_jones_grad_rows_1_value_12_ - (float16)(pos_[(pos_offset_ + d_2_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_11 = own_run_sum_11 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_17))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_13_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_3_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_18 = lennard_jones_grad_rows_1_value_13_ - (float16)(pos_[(pos_offset_ + d_3_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_12 = own_run_sum_12 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_18))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_14_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_4_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_19 = lennard_jones_grad_rows_1_value_14_ - (float16)(pos_[(pos_offset_ + d_4_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_13 = own_run_sum_13 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_19))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_15_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_5_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_20 = lennard_jones_grad_rows_1_value_15_ - (float16)(pos_[(pos_offset_ + d_5_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_14 = own_run_sum_14 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_20))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_16_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_6_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_21 = lennard_jones_grad_rows_1_value_16_ - (float16)(pos_[(pos_offset_ + d_6_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_15 = own_run_sum_15 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_21))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_17_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_7_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_22 = lennard_jones_grad_rows_1_value_17_ - (float16)(pos_[(pos_offset_ + d_7_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_16 = own_run_sum_16 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_22))) : (float16)(0.0f));
                    const float16 lennard_jones_grad_rows_1_value_18_ = load_floats(lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_1_offset_ + begin_of_part) + (d_8_ * lennard_jones_grad_rows_1_1_stride_d_));
                    const float16 value_23 = lennard_jones_grad_rows_1_value_18_ - (float16)(pos_[(pos_offset_ + d_8_) + (j_2_ * pos_3_stride_j_)]);
                    own_run_sum_17 = own_run_sum_17 + (is_2 ? (-(value_15 * ((float16)(2.0f) * value_23))) : (float16)(0.0f));
                }
                const float16 before_11 = own_total_10;
                const float16 part_11 = own_run_sum_10;
                const float16 after_11 = before_11 + part_11;
                const float16 arrived_11 = after_11 - before_11;
                own_rest_10 = own_rest_10 + ((before_11 - (after_11 - arrived_11)) + (part_11 - arrived_11));
                own_total_10 = after_11;
                const float16 before_12 = own_total_11;
                const float16 part_12 = own_run_sum_11;
                const float16 after_12 = before_12 + part_12;
                const float16 arrived_12 = after_12 - before_12;
                own_rest_11 = own_rest_11 + ((before_12 - (after_12 - arrived_12)) + (part_12 - arrived_12));
                own_total_11 = after_12;
                const float16 before_13 = own_total_12;
                const float16 part_13 = own_run_sum_12;
                const float16 after_13 = before_13 + part_13;
                const float16 arrived_13 = after_13 - before_13;
                own_rest_12 = own_rest_12 + ((before_13 - (after_13 - arrived_13)) + (part_13 - arrived_13));
                own_total_12 = after_13;
                const float16 before_14 = own_total_13;
                const float16 part_14 = own_run_sum_13;
                const float16 after_14 = before_14 + part_14;
                const float16 arrived_14 = after_14 - before_14;
                own_rest_13 = own_rest_13 + ((before_14 - (after_14 - arrived_14)) + (part_14 - arrived_14));
                own_total_13 = after_14;
                const float16 before_15 = own_total_14;
                const float16 part_15 = own_run_sum_14;
                const float16 after_15 = before_15 + part_15;
                const float16 arrived_15 = after_15 - before_15;
                own_rest_14 = own_rest_14 + ((before_15 - (after_15 - arrived_15)) + (part_15 - arrived_15));
                own_total_14 = after_15;
                const float16 before_16 = own_total_15;
                const float16 part_16 = own_run_sum_15;
                const float16 after_16 = before_16 + part_16;
                const float16 arrived_16 = after_16 - before_16;
                own_rest_15 = own_rest_15 + ((before_16 - (after_16 - arrived_16)) + (part_16 - arrived_16));
                own_total_15 = after_16;
                const float16 before_17 = own_total_16;
                const float16 part_17 = own_run_sum_16;
                const float16 after_17 = before_17 + part_17;
                const float16 arrived_17 = after_17 - before_17;
                own_rest_16 = own_rest_16 + ((before_17 - (after_17 - arrived_17)) + (part_17 - arrived_17));
                own_total_16 = after_17;
                const float16 before_18 = own_total_17;
                const float16 part_18 = own_run_sum_17;
                const float16 after_18 = before_18 + part_18;
                const float16 arrived_18 = after_18 - before_18;
                own_rest_17 = own_rest_17 + ((before_18 - (after_18 - arrived_18)) + (part_18 - arrived_18));
                own_total_17 = after_18;
            }
            const float16 total_11 = own_total_10 + ((isfinite(own_rest_10)) ? own_rest_10 : (float16)(0.0f));
            const float16 total_12 = own_total_11 + ((isfinite(own_rest_11)) ? own_rest_11 : (float16)(0.0f));
            const float16 total_13 = own_total_12 + ((isfinite(own_rest_12)) ? own_rest_12 : (float16)(0.0f));
            const float16 total_14 = own_total_13 + ((isfinite(own_rest_13)) ? own_rest_13 : (float16)(0.0f));
            const float16 total_15 = own_total_14 + ((isfinite(own_rest_14)) ? own_rest_14 : (float16)(0.0f));
            const float16 total_16 = own_total_15 + ((isfinite(own_rest_15)) ? own_rest_15 : (float16)(0.0f));
            const float16 total_17 = own_total_16 + ((isfinite(own_rest_16)) ? own_rest_16 : (float16)(0.0f));
            const float16 total_18 = own_total_17 + ((isfinite(own_rest_17)) ? own_rest_17 : (float16)(0.0f));
            const float16 value_24 = total_2 + total_11;
            const int16 inside = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
            store_floats_where(value_24, inside, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_, grad_pos_stride_n_);
            if ((first + 1L) < size_d_) {
                const float16 value_25 = total_3 + total_12;
                const int16 inside_2 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_25, inside_2, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_2_, grad_pos_stride_n_);
            }
            if ((first + 2L) < size_d_) {
                const float16 value_26 = total_4 + total_13;
                const int16 inside_3 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_26, inside_3, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_3_, grad_pos_stride_n_);
            }
            if ((first + 3L) < size_d_) {
                const float16 value_27 = total_5 + total_14;
                const int16 inside_4 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_27, inside_4, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_4_, grad_pos_stride_n_);
            }
            if ((first + 4L) < size_d_) {
                const float16 value_28 = total_6 + total_15;
                const int16 inside_5 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_28, inside_5, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_5_, grad_pos_stride_n_);
            }
            if ((first + 5L) < size_d_) {
                const float16 value_29 = total_7 + total_16;
                const int16 inside_6 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_29, inside_6, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_6_, grad_pos_stride_n_);
            }
            if ((first + 6L) < size_d_) {
                const float16 value_30 = total_8 + total_17;
                const int16 inside_7 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_30, inside_7, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_7_, grad_pos_stride_n_);
            }
            if ((first + 7L) < size_d_) {
                const float16 value_31 = total_9 + total_18;
                const int16 inside_8 = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (int16)((int)clamp(size_n_ - begin_of_part, -1L, 16L));
                store_floats_where(value_31, inside_8, grad_pos_ + (grad_pos_offset_ + (grad_pos_stride_n_ * begin_of_part)) + d_8_, grad_pos_stride_n_);
            }
        }
    }
}

__kernel void lennard_jones_grad__kernel(
    __global const float *pos_,
    __global const float *lennard_jones_grad_rows_1_,
    __global const float *de_,
    __global float *grad_pos_,
    const long block_of_n_,
    const long size_i_,
    const long size_j_,
    const long size_n_,
    const long units,
    const long chunk,
    const long size_d_,
    const float sigma_2_,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_grad_rows_1_1_offset_,
    const long lennard_jones_grad_rows_1_1_stride_d_,
    const long de_offset_,
    const float n4_epsilon_,
    const long pos_3_stride_j_,
    const long grad_pos_offset_,
    const long grad_pos_stride_n_) {
    lennard_jones_grad__item(pos_, lennard_jones_grad_rows_1_, de_, grad_pos_, block_of_n_, size_i_, size_j_, size_n_, units, chunk, size_d_, sigma_2_, pos_offset_, pos_stride_i_, lennard_jones_grad_rows_1_1_offset_, lennard_jones_grad_rows_1_1_stride_d_, de_offset_, n4_epsilon_, pos_3_stride_j_, grad_pos_offset_, grad_pos_stride_n_, get_global_id(0));
}
