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
        const long row = first + run;
        const long start = max(begin - (row * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_d_), size_d_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_i_;
            const long count_of_part = min(block_of_i_, size_i_ - (row * block_of_i_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const long at_2 = (pos_offset_ + at) + (pos_stride_i_ * start_2);
                const float16 value = (float16)(pos_[at_2], pos_[at_2 + 1 * pos_stride_i_], pos_[at_2 + 2 * pos_stride_i_], pos_[at_2 + 3 * pos_stride_i_], pos_[at_2 + 4 * pos_stride_i_], pos_[at_2 + 5 * pos_stride_i_], pos_[at_2 + 6 * pos_stride_i_], pos_[at_2 + 7 * pos_stride_i_], pos_[at_2 + 8 * pos_stride_i_], pos_[at_2 + 9 * pos_stride_i_], pos_[at_2 + 10 * pos_stride_i_], pos_[at_2 + 11 * pos_stride_i_], pos_[at_2 + 12 * pos_stride_i_], pos_[at_2 + 13 * pos_stride_i_], pos_[at_2 + 14 * pos_stride_i_], pos_[at_2 + 15 * pos_stride_i_]);
                store_floats(value, lennard_jones_1_rows_1_ + (lennard_jones_1_rows_1_offset_ + start_2) + (at * lennard_jones_1_rows_1_stride_d_));
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long i_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_1_rows_1_[(lennard_jones_1_rows_1_offset_ + i_) + (at * lennard_jones_1_rows_1_stride_d_)] = pos_[(pos_offset_ + at) + (i_ * pos_stride_i_)];
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
        const long row = first + run;
        const long start = max(begin - (row * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_d_), size_d_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_lennard_jones_1_rows_1_rest_;
            const long count_of_part = min(block_of_lennard_jones_1_rows_1_rest_, size_lennard_jones_1_rows_1_rest_ - (row * block_of_lennard_jones_1_rows_1_rest_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                store_floats((float16)(0.0f), lennard_jones_1_rows_1_ + (lennard_jones_1_rows_1_offset_ + (at * lennard_jones_1_rows_1_stride_d_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long lennard_jones_1_rows_1_rest_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_1_rows_1_[(lennard_jones_1_rows_1_offset_ + (at * lennard_jones_1_rows_1_stride_d_)) + lennard_jones_1_rows_1_rest_] = 0.0f;
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
    __global float *lennard_jones_1_rows_1_of_2_,
    const long block_of_lennard_jones_1_rows_1_rest_of_2_,
    const long size_d_of_2_,
    const long size_lennard_jones_1_rows_1_rest_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long lennard_jones_1_rows_1_offset_of_2_,
    const long lennard_jones_1_rows_1_stride_d_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        lennard_jones_1_rows_1__item(pos_, lennard_jones_1_rows_1_, block_of_i_, size_d_, size_i_, units, chunk, pos_offset_, pos_stride_i_, lennard_jones_1_rows_1_offset_, lennard_jones_1_rows_1_stride_d_, item);
    } else {
        item -= items;
        lennard_jones_1_rows_1_rest__item(lennard_jones_1_rows_1_of_2_, block_of_lennard_jones_1_rows_1_rest_of_2_, size_d_of_2_, size_lennard_jones_1_rows_1_rest_of_2_, units_of_2, chunk_of_2, lennard_jones_1_rows_1_offset_of_2_, lennard_jones_1_rows_1_stride_d_of_2_, item);
    }
}


// lennard_jones (kernels_dsl/pairwise.netcl)
//     part.1[i] = sum[j](i < j ? 4 * epsilon * (((sigma ^ 2 / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) ^ 2 - (sigma ^ 2 / sum[d]((pos[i, d] - pos[j, d]) ^ 2)) ^ 3) : 0)
__attribute__((noinline)) void lennard_jones_1__item(
    __global float *part_1_,
    __global const float *pos_,
    __global const float *lennard_jones_1_rows_1_,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i_,
    const long size_i_,
    const long size_j_,
    const float epsilon_,
    const float sigma_,
    const long size_d_,
    const long lennard_jones_1_rows_1_1_offset_,
    const long lennard_jones_1_rows_1_1_stride_d_,
    const long pos_2_offset_,
    const long pos_2_stride_j_,
    const long part_1_offset_,
    const long item) {
    const float t = 4.0f * epsilon_;
    const float t_2 = sigma_ * sigma_;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i_block_ = begin; i_block_ < end; ++i_block_) {
        const long i__begin = i_block_ * block_i_;
        const long i__end = min(i__begin + block_i_, size_i_);
        {
            long i_ = i__begin;
            for (; i_ < i__end; i_ += 16) {
                float16 sum_j_ = 0.0f, sum_j__low = 0.0f;
                const long16 i_lanes_ = i_ + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                for (long j__run = i_ + 1; j__run < size_j_; j__run += 256) {
                    const long j__stop = min(j__run + 256, size_j_);
                    float16 sum_j__part = 0.0f;
                    for (long j_ = j__run; j_ < j__stop; ++j_) {
                        float16 sum_d_ = 0.0f, sum_d__low = 0.0f;
                        for (long d__run = 0; d__run < size_d_; d__run += 256) {
                            const long d__stop = min(d__run + 256, size_d_);
                            float16 sum_d__part = 0.0f;
                            for (long d_ = d__run; d_ < d__stop; ++d_) {
                                const float16 lennard_jones_1_rows_1_value_ = load_floats(lennard_jones_1_rows_1_ + lennard_jones_1_rows_1_1_offset_ + i_ + d_ * lennard_jones_1_rows_1_1_stride_d_);
                                const float16 t_3 = lennard_jones_1_rows_1_value_ - (float16)(pos_[pos_2_offset_ + d_ + j_ * pos_2_stride_j_]);
                                sum_d__part += t_3 * t_3;
                            }
                            add_pair_float16(&sum_d_, &sum_d__low, sum_d__part);
                        }
                        const float16 sum_d_total_ = close_pair_float16(sum_d_, sum_d__low);
                        const float16 t_4 = (float16)(t_2) / sum_d_total_;
                        const float16 t_5 = t_4 * t_4 * t_4;
                        const float16 t_6 = convert_int16(i_lanes_ < (long16)(j_)) ? ((float16)(t) * ((t_5 * t_5) - t_5)) : (float16)(0.0f);
                        sum_j__part += t_6;
                    }
                    add_pair_float16(&sum_j_, &sum_j__low, sum_j__part);
                }
                const float16 sum_j_total_ = close_pair_float16(sum_j_, sum_j__low);
                store_some_floats(sum_j_total_, part_1_ + part_1_offset_ + i_, 1, size_i_ - i_);
            }
        }
    }
}

__kernel void lennard_jones_1__kernel(
    __global float *part_1_,
    __global const float *pos_,
    __global const float *lennard_jones_1_rows_1_,
    const long chunk,
    const long units,
    const long blocks,
    const long block_i_,
    const long size_i_,
    const long size_j_,
    const float epsilon_,
    const float sigma_,
    const long size_d_,
    const long lennard_jones_1_rows_1_1_offset_,
    const long lennard_jones_1_rows_1_1_stride_d_,
    const long pos_2_offset_,
    const long pos_2_stride_j_,
    const long part_1_offset_) {
    lennard_jones_1__item(part_1_, pos_, lennard_jones_1_rows_1_, chunk, units, blocks, block_i_, size_i_, size_j_, epsilon_, sigma_, size_d_, lennard_jones_1_rows_1_1_offset_, lennard_jones_1_rows_1_1_stride_d_, pos_2_offset_, pos_2_stride_j_, part_1_offset_, get_global_id(0));
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
//     pos.2, its rows side by side
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
        const long row = first + run;
        const long start = max(begin - (row * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_d_), size_d_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_n_;
            const long count_of_part = min(block_of_n_, size_n_ - (row * block_of_n_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const long at_2 = (pos_2_offset_ + at) + (pos_2_stride_n_ * start_2);
                const float16 value = (float16)(pos_[at_2], pos_[at_2 + 1 * pos_2_stride_n_], pos_[at_2 + 2 * pos_2_stride_n_], pos_[at_2 + 3 * pos_2_stride_n_], pos_[at_2 + 4 * pos_2_stride_n_], pos_[at_2 + 5 * pos_2_stride_n_], pos_[at_2 + 6 * pos_2_stride_n_], pos_[at_2 + 7 * pos_2_stride_n_], pos_[at_2 + 8 * pos_2_stride_n_], pos_[at_2 + 9 * pos_2_stride_n_], pos_[at_2 + 10 * pos_2_stride_n_], pos_[at_2 + 11 * pos_2_stride_n_], pos_[at_2 + 12 * pos_2_stride_n_], pos_[at_2 + 13 * pos_2_stride_n_], pos_[at_2 + 14 * pos_2_stride_n_], pos_[at_2 + 15 * pos_2_stride_n_]);
                store_floats(value, lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_offset_ + start_2) + (at * lennard_jones_grad_rows_1_stride_d_));
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long n_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_grad_rows_1_[(lennard_jones_grad_rows_1_offset_ + n_) + (at * lennard_jones_grad_rows_1_stride_d_)] = pos_[(pos_2_offset_ + at) + (n_ * pos_2_stride_n_)];
            }
        }
    }
}

// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     pos.2, zeros behind its last row
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
        const long row = first + run;
        const long start = max(begin - (row * size_d_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_d_), size_d_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_lennard_jones_grad_rows_1_rest_;
            const long count_of_part = min(block_of_lennard_jones_grad_rows_1_rest_, size_lennard_jones_grad_rows_1_rest_ - (row * block_of_lennard_jones_grad_rows_1_rest_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                store_floats((float16)(0.0f), lennard_jones_grad_rows_1_ + (lennard_jones_grad_rows_1_offset_ + (at * lennard_jones_grad_rows_1_stride_d_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long lennard_jones_grad_rows_1_rest_ = (begin_of_part + (vectors * 16L)) + left;
                lennard_jones_grad_rows_1_[(lennard_jones_grad_rows_1_offset_ + (at * lennard_jones_grad_rows_1_stride_d_)) + lennard_jones_grad_rows_1_rest_] = 0.0f;
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
    __global float *lennard_jones_grad_rows_1_of_2_,
    const long block_of_lennard_jones_grad_rows_1_rest_of_2_,
    const long size_d_of_2_,
    const long size_lennard_jones_grad_rows_1_rest_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long lennard_jones_grad_rows_1_offset_of_2_,
    const long lennard_jones_grad_rows_1_stride_d_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        lennard_jones_grad_rows_1__item(pos_, lennard_jones_grad_rows_1_, block_of_n_, size_d_, size_n_, units, chunk, pos_2_offset_, pos_2_stride_n_, lennard_jones_grad_rows_1_offset_, lennard_jones_grad_rows_1_stride_d_, item);
    } else {
        item -= items;
        lennard_jones_grad_rows_1_rest__item(lennard_jones_grad_rows_1_of_2_, block_of_lennard_jones_grad_rows_1_rest_of_2_, size_d_of_2_, size_lennard_jones_grad_rows_1_rest_of_2_, units_of_2, chunk_of_2, lennard_jones_grad_rows_1_offset_of_2_, lennard_jones_grad_rows_1_stride_d_of_2_, item);
    }
}


// lennard_jones_grad (kernels_dsl/pairwise.netcl)
//     grad_pos[n, d] = a function of de, pos with sum[d], sum[i], sum[j]
__attribute__((noinline)) void lennard_jones_grad__item(
    __global float *grad_pos_,
    __global const float *pos_,
    __global const float *de_,
    __global const float *lennard_jones_grad_rows_1_,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n_,
    const long size_n_,
    const long size_d_,
    const long size_i_,
    const float sigma_,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_grad_rows_1_1_offset_,
    const long lennard_jones_grad_rows_1_1_stride_d_,
    const long de_offset_,
    const float epsilon_,
    const long size_j_,
    const long pos_3_offset_,
    const long pos_3_stride_j_,
    const long grad_pos_offset_,
    const long grad_pos_stride_n_,
    const long item) {
    const float t = sigma_ * sigma_;
    const float t_4 = de_[de_offset_] * (4.0f * epsilon_);
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long n_block_ = begin; n_block_ < end; ++n_block_) {
        const long n__begin = n_block_ * block_n_;
        const long n__end = min(n__begin + block_n_, size_n_);
        {
            long n_ = n__begin;
            for (; n_ < n__end; n_ += 16) {
                const long16 n_lanes_ = n_ + (long16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                for (long d_first_ = 0; d_first_ < size_d_; d_first_ += 8) {
                    const long d_1_ = min(d_first_ + 0, size_d_ - 1);
                    const long d_2_ = min(d_first_ + 1, size_d_ - 1);
                    const long d_3_ = min(d_first_ + 2, size_d_ - 1);
                    const long d_4_ = min(d_first_ + 3, size_d_ - 1);
                    const long d_5_ = min(d_first_ + 4, size_d_ - 1);
                    const long d_6_ = min(d_first_ + 5, size_d_ - 1);
                    const long d_7_ = min(d_first_ + 6, size_d_ - 1);
                    const long d_8_ = min(d_first_ + 7, size_d_ - 1);
                    float16 sum_i_ = 0.0f, sum_i__low = 0.0f;
                    float16 sum_i_2_ = 0.0f, sum_i_2__low = 0.0f;
                    float16 sum_i_3_ = 0.0f, sum_i_3__low = 0.0f;
                    float16 sum_i_4_ = 0.0f, sum_i_4__low = 0.0f;
                    float16 sum_i_5_ = 0.0f, sum_i_5__low = 0.0f;
                    float16 sum_i_6_ = 0.0f, sum_i_6__low = 0.0f;
                    float16 sum_i_7_ = 0.0f, sum_i_7__low = 0.0f;
                    float16 sum_i_8_ = 0.0f, sum_i_8__low = 0.0f;
                    for (long i__run = 0; i__run < min(n_ + 15, size_i_); i__run += 256) {
                        const long i__stop = min(i__run + 256, min(n_ + 15, size_i_));
                        float16 sum_i__part = 0.0f;
                        float16 sum_i_2__part = 0.0f;
                        float16 sum_i_3__part = 0.0f;
                        float16 sum_i_4__part = 0.0f;
                        float16 sum_i_5__part = 0.0f;
                        float16 sum_i_6__part = 0.0f;
                        float16 sum_i_7__part = 0.0f;
                        float16 sum_i_8__part = 0.0f;
                        for (long i_ = i__run; i_ < i__stop; ++i_) {
                            const int16 is = convert_int16((long16)(i_) < n_lanes_);
                            float16 sum_d_ = 0.0f, sum_d__low = 0.0f;
                            for (long d_1__run = 0; d_1__run < size_d_; d_1__run += 256) {
                                const long d_1__stop = min(d_1__run + 256, size_d_);
                                float16 sum_d__part = 0.0f;
                                for (long d_1_ = d_1__run; d_1_ < d_1__stop; ++d_1_) {
                                    const float16 lennard_jones_grad_rows_1_value_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_1_ * lennard_jones_grad_rows_1_1_stride_d_);
                                    const float16 t_2 = (float16)(pos_[pos_offset_ + d_1_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_;
                                    sum_d__part += t_2 * t_2;
                                }
                                add_pair_float16(&sum_d_, &sum_d__low, sum_d__part);
                            }
                            const float16 sum_d_total_ = close_pair_float16(sum_d_, sum_d__low);
                            const float16 t_3 = (float16)(t) / sum_d_total_;
                            const float16 t_5 = (((float16)(t_4) * ((float16)(2.0f) * (t_3 * t_3 * t_3))) - (float16)(t_4)) * ((float16)(3.0f) * (t_3 * t_3));
                            const float16 t_6 = (t_3 / sum_d_total_) * t_5;
                            const float16 lennard_jones_grad_rows_1_value_2_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_1_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_7 = (float16)(pos_[pos_offset_ + d_1_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_2_;
                            sum_i__part += is ? (t_6 * ((float16)(2.0f) * t_7)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_3_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_2_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_8 = (float16)(pos_[pos_offset_ + d_2_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_3_;
                            sum_i_2__part += is ? (t_6 * ((float16)(2.0f) * t_8)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_4_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_3_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_9 = (float16)(pos_[pos_offset_ + d_3_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_4_;
                            sum_i_3__part += is ? (t_6 * ((float16)(2.0f) * t_9)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_5_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_4_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_10 = (float16)(pos_[pos_offset_ + d_4_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_5_;
                            sum_i_4__part += is ? (t_6 * ((float16)(2.0f) * t_10)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_6_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_5_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_11 = (float16)(pos_[pos_offset_ + d_5_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_6_;
                            sum_i_5__part += is ? (t_6 * ((float16)(2.0f) * t_11)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_7_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_6_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_12 = (float16)(pos_[pos_offset_ + d_6_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_7_;
                            sum_i_6__part += is ? (t_6 * ((float16)(2.0f) * t_12)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_8_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_7_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_13 = (float16)(pos_[pos_offset_ + d_7_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_8_;
                            sum_i_7__part += is ? (t_6 * ((float16)(2.0f) * t_13)) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_9_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_8_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_14 = (float16)(pos_[pos_offset_ + d_8_ + i_ * pos_stride_i_]) - lennard_jones_grad_rows_1_value_9_;
                            sum_i_8__part += is ? (t_6 * ((float16)(2.0f) * t_14)) : (float16)(0.0f);
                        }
                        add_pair_float16(&sum_i_, &sum_i__low, sum_i__part);
                        add_pair_float16(&sum_i_2_, &sum_i_2__low, sum_i_2__part);
                        add_pair_float16(&sum_i_3_, &sum_i_3__low, sum_i_3__part);
                        add_pair_float16(&sum_i_4_, &sum_i_4__low, sum_i_4__part);
                        add_pair_float16(&sum_i_5_, &sum_i_5__low, sum_i_5__part);
                        add_pair_float16(&sum_i_6_, &sum_i_6__low, sum_i_6__part);
                        add_pair_float16(&sum_i_7_, &sum_i_7__low, sum_i_7__part);
                        add_pair_float16(&sum_i_8_, &sum_i_8__low, sum_i_8__part);
                    }
                    const float16 sum_i_total_ = close_pair_float16(sum_i_, sum_i__low);
                    const float16 sum_i_2_total_ = close_pair_float16(sum_i_2_, sum_i_2__low);
                    const float16 sum_i_3_total_ = close_pair_float16(sum_i_3_, sum_i_3__low);
                    const float16 sum_i_4_total_ = close_pair_float16(sum_i_4_, sum_i_4__low);
                    const float16 sum_i_5_total_ = close_pair_float16(sum_i_5_, sum_i_5__low);
                    const float16 sum_i_6_total_ = close_pair_float16(sum_i_6_, sum_i_6__low);
                    const float16 sum_i_7_total_ = close_pair_float16(sum_i_7_, sum_i_7__low);
                    const float16 sum_i_8_total_ = close_pair_float16(sum_i_8_, sum_i_8__low);
                    float16 sum_j_ = 0.0f, sum_j__low = 0.0f;
                    float16 sum_j_2_ = 0.0f, sum_j_2__low = 0.0f;
                    float16 sum_j_3_ = 0.0f, sum_j_3__low = 0.0f;
                    float16 sum_j_4_ = 0.0f, sum_j_4__low = 0.0f;
                    float16 sum_j_5_ = 0.0f, sum_j_5__low = 0.0f;
                    float16 sum_j_6_ = 0.0f, sum_j_6__low = 0.0f;
                    float16 sum_j_7_ = 0.0f, sum_j_7__low = 0.0f;
                    float16 sum_j_8_ = 0.0f, sum_j_8__low = 0.0f;
                    for (long j__run = n_ + 1; j__run < size_j_; j__run += 256) {
                        const long j__stop = min(j__run + 256, size_j_);
                        float16 sum_j__part = 0.0f;
                        float16 sum_j_2__part = 0.0f;
                        float16 sum_j_3__part = 0.0f;
                        float16 sum_j_4__part = 0.0f;
                        float16 sum_j_5__part = 0.0f;
                        float16 sum_j_6__part = 0.0f;
                        float16 sum_j_7__part = 0.0f;
                        float16 sum_j_8__part = 0.0f;
                        for (long j_ = j__run; j_ < j__stop; ++j_) {
                            const int16 is_2 = convert_int16(n_lanes_ < (long16)(j_));
                            float16 sum_d_2_ = 0.0f, sum_d_2__low = 0.0f;
                            for (long d_1__run = 0; d_1__run < size_d_; d_1__run += 256) {
                                const long d_1__stop = min(d_1__run + 256, size_d_);
                                float16 sum_d_2__part = 0.0f;
                                for (long d_1_ = d_1__run; d_1_ < d_1__stop; ++d_1_) {
                                    const float16 lennard_jones_grad_rows_1_value_10_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_1_ * lennard_jones_grad_rows_1_1_stride_d_);
                                    const float16 t_15 = lennard_jones_grad_rows_1_value_10_ - (float16)(pos_[pos_3_offset_ + d_1_ + j_ * pos_3_stride_j_]);
                                    sum_d_2__part += t_15 * t_15;
                                }
                                add_pair_float16(&sum_d_2_, &sum_d_2__low, sum_d_2__part);
                            }
                            const float16 sum_d_2_total_ = close_pair_float16(sum_d_2_, sum_d_2__low);
                            const float16 t_16 = (float16)(t) / sum_d_2_total_;
                            const float16 t_17 = (((float16)(t_4) * ((float16)(2.0f) * (t_16 * t_16 * t_16))) - (float16)(t_4)) * ((float16)(3.0f) * (t_16 * t_16));
                            const float16 t_18 = (t_16 / sum_d_2_total_) * t_17;
                            const float16 lennard_jones_grad_rows_1_value_11_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_1_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_19 = lennard_jones_grad_rows_1_value_11_ - (float16)(pos_[pos_3_offset_ + d_1_ + j_ * pos_3_stride_j_]);
                            sum_j__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_19))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_12_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_2_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_20 = lennard_jones_grad_rows_1_value_12_ - (float16)(pos_[pos_3_offset_ + d_2_ + j_ * pos_3_stride_j_]);
                            sum_j_2__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_20))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_13_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_3_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_21 = lennard_jones_grad_rows_1_value_13_ - (float16)(pos_[pos_3_offset_ + d_3_ + j_ * pos_3_stride_j_]);
                            sum_j_3__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_21))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_14_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_4_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_22 = lennard_jones_grad_rows_1_value_14_ - (float16)(pos_[pos_3_offset_ + d_4_ + j_ * pos_3_stride_j_]);
                            sum_j_4__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_22))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_15_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_5_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_23 = lennard_jones_grad_rows_1_value_15_ - (float16)(pos_[pos_3_offset_ + d_5_ + j_ * pos_3_stride_j_]);
                            sum_j_5__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_23))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_16_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_6_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_24 = lennard_jones_grad_rows_1_value_16_ - (float16)(pos_[pos_3_offset_ + d_6_ + j_ * pos_3_stride_j_]);
                            sum_j_6__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_24))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_17_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_7_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_25 = lennard_jones_grad_rows_1_value_17_ - (float16)(pos_[pos_3_offset_ + d_7_ + j_ * pos_3_stride_j_]);
                            sum_j_7__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_25))) : (float16)(0.0f);
                            const float16 lennard_jones_grad_rows_1_value_18_ = load_floats(lennard_jones_grad_rows_1_ + lennard_jones_grad_rows_1_1_offset_ + n_ + d_8_ * lennard_jones_grad_rows_1_1_stride_d_);
                            const float16 t_26 = lennard_jones_grad_rows_1_value_18_ - (float16)(pos_[pos_3_offset_ + d_8_ + j_ * pos_3_stride_j_]);
                            sum_j_8__part += is_2 ? (-(t_18 * ((float16)(2.0f) * t_26))) : (float16)(0.0f);
                        }
                        add_pair_float16(&sum_j_, &sum_j__low, sum_j__part);
                        add_pair_float16(&sum_j_2_, &sum_j_2__low, sum_j_2__part);
                        add_pair_float16(&sum_j_3_, &sum_j_3__low, sum_j_3__part);
                        add_pair_float16(&sum_j_4_, &sum_j_4__low, sum_j_4__part);
                        add_pair_float16(&sum_j_5_, &sum_j_5__low, sum_j_5__part);
                        add_pair_float16(&sum_j_6_, &sum_j_6__low, sum_j_6__part);
                        add_pair_float16(&sum_j_7_, &sum_j_7__low, sum_j_7__part);
                        add_pair_float16(&sum_j_8_, &sum_j_8__low, sum_j_8__part);
                    }
                    const float16 sum_j_total_ = close_pair_float16(sum_j_, sum_j__low);
                    const float16 sum_j_2_total_ = close_pair_float16(sum_j_2_, sum_j_2__low);
                    const float16 sum_j_3_total_ = close_pair_float16(sum_j_3_, sum_j_3__low);
                    const float16 sum_j_4_total_ = close_pair_float16(sum_j_4_, sum_j_4__low);
                    const float16 sum_j_5_total_ = close_pair_float16(sum_j_5_, sum_j_5__low);
                    const float16 sum_j_6_total_ = close_pair_float16(sum_j_6_, sum_j_6__low);
                    const float16 sum_j_7_total_ = close_pair_float16(sum_j_7_, sum_j_7__low);
                    const float16 sum_j_8_total_ = close_pair_float16(sum_j_8_, sum_j_8__low);
                    store_some_floats((sum_i_total_ + sum_j_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_1_, grad_pos_stride_n_, size_n_ - n_);
                    if (d_first_ + 1 < size_d_) {
                        store_some_floats((sum_i_2_total_ + sum_j_2_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_2_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 2 < size_d_) {
                        store_some_floats((sum_i_3_total_ + sum_j_3_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_3_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 3 < size_d_) {
                        store_some_floats((sum_i_4_total_ + sum_j_4_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_4_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 4 < size_d_) {
                        store_some_floats((sum_i_5_total_ + sum_j_5_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_5_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 5 < size_d_) {
                        store_some_floats((sum_i_6_total_ + sum_j_6_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_6_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 6 < size_d_) {
                        store_some_floats((sum_i_7_total_ + sum_j_7_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_7_, grad_pos_stride_n_, size_n_ - n_);
                    }
                    if (d_first_ + 7 < size_d_) {
                        store_some_floats((sum_i_8_total_ + sum_j_8_total_), grad_pos_ + grad_pos_offset_ + n_ * grad_pos_stride_n_ + d_8_, grad_pos_stride_n_, size_n_ - n_);
                    }
                }
            }
        }
    }
}

__kernel void lennard_jones_grad__kernel(
    __global float *grad_pos_,
    __global const float *pos_,
    __global const float *de_,
    __global const float *lennard_jones_grad_rows_1_,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n_,
    const long size_n_,
    const long size_d_,
    const long size_i_,
    const float sigma_,
    const long pos_offset_,
    const long pos_stride_i_,
    const long lennard_jones_grad_rows_1_1_offset_,
    const long lennard_jones_grad_rows_1_1_stride_d_,
    const long de_offset_,
    const float epsilon_,
    const long size_j_,
    const long pos_3_offset_,
    const long pos_3_stride_j_,
    const long grad_pos_offset_,
    const long grad_pos_stride_n_) {
    lennard_jones_grad__item(grad_pos_, pos_, de_, lennard_jones_grad_rows_1_, chunk, units, blocks, block_n_, size_n_, size_d_, size_i_, sigma_, pos_offset_, pos_stride_i_, lennard_jones_grad_rows_1_1_offset_, lennard_jones_grad_rows_1_1_stride_d_, de_offset_, epsilon_, size_j_, pos_3_offset_, pos_3_stride_j_, grad_pos_offset_, grad_pos_stride_n_, get_global_id(0));
}
