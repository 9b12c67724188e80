// matmul (kernels_dsl/linear_algebra.netcl)
//     y[] = sum[k](a[k] * b[k])
__attribute__((noinline)) void matmul__item(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_,
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
    for (long step = 0; step < (size_k_ >> 6); ++step) {
        const float16 a_value_ = load_floats(a_ + a_offset_ + (step * 64L));
        const float16 b_value_ = load_floats(b_ + b_offset_ + (step * 64L));
        own_total_2 = own_total_2 + (a_value_ * b_value_);
        const float16 a_value_2_ = load_floats(a_ + a_offset_ + ((step * 64L) + 16L));
        const float16 b_value_2_ = load_floats(b_ + b_offset_ + ((step * 64L) + 16L));
        own_total_3 = own_total_3 + (a_value_2_ * b_value_2_);
        const float16 a_value_3_ = load_floats(a_ + a_offset_ + ((step * 64L) + 32L));
        const float16 b_value_3_ = load_floats(b_ + b_offset_ + ((step * 64L) + 32L));
        own_total_4 = own_total_4 + (a_value_3_ * b_value_3_);
        const float16 a_value_4_ = load_floats(a_ + a_offset_ + ((step * 64L) + 48L));
        const float16 b_value_4_ = load_floats(b_ + b_offset_ + ((step * 64L) + 48L));
        own_total_5 = own_total_5 + (a_value_4_ * b_value_4_);
    }
    own_total_2 = own_total_2 + own_total_3;
    own_total_2 = own_total_2 + own_total_4;
    own_total_2 = own_total_2 + own_total_5;
    const long rest = size_k_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_k_ >> 6) * 64L) + (vector * 16L);
        const float16 a_value_5_ = load_floats(a_ + a_offset_ + start);
        const float16 b_value_5_ = load_floats(b_ + b_offset_ + start);
        own_total_2 = own_total_2 + (a_value_5_ * b_value_5_);
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long k_ = (((size_k_ >> 6) * 64L) + (vectors * 16L)) + left;
        own_total = own_total + (a_[a_offset_ + k_] * b_[b_offset_ + k_]);
    }
    const float folded = fold_sum_float16(own_total_2);
    own_total = own_total + folded;
    const float total = own_total;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step_2 = 0; step_2 < count; ++step_2) {
        const long unit = begin + step_2;
        y_[y_offset_] = total;
    }
}

__kernel void matmul__kernel(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_) {
    matmul__item(a_, b_, y_, units, chunk, size_k_, a_offset_, b_offset_, y_offset_, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[k] = dy[] * b[k]
//     grad_b[k] = dy[] * a[k]
__attribute__((noinline)) void matmul_grad_a_b__item(
    __global const float *dy_,
    __global const float *b_,
    __global const float *a_,
    __global float *grad_a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long a_offset_,
    const long grad_a_offset_,
    const long grad_b_offset_,
    const long item) {
    const float dy_value_ = dy_[dy_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 b_value_ = load_floats(b_ + b_offset_ + start);
        const float16 value = (float16)(dy_value_) * b_value_;
        const float16 a_value_ = load_floats(a_ + a_offset_ + start);
        const float16 value_2 = (float16)(dy_value_) * a_value_;
        store_floats(value, grad_a_ + grad_a_offset_ + start);
        store_floats(value_2, grad_b_ + grad_b_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long k_ = (begin + (vectors * 16L)) + left;
        const float value_3 = dy_value_ * b_[b_offset_ + k_];
        const float value_4 = dy_value_ * a_[a_offset_ + k_];
        grad_a_[grad_a_offset_ + k_] = value_3;
        grad_b_[grad_b_offset_ + k_] = value_4;
    }
}

__kernel void matmul_grad_a_b__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global const float *a_,
    __global float *grad_a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long a_offset_,
    const long grad_a_offset_,
    const long grad_b_offset_) {
    matmul_grad_a_b__item(dy_, b_, a_, grad_a_, grad_b_, units, chunk, dy_offset_, b_offset_, a_offset_, grad_a_offset_, grad_b_offset_, get_global_id(0));
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, j] = sum[k](a[k] * b[n0, k, j])
__attribute__((noinline)) void matmul__item(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long block_of_j_,
    const long size_n0_,
    const long size_j_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long item) {
    float own_total;
    float own_rest;
    float own_run_sum;
    float16 own_total_2;
    float16 own_rest_2;
    float16 own_run_sum_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_n0_), size_n0_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_j_;
            const long count_of_part = min(block_of_j_, size_j_ - (at * block_of_j_));
            if (count_of_part < 16L) {
                for (long left = 0; left < count_of_part; ++left) {
                    const long j_ = begin_of_part + left;
                    own_total = 0.0f;
                    own_rest = 0.0f;
                    const long count_2 = size_k_;
                    for (long run_2 = 0; run_2 < ((count_2 + 255L) >> 8); ++run_2) {
                        own_run_sum = 0.0f;
                        for (long k_ = 0; k_ < min(count_2 - (run_2 * 256L), 256L); ++k_) {
                            const long at_3 = k_ + (run_2 * 256L);
                            own_run_sum = own_run_sum + (a_[a_offset_ + at_3] * b_[((b_offset_ + j_) + (at_3 * b_stride_k_)) + (at_2 * b_stride_n0_)]);
                        }
                        const float before = own_total;
                        const float part = own_run_sum;
                        const float after = before + part;
                        const float arrived = after - before;
                        own_rest = own_rest + ((before - (after - arrived)) + (part - arrived));
                        own_total = after;
                    }
                    const float total = own_total + ((isfinite(own_rest)) ? own_rest : 0.0f);
                    y_[(y_offset_ + (at_2 * y_stride_n0_)) + j_] = total;
                }
            }
            if (!(count_of_part < 16L)) {
                for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                    const long start_2 = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                    own_total_2 = (float16)(0.0f);
                    own_rest_2 = (float16)(0.0f);
                    const long count_3 = size_k_;
                    for (long run_3 = 0; run_3 < ((count_3 + 255L) >> 8); ++run_3) {
                        own_run_sum_2 = (float16)(0.0f);
                        for (long k_2_ = 0; k_2_ < min(count_3 - (run_3 * 256L), 256L); ++k_2_) {
                            const long at_4 = k_2_ + (run_3 * 256L);
                            const float16 b_value_ = load_floats(b_ + ((b_offset_ + start_2) + (at_4 * b_stride_k_)) + (at_2 * b_stride_n0_));
                            own_run_sum_2 = own_run_sum_2 + ((float16)(a_[a_offset_ + at_4]) * b_value_);
                        }
                        const float16 before_2 = own_total_2;
                        const float16 part_2 = own_run_sum_2;
                        const float16 after_2 = before_2 + part_2;
                        const float16 arrived_2 = after_2 - before_2;
                        own_rest_2 = own_rest_2 + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
                        own_total_2 = after_2;
                    }
                    const float16 total_2 = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : (float16)(0.0f));
                    store_floats(total_2, y_ + (y_offset_ + (at_2 * y_stride_n0_)) + start_2);
                }
            }
        }
    }
}

__kernel void matmul__kernel(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long block_of_j_,
    const long size_n0_,
    const long size_j_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_) {
    matmul__item(a_, b_, y_, block_of_j_, size_n0_, size_j_, units, chunk, size_k_, a_offset_, b_offset_, b_stride_k_, b_stride_n0_, y_offset_, y_stride_n0_, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[k] = sum[j, n0](dy[n0, j] * b[n0, k, j])
__attribute__((noinline)) void matmul_grad_a_b_1__item(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long size_j_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long grad_a_offset_,
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
            own_run_sum_2 = (float16)(0.0f);
            own_run_sum = 0.0f;
            own_run_sum_3 = (float16)(0.0f);
            own_run_sum_4 = (float16)(0.0f);
            own_run_sum_5 = (float16)(0.0f);
            for (long step_2 = 0; step_2 < (size_j_ >> 6); ++step_2) {
                const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + (step_2 * 64L)) + (n0_ * dy_stride_n0_));
                const float16 b_value_ = load_floats(b_ + ((b_offset_ + (step_2 * 64L)) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_));
                own_run_sum_2 = own_run_sum_2 + (dy_value_ * b_value_);
                const float16 dy_value_2_ = load_floats(dy_ + (dy_offset_ + ((step_2 * 64L) + 16L)) + (n0_ * dy_stride_n0_));
                const float16 b_value_2_ = load_floats(b_ + ((b_offset_ + ((step_2 * 64L) + 16L)) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_));
                own_run_sum_3 = own_run_sum_3 + (dy_value_2_ * b_value_2_);
                const float16 dy_value_3_ = load_floats(dy_ + (dy_offset_ + ((step_2 * 64L) + 32L)) + (n0_ * dy_stride_n0_));
                const float16 b_value_3_ = load_floats(b_ + ((b_offset_ + ((step_2 * 64L) + 32L)) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_));
                own_run_sum_4 = own_run_sum_4 + (dy_value_3_ * b_value_3_);
                const float16 dy_value_4_ = load_floats(dy_ + (dy_offset_ + ((step_2 * 64L) + 48L)) + (n0_ * dy_stride_n0_));
                const float16 b_value_4_ = load_floats(b_ + ((b_offset_ + ((step_2 * 64L) + 48L)) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_));
                own_run_sum_5 = own_run_sum_5 + (dy_value_4_ * b_value_4_);
            }
            own_run_sum_2 = own_run_sum_2 + own_run_sum_3;
            own_run_sum_2 = own_run_sum_2 + own_run_sum_4;
            own_run_sum_2 = own_run_sum_2 + own_run_sum_5;
            const long rest = size_j_ & 63L;
            const long vectors = rest >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = ((size_j_ >> 6) * 64L) + (vector * 16L);
                const float16 dy_value_5_ = load_floats(dy_ + (dy_offset_ + start) + (n0_ * dy_stride_n0_));
                const float16 b_value_5_ = load_floats(b_ + ((b_offset_ + start) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_));
                own_run_sum_2 = own_run_sum_2 + (dy_value_5_ * b_value_5_);
            }
            for (long left = 0; left < (rest & 15L); ++left) {
                const long j_ = (((size_j_ >> 6) * 64L) + (vectors * 16L)) + left;
                own_run_sum = own_run_sum + (dy_[(dy_offset_ + j_) + (n0_ * dy_stride_n0_)] * b_[((b_offset_ + j_) + (unit * b_stride_k_)) + (n0_ * b_stride_n0_)]);
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
        grad_a_[grad_a_offset_ + unit] = total;
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = dy[n0, j] * a[k]
__attribute__((noinline)) void matmul_grad_a_b_2__item(
    __global const float *dy_,
    __global const float *a_,
    __global float *grad_b_,
    const long block_of_j_,
    const long size_n0_,
    const long size_k_,
    const long size_j_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long a_offset_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / (size_n0_ * size_k_);
    for (long run = 0; run < ((((begin + count) + ((size_n0_ * size_k_) - 1L)) / (size_n0_ * size_k_)) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (size_n0_ * size_k_)), 0L);
        const long many = min((begin + count) - (at * (size_n0_ * size_k_)), size_n0_ * size_k_) - start;
        const long first_2 = start / size_k_;
        for (long run_2 = 0; run_2 < ((((start + many) + (size_k_ - 1L)) / size_k_) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * size_k_), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * size_k_), size_k_) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long begin_of_part = at * block_of_j_;
                const long count_of_part = min(block_of_j_, size_j_ - (at * block_of_j_));
                const float a_value_ = a_[a_offset_ + at_3];
                const long vectors = count_of_part >> 4;
                for (long vector = 0; vector < vectors; ++vector) {
                    const long start_3 = begin_of_part + (vector * 16L);
                    const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + start_3) + (at_2 * dy_stride_n0_));
                    store_floats(dy_value_ * (float16)(a_value_), grad_b_ + ((grad_b_offset_ + (at_2 * grad_b_stride_n0_)) + (at_3 * grad_b_stride_k_)) + start_3);
                }
                for (long left = 0; left < (count_of_part & 15L); ++left) {
                    const long j_ = (begin_of_part + (vectors * 16L)) + left;
                    grad_b_[((grad_b_offset_ + (at_2 * grad_b_stride_n0_)) + (at_3 * grad_b_stride_k_)) + j_] = dy_[(dy_offset_ + j_) + (at_2 * dy_stride_n0_)] * a_value_;
                }
            }
        }
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long size_j_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long grad_a_offset_,
    const long items,
    __global const float *a_of_2_,
    __global float *grad_b_of_2_,
    const long block_of_j_of_2_,
    const long size_n0_of_2_,
    const long size_k_of_2_,
    const long size_j_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long dy_stride_n0_of_2_,
    const long a_offset_of_2_,
    const long grad_b_offset_of_2_,
    const long grad_b_stride_n0_of_2_,
    const long grad_b_stride_k_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        matmul_grad_a_b_1__item(dy_, b_, grad_a_, units, chunk, size_n0_, size_j_, dy_offset_, dy_stride_n0_, b_offset_, b_stride_k_, b_stride_n0_, grad_a_offset_, first_0 + item);
    } else {
        item -= count_0;
        matmul_grad_a_b_2__item(dy_, a_of_2_, grad_b_of_2_, block_of_j_of_2_, size_n0_of_2_, size_k_of_2_, size_j_of_2_, units_of_2, chunk_of_2, dy_offset_, dy_stride_n0_of_2_, a_offset_of_2_, grad_b_offset_of_2_, grad_b_stride_n0_of_2_, grad_b_stride_k_of_2_, first_1 + item);
    }
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i] = sum[k](a[n0, i, k] * b[k])
__attribute__((noinline)) void matmul__item(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long b_offset_,
    const long y_offset_,
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
        for (long step_2 = 0; step_2 < (size_k_ >> 6); ++step_2) {
            const float16 a_value_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_)) + (step_2 * 64L));
            const float16 b_value_ = load_floats(b_ + b_offset_ + (step_2 * 64L));
            own_total_2 = own_total_2 + (a_value_ * b_value_);
            const float16 a_value_2_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_)) + ((step_2 * 64L) + 16L));
            const float16 b_value_2_ = load_floats(b_ + b_offset_ + ((step_2 * 64L) + 16L));
            own_total_3 = own_total_3 + (a_value_2_ * b_value_2_);
            const float16 a_value_3_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_)) + ((step_2 * 64L) + 32L));
            const float16 b_value_3_ = load_floats(b_ + b_offset_ + ((step_2 * 64L) + 32L));
            own_total_4 = own_total_4 + (a_value_3_ * b_value_3_);
            const float16 a_value_4_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_)) + ((step_2 * 64L) + 48L));
            const float16 b_value_4_ = load_floats(b_ + b_offset_ + ((step_2 * 64L) + 48L));
            own_total_5 = own_total_5 + (a_value_4_ * b_value_4_);
        }
        own_total_2 = own_total_2 + own_total_3;
        own_total_2 = own_total_2 + own_total_4;
        own_total_2 = own_total_2 + own_total_5;
        const long rest = size_k_ & 63L;
        const long vectors = rest >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = ((size_k_ >> 6) * 64L) + (vector * 16L);
            const float16 a_value_5_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_)) + start);
            const float16 b_value_5_ = load_floats(b_ + b_offset_ + start);
            own_total_2 = own_total_2 + (a_value_5_ * b_value_5_);
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long k_ = (((size_k_ >> 6) * 64L) + (vectors * 16L)) + left;
            own_total = own_total + (a_[(a_offset_ + (unit * a_stride_n0_)) + k_] * b_[b_offset_ + k_]);
        }
        const float folded = fold_sum_float16(own_total_2);
        own_total = own_total + folded;
        const float total = own_total;
        y_[y_offset_ + unit] = total;
    }
}

__kernel void matmul__kernel(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long b_offset_,
    const long y_offset_) {
    matmul__item(a_, b_, y_, units, chunk, size_k_, a_offset_, a_stride_n0_, b_offset_, y_offset_, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = dy[n0, i] * b[k]
__attribute__((noinline)) void matmul_grad_a_b_1__item(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long block_of_k_,
    const long size_n0_,
    const long size_k_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_n0_), size_n0_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_k_;
            const long count_of_part = min(block_of_k_, size_k_ - (at * block_of_k_));
            const float dy_value_ = dy_[dy_offset_ + at_2];
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 b_value_ = load_floats(b_ + b_offset_ + start_2);
                store_floats((float16)(dy_value_) * b_value_, grad_a_ + (grad_a_offset_ + (at_2 * grad_a_stride_n0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long k_ = (begin_of_part + (vectors * 16L)) + left;
                grad_a_[(grad_a_offset_ + (at_2 * grad_a_stride_n0_)) + k_] = dy_value_ * b_[b_offset_ + k_];
            }
        }
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[k] = sum[i, n0](dy[n0, i] * a[n0, i, k])
__attribute__((noinline)) void matmul_grad_a_b_2_blocks__item(
    __global float *matmul_grad_a_b_2_part_1_,
    __global const float *dy_,
    __global const float *a_,
    const long block_of_n0_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_k_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_,
    const long dy_offset_,
    const long a_offset_,
    const long a_stride_n0_,
    const long item) {
    float16 own_total;
    float own_total_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_2 = unit * block_of_n0_;
        const long size = min(block_of_n0_, size_n0_ - (unit * block_of_n0_));
        for (long run = 0; run < ((size + 3L) >> 2); ++run) {
            const long begin_of_part = begin_2 + (run * 4L);
            const long count_of_part = min(max(size - (run * 4L), 0L), 4L);
            const long vectors = size_k_ >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = vector * 16L;
                own_total = (float16)(0.0f);
                const long count_2 = count_of_part;
                for (long n0_ = 0; n0_ < count_2; ++n0_) {
                    const long n0_2_ = begin_of_part + n0_;
                    const float16 a_value_ = load_floats(a_ + (a_offset_ + (n0_2_ * a_stride_n0_)) + start);
                    own_total = own_total + ((float16)(dy_[dy_offset_ + n0_2_]) * a_value_);
                }
                const float16 total = own_total;
                const int inside = run > 0L;
                float16 value = 0.0f;
                if (inside) value = load_floats(matmul_grad_a_b_2_part_1_ + (matmul_grad_a_b_2_part_1_offset_ + start) + (unit * matmul_grad_a_b_2_part_1_stride_n0_));
                store_floats(value + total, matmul_grad_a_b_2_part_1_ + (matmul_grad_a_b_2_part_1_offset_ + start) + (unit * matmul_grad_a_b_2_part_1_stride_n0_));
            }
            for (long left = 0; left < (size_k_ & 15L); ++left) {
                const long k_ = (vectors * 16L) + left;
                own_total_2 = 0.0f;
                const long count_3 = count_of_part;
                for (long n0_3_ = 0; n0_3_ < count_3; ++n0_3_) {
                    const long n0_4_ = begin_of_part + n0_3_;
                    own_total_2 = own_total_2 + (dy_[dy_offset_ + n0_4_] * a_[(a_offset_ + (n0_4_ * a_stride_n0_)) + k_]);
                }
                const float total_2 = own_total_2;
                matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (unit * matmul_grad_a_b_2_part_1_stride_n0_)] = ((run > 0L) ? matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (unit * matmul_grad_a_b_2_part_1_stride_n0_)] : 0.0f) + total_2;
            }
        }
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long block_of_k_,
    const long size_n0_,
    const long size_k_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long items,
    __global float *matmul_grad_a_b_2_part_1_of_2_,
    __global const float *a_of_2_,
    const long block_of_n0_of_2_,
    const long size_n0_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long size_k_of_2_,
    const long matmul_grad_a_b_2_part_1_offset_of_2_,
    const long matmul_grad_a_b_2_part_1_stride_n0_of_2_,
    const long a_offset_of_2_,
    const long a_stride_n0_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        matmul_grad_a_b_1__item(dy_, b_, grad_a_, block_of_k_, size_n0_, size_k_, units, chunk, dy_offset_, b_offset_, grad_a_offset_, grad_a_stride_n0_, first_0 + item);
    } else {
        item -= count_0;
        matmul_grad_a_b_2_blocks__item(matmul_grad_a_b_2_part_1_of_2_, dy_, a_of_2_, block_of_n0_of_2_, size_n0_of_2_, units_of_2, chunk_of_2, size_k_of_2_, matmul_grad_a_b_2_part_1_offset_of_2_, matmul_grad_a_b_2_part_1_stride_n0_of_2_, dy_offset_, a_offset_of_2_, a_stride_n0_of_2_, first_1 + item);
    }
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[k] = sum[i, n0](dy[n0, i] * a[n0, i, k])
__attribute__((noinline)) void matmul_grad_a_b_2__item(
    __global const float *matmul_grad_a_b_2_part_1_,
    __global float *grad_b_,
    const long block_of_k_,
    const long size_k_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_,
    const long grad_b_offset_,
    const long item) {
    float own_total;
    float16 own_total_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_k_;
        const long count_of_part = min(block_of_k_, size_k_ - (unit * block_of_k_));
        if (count_of_part < 16L) {
            for (long left = 0; left < count_of_part; ++left) {
                const long k_ = begin_of_part + left;
                own_total = 0.0f;
                const long count_2 = size_n0_;
                for (long n0_ = 0; n0_ < count_2; ++n0_) {
                    own_total = own_total + matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (n0_ * matmul_grad_a_b_2_part_1_stride_n0_)];
                }
                const float total = own_total;
                grad_b_[grad_b_offset_ + k_] = total;
            }
        }
        if (!(count_of_part < 16L)) {
            for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                const long start = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                own_total_2 = (float16)(0.0f);
                const long count_3 = size_n0_;
                for (long n0_2_ = 0; n0_2_ < count_3; ++n0_2_) {
                    const float16 matmul_grad_a_b_2_part_1_value_ = load_floats(matmul_grad_a_b_2_part_1_ + (matmul_grad_a_b_2_part_1_offset_ + start) + (n0_2_ * matmul_grad_a_b_2_part_1_stride_n0_));
                    own_total_2 = own_total_2 + matmul_grad_a_b_2_part_1_value_;
                }
                const float16 total_2 = own_total_2;
                store_floats(total_2, grad_b_ + grad_b_offset_ + start);
            }
        }
    }
}

__kernel void matmul_grad_a_b_2__kernel(
    __global const float *matmul_grad_a_b_2_part_1_,
    __global float *grad_b_,
    const long block_of_k_,
    const long size_k_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_,
    const long grad_b_offset_) {
    matmul_grad_a_b_2__item(matmul_grad_a_b_2_part_1_, grad_b_, block_of_k_, size_k_, units, chunk, size_n0_, matmul_grad_a_b_2_part_1_offset_, matmul_grad_a_b_2_part_1_stride_n0_, grad_b_offset_, get_global_id(0));
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i, j] = sum[k](a[n0, i, k] * b[n0, k, j])
__attribute__((noinline)) void matmul__item(
    __global const float *b_,
    __global const float *a_,
    __global float *y_,
    const long size_i_,
    const long size_j_,
    const long size_k_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long item) {
    long left_begins[256L] __attribute__((aligned(64)));
    long right_begins[32L] __attribute__((aligned(64)));
    float all_sums[32768L] __attribute__((aligned(64)));
    float right_panel[8192L] __attribute__((aligned(64)));
    long own_breaks;
    long own_split;
    long own_apart;
    const long chunks = max((size_k_ + 255L) >> 8, 1L);
    const long row_tiles = (size_i_ + 7L) >> 3;
    const long column_tiles = (size_j_ + 31L) >> 5;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_rows * blocks_of_columns);
    for (long run = 0; run < (floor_div_long((begin + count) + ((blocks_of_rows * blocks_of_columns) - 1L), blocks_of_rows * blocks_of_columns) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (blocks_of_rows * blocks_of_columns)), 0L);
        const long many = min((begin + count) - (at * (blocks_of_rows * blocks_of_columns)), blocks_of_rows * blocks_of_columns) - start;
        const long first_2 = floor_div_long(start, blocks_of_columns);
        for (long run_2 = 0; run_2 < (floor_div_long((start + many) + (blocks_of_columns - 1L), blocks_of_columns) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * blocks_of_columns), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * blocks_of_columns), blocks_of_columns) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long first_row = at_2 * row_block_;
                const long end_row = min(first_row + row_block_, row_tiles);
                const long first_column = at_3 * column_block_;
                const long end_column = min(first_column + column_block_, column_tiles);
                const long begin_chunk = 0L;
                const long end_chunk = chunks;
                for (long at_4 = 0; at_4 < (end_row - first_row); ++at_4) {
                    const long row_tile = first_row + at_4;
                    const long exist = min(8L, size_i_ - (row_tile * 8L));
                    for (long step_2 = 0; step_2 < exist; ++step_2) {
                        const long unit = (row_tile * 8L) + step_2;
                        const long number = unit - (row_tile * 8L);
                        left_begins[(at_4 * 8L) + number] = (a_offset_ + (at * a_stride_n0_)) + (unit * a_stride_i_);
                    }
                    for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                        const long t = at_4 * 8L;
                        left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                    }
                }
                for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                    const long number_2 = begin_chunk + chunk_2;
                    const long from = number_2 * 256L;
                    const long steps = min(256L, size_k_ - from);
                    for (long at_5 = 0; at_5 < (end_column - first_column); ++at_5) {
                        const long column_tile = first_column + at_5;
                        const long exist_2 = min(32L, size_j_ - (column_tile * 32L));
                        for (long step_3 = 0; step_3 < exist_2; ++step_3) {
                            const long unit_2 = (column_tile * 32L) + step_3;
                            const long number_3 = unit_2 - (column_tile * 32L);
                            right_begins[number_3] = (b_offset_ + (at * b_stride_n0_)) + unit_2;
                        }
                        for (long beyond_2 = 0; beyond_2 < max(32L - exist_2, 0L); ++beyond_2) {
                            right_begins[exist_2 + beyond_2] = right_begins[exist_2 - 1L];
                        }
                        own_apart = 0L;
                        for (long line = 0; line < 31L; ++line) {
                            if (right_begins[line + 1L] != (right_begins[line] + 1L)) {
                                own_apart = own_apart + 1L;
                            }
                        }
                        if (own_apart == 0L) {
                            for (long step_4 = 0; step_4 < steps; ++step_4) {
                                store_private_floats(load_floats(b_ + right_begins[0L] + ((from + step_4) * b_stride_k_)), right_panel + step_4 * 32L);
                            }
                            for (long step_5 = 0; step_5 < steps; ++step_5) {
                                store_private_floats(load_floats(b_ + (right_begins[0L] + ((from + step_5) * b_stride_k_)) + 16L), right_panel + (step_5 * 32L) + 16L);
                            }
                        }
                        if (!(own_apart == 0L)) {
                            for (long group = 0; group < 4L; ++group) {
                                if ((group * 8L) < exist_2) {
                                    own_breaks = 0L;
                                    own_split = 1L;
                                    for (long line_2 = 0; line_2 < 7L; ++line_2) {
                                        const long t_2 = group * 8L;
                                        if (right_begins[t_2 + (line_2 + 1L)] != (right_begins[t_2 + line_2] + 1L)) {
                                            own_breaks = own_breaks + 1L;
                                            own_split = line_2 + 1L;
                                        }
                                    }
                                    const long split = own_split;
                                    const long is_split = (long)((own_breaks == 1L) && (right_begins[(group * 8L) + split] > right_begins[((group * 8L) + split) - 1L]));
                                    if (own_breaks == 0L) {
                                        for (long step_6 = 0; step_6 < steps; ++step_6) {
                                            const long t_3 = group * 8L;
                                            store_private_floats_8(load_floats_8(b_ + right_begins[t_3] + ((from + step_6) * b_stride_k_)), right_panel + (step_6 * 32L) + t_3);
                                        }
                                    }
                                    if (is_split != 0L) {
                                        for (long step_7 = 0; step_7 < steps; ++step_7) {
                                            const float8 early = load_floats_8(b_ + right_begins[group * 8L] + ((from + step_7) * b_stride_k_));
                                            const float8 late = load_floats_8(b_ + (right_begins[(group * 8L) + 7L] - 7L) + ((from + step_7) * b_stride_k_));
                                            store_private_floats_8(((int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)((int)clamp(split, -1L, 8L))) ? late : early, right_panel + (step_7 * 32L) + (group * 8L));
                                        }
                                    }
                                    if ((!(own_breaks == 0L)) & (is_split == 0L)) {
                                        for (long step_8 = 0; step_8 < steps; ++step_8) {
                                            for (long line_3 = 0; line_3 < 8L; ++line_3) {
                                                const long t_4 = (group * 8L) + line_3;
                                                right_panel[(step_8 * 32L) + t_4] = b_[right_begins[t_4] + ((from + step_8) * b_stride_k_)];
                                            }
                                        }
                                    }
                                }
                                if (!((group * 8L) < exist_2)) {
                                    for (long step_9 = 0; step_9 < steps; ++step_9) {
                                        store_private_floats_8((float8)(0.0f), right_panel + (step_9 * 32L) + (group * 8L));
                                    }
                                }
                            }
                        }
                        for (long at_6 = 0; at_6 < (end_row - first_row); ++at_6) {
                            const long row_tile_2 = first_row + at_6;
                            const long sums = ((at_5 * row_block_) + at_6) * 256L;
                            const long remaining = size_j_ - (column_tile * 32L);
                            if (remaining > 16L) {
                                tile_float32_8x32_in_place(a_, left_begins, right_panel, all_sums, at_6 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if ((!(remaining > 16L)) & (remaining > 8L)) {
                                half_tile_float32_8x32_in_place(a_, left_begins, right_panel, all_sums, at_6 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if (!(remaining > 8L)) {
                                quarter_tile_float32_8x32_in_place(a_, left_begins, right_panel, all_sums, at_6 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if ((number_2 + 1L) == end_chunk) {
                                const long lines = min(8L, size_i_ - (row_tile_2 * 8L));
                                const long count_2 = min(32L, size_j_ - (column_tile * 32L));
                                for (long line_4 = 0; line_4 < lines; ++line_4) {
                                    const long row = (row_tile_2 * 8L) + line_4;
                                    const long vectors = count_2 >> 4;
                                    for (long vector = 0; vector < vectors; ++vector) {
                                        const long start_3 = (column_tile * 32L) + (vector * 16L);
                                        const float16 total = load_private_floats(all_sums + (sums + (line_4 * 32L)) + (start_3 - (column_tile * 32L)));
                                        store_floats(total, y_ + ((y_offset_ + (at * y_stride_n0_)) + (row * y_stride_i_)) + start_3);
                                    }
                                    for (long left = 0; left < (count_2 & 15L); ++left) {
                                        const long j_ = ((column_tile * 32L) + (vectors * 16L)) + left;
                                        const float total_2 = all_sums[(sums + (line_4 * 32L)) + (j_ - (column_tile * 32L))];
                                        y_[((y_offset_ + (at * y_stride_n0_)) + (row * y_stride_i_)) + j_] = total_2;
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

__kernel void matmul__kernel(
    __global const float *b_,
    __global const float *a_,
    __global float *y_,
    const long size_i_,
    const long size_j_,
    const long size_k_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_) {
    matmul__item(b_, a_, y_, size_i_, size_j_, size_k_, row_block_, column_block_, units, chunk, a_offset_, a_stride_i_, a_stride_n0_, b_offset_, b_stride_k_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = sum[j](dy[n0, i, j] * b[n0, k, j])
__attribute__((noinline)) void matmul_grad_a_b_1__item(
    __global const float *b_,
    __global const float *dy_,
    __global float *grad_a_,
    const long size_i_,
    const long size_k_,
    const long size_j_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long item) {
    long left_begins[256L] __attribute__((aligned(64)));
    long right_begins[32L] __attribute__((aligned(64)));
    float all_sums[32768L] __attribute__((aligned(64)));
    float right_panel[8192L] __attribute__((aligned(64)));
    float8 right_line;
    float8 right_line_2;
    float8 right_line_3;
    float8 right_line_4;
    float8 right_line_5;
    float8 right_line_6;
    float8 right_line_7;
    float8 right_line_8;
    const long chunks = max((size_j_ + 255L) >> 8, 1L);
    const long row_tiles = (size_i_ + 7L) >> 3;
    const long column_tiles = (size_k_ + 31L) >> 5;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_rows * blocks_of_columns);
    for (long run = 0; run < (floor_div_long((begin + count) + ((blocks_of_rows * blocks_of_columns) - 1L), blocks_of_rows * blocks_of_columns) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (blocks_of_rows * blocks_of_columns)), 0L);
        const long many = min((begin + count) - (at * (blocks_of_rows * blocks_of_columns)), blocks_of_rows * blocks_of_columns) - start;
        const long first_2 = floor_div_long(start, blocks_of_columns);
        for (long run_2 = 0; run_2 < (floor_div_long((start + many) + (blocks_of_columns - 1L), blocks_of_columns) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * blocks_of_columns), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * blocks_of_columns), blocks_of_columns) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long first_row = at_2 * row_block_;
                const long end_row = min(first_row + row_block_, row_tiles);
                const long first_column = at_3 * column_block_;
                const long end_column = min(first_column + column_block_, column_tiles);
                const long begin_chunk = 0L;
                const long end_chunk = chunks;
                for (long at_4 = 0; at_4 < (end_row - first_row); ++at_4) {
                    const long row_tile = first_row + at_4;
                    const long exist = min(8L, size_i_ - (row_tile * 8L));
                    for (long step_2 = 0; step_2 < exist; ++step_2) {
                        const long unit = (row_tile * 8L) + step_2;
                        const long number = unit - (row_tile * 8L);
                        left_begins[(at_4 * 8L) + number] = (dy_offset_ + (at * dy_stride_n0_)) + (unit * dy_stride_i_);
                    }
                    for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                        const long t = at_4 * 8L;
                        left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                    }
                }
                for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                    const long number_2 = begin_chunk + chunk_2;
                    const long from = number_2 * 256L;
                    const long steps = min(256L, size_j_ - from);
                    for (long at_5 = 0; at_5 < (end_column - first_column); ++at_5) {
                        const long column_tile = first_column + at_5;
                        const long exist_2 = min(32L, size_k_ - (column_tile * 32L));
                        for (long step_3 = 0; step_3 < exist_2; ++step_3) {
                            const long unit_2 = (column_tile * 32L) + step_3;
                            const long number_3 = unit_2 - (column_tile * 32L);
                            right_begins[number_3] = (b_offset_ + (at * b_stride_n0_)) + (unit_2 * b_stride_k_);
                        }
                        for (long beyond_2 = 0; beyond_2 < max(32L - exist_2, 0L); ++beyond_2) {
                            right_begins[exist_2 + beyond_2] = right_begins[exist_2 - 1L];
                        }
                        for (long group = 0; group < 4L; ++group) {
                            if ((group * 8L) < exist_2) {
                                const long at_6 = from - from;
                                const long count_2 = steps;
                                if (count_2 >= 8L) {
                                    for (long square = 0; square < ((count_2 + 7L) >> 3); ++square) {
                                        const long start_3 = at_6 + min(square * 8L, count_2 - 8L);
                                        right_line = load_floats_8(b_ + right_begins[group * 8L] + (from + start_3));
                                        right_line_2 = load_floats_8(b_ + right_begins[(group * 8L) + 1L] + (from + start_3));
                                        right_line_3 = load_floats_8(b_ + right_begins[(group * 8L) + 2L] + (from + start_3));
                                        right_line_4 = load_floats_8(b_ + right_begins[(group * 8L) + 3L] + (from + start_3));
                                        right_line_5 = load_floats_8(b_ + right_begins[(group * 8L) + 4L] + (from + start_3));
                                        right_line_6 = load_floats_8(b_ + right_begins[(group * 8L) + 5L] + (from + start_3));
                                        right_line_7 = load_floats_8(b_ + right_begins[(group * 8L) + 6L] + (from + start_3));
                                        right_line_8 = load_floats_8(b_ + right_begins[(group * 8L) + 7L] + (from + start_3));
                                        {
                                            const float8 a = right_line, b = right_line_2;
                                            right_line = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            right_line_2 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_3, b = right_line_4;
                                            right_line_3 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            right_line_4 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_5, b = right_line_6;
                                            right_line_5 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            right_line_6 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_7, b = right_line_8;
                                            right_line_7 = (float8)(a.s0, b.s0, a.s2, b.s2, a.s4, b.s4, a.s6, b.s6);
                                            right_line_8 = (float8)(a.s1, b.s1, a.s3, b.s3, a.s5, b.s5, a.s7, b.s7);
                                        }
                                        {
                                            const float8 a = right_line, b = right_line_3;
                                            right_line = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            right_line_3 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_2, b = right_line_4;
                                            right_line_2 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            right_line_4 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_5, b = right_line_7;
                                            right_line_5 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            right_line_7 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_6, b = right_line_8;
                                            right_line_6 = (float8)(a.s0, a.s1, b.s0, b.s1, a.s4, a.s5, b.s4, b.s5);
                                            right_line_8 = (float8)(a.s2, a.s3, b.s2, b.s3, a.s6, a.s7, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line, b = right_line_5;
                                            right_line = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            right_line_5 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_2, b = right_line_6;
                                            right_line_2 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            right_line_6 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_3, b = right_line_7;
                                            right_line_3 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            right_line_7 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        {
                                            const float8 a = right_line_4, b = right_line_8;
                                            right_line_4 = (float8)(a.s0, a.s1, a.s2, a.s3, b.s0, b.s1, b.s2, b.s3);
                                            right_line_8 = (float8)(a.s4, a.s5, a.s6, a.s7, b.s4, b.s5, b.s6, b.s7);
                                        }
                                        store_private_floats_8(right_line, right_panel + (start_3 * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_2, right_panel + ((start_3 + 1L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_3, right_panel + ((start_3 + 2L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_4, right_panel + ((start_3 + 3L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_5, right_panel + ((start_3 + 4L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_6, right_panel + ((start_3 + 5L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_7, right_panel + ((start_3 + 6L) * 32L) + (group * 8L));
                                        store_private_floats_8(right_line_8, right_panel + ((start_3 + 7L) * 32L) + (group * 8L));
                                    }
                                }
                                if (!(count_2 >= 8L)) {
                                    for (long step_4 = 0; step_4 < ((at_6 + count_2) - at_6); ++step_4) {
                                        for (long line = 0; line < 8L; ++line) {
                                            const long t_2 = at_6 + step_4;
                                            const long t_3 = (group * 8L) + line;
                                            right_panel[(t_2 * 32L) + t_3] = b_[right_begins[t_3] + (from + t_2)];
                                        }
                                    }
                                }
                            }
                            if (!((group * 8L) < exist_2)) {
                                for (long step_5 = 0; step_5 < steps; ++step_5) {
                                    store_private_floats_8((float8)(0.0f), right_panel + (step_5 * 32L) + (group * 8L));
                                }
                            }
                        }
                        for (long at_7 = 0; at_7 < (end_row - first_row); ++at_7) {
                            const long row_tile_2 = first_row + at_7;
                            const long sums = ((at_5 * row_block_) + at_7) * 256L;
                            const long remaining = size_k_ - (column_tile * 32L);
                            if (remaining > 16L) {
                                tile_float32_8x32_in_place(dy_, left_begins, right_panel, all_sums, at_7 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if ((!(remaining > 16L)) & (remaining > 8L)) {
                                half_tile_float32_8x32_in_place(dy_, left_begins, right_panel, all_sums, at_7 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if (!(remaining > 8L)) {
                                quarter_tile_float32_8x32_in_place(dy_, left_begins, right_panel, all_sums, at_7 * 8L, from, 0L, sums, steps, number_2 - begin_chunk);
                            }
                            if ((number_2 + 1L) == end_chunk) {
                                const long lines = min(8L, size_i_ - (row_tile_2 * 8L));
                                const long count_3 = min(32L, size_k_ - (column_tile * 32L));
                                for (long line_2 = 0; line_2 < lines; ++line_2) {
                                    const long row = (row_tile_2 * 8L) + line_2;
                                    const long vectors = count_3 >> 4;
                                    for (long vector = 0; vector < vectors; ++vector) {
                                        const long start_4 = (column_tile * 32L) + (vector * 16L);
                                        const float16 total = load_private_floats(all_sums + (sums + (line_2 * 32L)) + (start_4 - (column_tile * 32L)));
                                        store_floats(total, grad_a_ + ((grad_a_offset_ + (at * grad_a_stride_n0_)) + (row * grad_a_stride_i_)) + start_4);
                                    }
                                    for (long left = 0; left < (count_3 & 15L); ++left) {
                                        const long k_ = ((column_tile * 32L) + (vectors * 16L)) + left;
                                        const float total_2 = all_sums[(sums + (line_2 * 32L)) + (k_ - (column_tile * 32L))];
                                        grad_a_[((grad_a_offset_ + (at * grad_a_stride_n0_)) + (row * grad_a_stride_i_)) + k_] = total_2;
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

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2_panels__item(
    __global float *matmul_grad_a_b_2_panels_,
    __global const float *dy_,
    const long size_j_,
    const long size_i_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long item) {
    long right_begins[32L] __attribute__((aligned(64)));
    long own_breaks;
    long own_split;
    long own_apart;
    const long chunks = max((size_i_ + 255L) >> 8, 1L);
    const long column_tiles = (size_j_ + 31L) >> 5;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, chunks * column_tiles);
    for (long run = 0; run < (floor_div_long((begin + count) + ((chunks * column_tiles) - 1L), chunks * column_tiles) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (chunks * column_tiles)), 0L);
        const long many = min((begin + count) - (at * (chunks * column_tiles)), chunks * column_tiles) - start;
        const long first_2 = floor_div_long(start, column_tiles);
        for (long run_2 = 0; run_2 < (floor_div_long((start + many) + (column_tiles - 1L), column_tiles) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * column_tiles), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * column_tiles), column_tiles) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long from = at_2 * 256L;
                const long steps = min(256L, size_i_ - from);
                const long exist = min(32L, size_j_ - (at_3 * 32L));
                const long panel = ((((at * chunks) + at_2) * column_tiles) + at_3) * 8192L;
                for (long step_2 = 0; step_2 < exist; ++step_2) {
                    const long unit = (at_3 * 32L) + step_2;
                    const long number = unit - (at_3 * 32L);
                    right_begins[number] = (dy_offset_ + (at * dy_stride_n0_)) + unit;
                }
                for (long beyond = 0; beyond < max(32L - exist, 0L); ++beyond) {
                    right_begins[exist + beyond] = right_begins[exist - 1L];
                }
                own_apart = 0L;
                for (long line = 0; line < 31L; ++line) {
                    if (right_begins[line + 1L] != (right_begins[line] + 1L)) {
                        own_apart = own_apart + 1L;
                    }
                }
                if (own_apart == 0L) {
                    for (long step_3 = 0; step_3 < steps; ++step_3) {
                        store_floats(load_floats(dy_ + right_begins[0L] + ((from + step_3) * dy_stride_i_)), matmul_grad_a_b_2_panels_ + panel + (step_3 * 32L));
                    }
                    for (long step_4 = 0; step_4 < steps; ++step_4) {
                        store_floats(load_floats(dy_ + (right_begins[0L] + ((from + step_4) * dy_stride_i_)) + 16L), matmul_grad_a_b_2_panels_ + (panel + (step_4 * 32L)) + 16L);
                    }
                }
                if (!(own_apart == 0L)) {
                    for (long group = 0; group < 4L; ++group) {
                        if ((group * 8L) < exist) {
                            own_breaks = 0L;
                            own_split = 1L;
                            for (long line_2 = 0; line_2 < 7L; ++line_2) {
                                const long t = group * 8L;
                                if (right_begins[t + (line_2 + 1L)] != (right_begins[t + line_2] + 1L)) {
                                    own_breaks = own_breaks + 1L;
                                    own_split = line_2 + 1L;
                                }
                            }
                            const long split = own_split;
                            const long is_split = (long)((own_breaks == 1L) && (right_begins[(group * 8L) + split] > right_begins[((group * 8L) + split) - 1L]));
                            if (own_breaks == 0L) {
                                for (long step_5 = 0; step_5 < steps; ++step_5) {
                                    const long t_2 = group * 8L;
                                    store_floats_8(load_floats_8(dy_ + right_begins[t_2] + ((from + step_5) * dy_stride_i_)), matmul_grad_a_b_2_panels_ + (panel + (step_5 * 32L)) + t_2);
                                }
                            }
                            if (is_split != 0L) {
                                for (long step_6 = 0; step_6 < steps; ++step_6) {
                                    const float8 early = load_floats_8(dy_ + right_begins[group * 8L] + ((from + step_6) * dy_stride_i_));
                                    const float8 late = load_floats_8(dy_ + (right_begins[(group * 8L) + 7L] - 7L) + ((from + step_6) * dy_stride_i_));
                                    store_floats_8(((int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)((int)clamp(split, -1L, 8L))) ? late : early, matmul_grad_a_b_2_panels_ + (panel + (step_6 * 32L)) + (group * 8L));
                                }
                            }
                            if ((!(own_breaks == 0L)) & (is_split == 0L)) {
                                for (long step_7 = 0; step_7 < steps; ++step_7) {
                                    for (long line_3 = 0; line_3 < 8L; ++line_3) {
                                        const long t_3 = (group * 8L) + line_3;
                                        matmul_grad_a_b_2_panels_[(panel + (step_7 * 32L)) + t_3] = dy_[right_begins[t_3] + ((from + step_7) * dy_stride_i_)];
                                    }
                                }
                            }
                        }
                        if (!((group * 8L) < exist)) {
                            for (long step_8 = 0; step_8 < steps; ++step_8) {
                                store_floats_8((float8)(0.0f), matmul_grad_a_b_2_panels_ + (panel + (step_8 * 32L)) + (group * 8L));
                            }
                        }
                    }
                }
            }
        }
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global const float *b_,
    __global const float *dy_,
    __global float *grad_a_,
    const long size_i_,
    const long size_k_,
    const long size_j_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long dy_stride_i_,
    const long dy_stride_n0_,
    const long b_offset_,
    const long b_stride_k_,
    const long b_stride_n0_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long items,
    __global float *matmul_grad_a_b_2_panels_of_2_,
    const long size_j_of_2_,
    const long size_i_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long dy_stride_i_of_2_,
    const long dy_stride_n0_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        matmul_grad_a_b_1__item(b_, dy_, grad_a_, size_i_, size_k_, size_j_, row_block_, column_block_, units, chunk, dy_offset_, dy_stride_i_, dy_stride_n0_, b_offset_, b_stride_k_, b_stride_n0_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, first_0 + item);
    } else {
        item -= count_0;
        matmul_grad_a_b_2_panels__item(matmul_grad_a_b_2_panels_of_2_, dy_, size_j_of_2_, size_i_of_2_, units_of_2, chunk_of_2, dy_offset_, dy_stride_i_of_2_, dy_stride_n0_of_2_, first_1 + item);
    }
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2__item(
    __global const float *a_,
    __global const float *matmul_grad_a_b_2_panels_,
    __global float *grad_b_,
    const long size_k_,
    const long size_j_,
    const long size_i_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long item) {
    long left_begins[96L] __attribute__((aligned(64)));
    float all_sums[36864L] __attribute__((aligned(64)));
    float left_panels[24576L] __attribute__((aligned(64)));
    long own_breaks;
    long own_split;
    const long chunks = max((size_i_ + 255L) >> 8, 1L);
    const long row_tiles = (size_k_ + 7L) >> 3;
    const long column_tiles = (size_j_ + 31L) >> 5;
    const long blocks_of_columns = (column_tiles + (column_block_ - 1L)) / column_block_;
    const long blocks_of_rows = (row_tiles + (row_block_ - 1L)) / row_block_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = floor_div_long(begin, blocks_of_columns * blocks_of_rows);
    for (long run = 0; run < (floor_div_long((begin + count) + ((blocks_of_columns * blocks_of_rows) - 1L), blocks_of_columns * blocks_of_rows) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * (blocks_of_columns * blocks_of_rows)), 0L);
        const long many = min((begin + count) - (at * (blocks_of_columns * blocks_of_rows)), blocks_of_columns * blocks_of_rows) - start;
        const long first_2 = floor_div_long(start, blocks_of_rows);
        for (long run_2 = 0; run_2 < (floor_div_long((start + many) + (blocks_of_rows - 1L), blocks_of_rows) - first_2); ++run_2) {
            const long at_2 = first_2 + run_2;
            const long start_2 = max(start - (at_2 * blocks_of_rows), 0L);
            for (long step = 0; step < (min((start + many) - (at_2 * blocks_of_rows), blocks_of_rows) - start_2); ++step) {
                const long at_3 = start_2 + step;
                const long first_row = at_3 * row_block_;
                const long end_row = min(first_row + row_block_, row_tiles);
                const long first_column = at_2 * column_block_;
                const long end_column = min(first_column + column_block_, column_tiles);
                const long begin_chunk = 0L;
                const long end_chunk = chunks;
                for (long chunk_2 = 0; chunk_2 < (end_chunk - begin_chunk); ++chunk_2) {
                    const long number = begin_chunk + chunk_2;
                    const long from = number * 256L;
                    const long steps = min(256L, size_i_ - from);
                    for (long at_4 = 0; at_4 < (end_row - first_row); ++at_4) {
                        const long row_tile = first_row + at_4;
                        const long exist = min(8L, size_k_ - (row_tile * 8L));
                        for (long step_2 = 0; step_2 < exist; ++step_2) {
                            const long unit = (row_tile * 8L) + step_2;
                            const long number_2 = unit - (row_tile * 8L);
                            left_begins[(at_4 * 8L) + number_2] = (a_offset_ + (at * a_stride_n0_)) + unit;
                        }
                        for (long beyond = 0; beyond < max(8L - exist, 0L); ++beyond) {
                            const long t = at_4 * 8L;
                            left_begins[(t + exist) + beyond] = left_begins[t + (exist - 1L)];
                        }
                    }
                    for (long slice = 0; slice < ((steps + 15L) >> 4); ++slice) {
                        const long first_step = slice * 16L;
                        const long end_step = min(first_step + 16L, steps);
                        for (long at_5 = 0; at_5 < (end_row - first_row); ++at_5) {
                            const long row_tile_2 = first_row + at_5;
                            const long exist_2 = min(8L, size_k_ - (row_tile_2 * 8L));
                            for (long group = 0; group < 1L; ++group) {
                                if ((group * 8L) < exist_2) {
                                    own_breaks = 0L;
                                    own_split = 1L;
                                    for (long line = 0; line < 7L; ++line) {
                                        const long t_2 = at_5 * 8L;
                                        const long t_3 = group * 8L;
                                        if (left_begins[t_2 + (t_3 + (line + 1L))] != (left_begins[t_2 + (t_3 + line)] + 1L)) {
                                            own_breaks = own_breaks + 1L;
                                            own_split = line + 1L;
                                        }
                                    }
                                    const long split = own_split;
                                    const long is_split = (long)((own_breaks == 1L) && (left_begins[(at_5 * 8L) + ((group * 8L) + split)] > left_begins[(at_5 * 8L) + (((group * 8L) + split) - 1L)]));
                                    if (own_breaks == 0L) {
                                        for (long step_3 = 0; step_3 < (end_step - first_step); ++step_3) {
                                            const long t_4 = first_step + step_3;
                                            const long t_5 = group * 8L;
                                            store_private_floats_8(load_floats_8(a_ + left_begins[(at_5 * 8L) + t_5] + ((from + t_4) * a_stride_i_)), left_panels + (((at_5 * steps) * 8L) + (t_4 * 8L)) + t_5);
                                        }
                                    }
                                    if (is_split != 0L) {
                                        for (long step_4 = 0; step_4 < (end_step - first_step); ++step_4) {
                                            const float8 early = load_floats_8(a_ + left_begins[(at_5 * 8L) + (group * 8L)] + ((from + (first_step + step_4)) * a_stride_i_));
                                            const float8 late = load_floats_8(a_ + (left_begins[(at_5 * 8L) + ((group * 8L) + 7L)] - 7L) + ((from + (first_step + step_4)) * a_stride_i_));
                                            store_private_floats_8(((int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)((int)clamp(split, -1L, 8L))) ? late : early, left_panels + (((at_5 * steps) * 8L) + ((first_step + step_4) * 8L)) + (group * 8L));
                                        }
                                    }
                                    if ((!(own_breaks == 0L)) & (is_split == 0L)) {
                                        for (long step_5 = 0; step_5 < (end_step - first_step); ++step_5) {
                                            for (long line_2 = 0; line_2 < 8L; ++line_2) {
                                                const long t_6 = first_step + step_5;
                                                const long t_7 = (group * 8L) + line_2;
                                                left_panels[(((at_5 * steps) * 8L) + (t_6 * 8L)) + t_7] = a_[left_begins[(at_5 * 8L) + t_7] + ((from + t_6) * a_stride_i_)];
                                            }
                                        }
                                    }
                                }
                                if (!((group * 8L) < exist_2)) {
                                    for (long step_6 = 0; step_6 < (end_step - first_step); ++step_6) {
                                        store_private_floats_8((float8)(0.0f), left_panels + (((at_5 * steps) * 8L) + ((first_step + step_6) * 8L)) + (group * 8L));
                                    }
                                }
                            }
                        }
                    }
                    for (long at_6 = 0; at_6 < (end_column - first_column); ++at_6) {
                        const long column_tile = first_column + at_6;
                        const long panel = ((((at * chunks) + number) * column_tiles) + column_tile) * 8192L;
                        for (long at_7 = 0; at_7 < (end_row - first_row); ++at_7) {
                            const long row_tile_3 = first_row + at_7;
                            const long sums = ((at_6 * row_block_) + at_7) * 256L;
                            const long remaining = size_j_ - (column_tile * 32L);
                            if (remaining > 16L) {
                                tile_float32_8x32_global(left_panels, matmul_grad_a_b_2_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                            }
                            if ((!(remaining > 16L)) & (remaining > 8L)) {
                                half_tile_float32_8x32_global(left_panels, matmul_grad_a_b_2_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                            }
                            if (!(remaining > 8L)) {
                                quarter_tile_float32_8x32_global(left_panels, matmul_grad_a_b_2_panels_, all_sums, (at_7 * steps) * 8L, 0L, panel, sums, steps, number - begin_chunk);
                            }
                            if ((number + 1L) == end_chunk) {
                                const long lines = min(8L, size_k_ - (row_tile_3 * 8L));
                                const long count_2 = min(32L, size_j_ - (column_tile * 32L));
                                for (long line_3 = 0; line_3 < lines; ++line_3) {
                                    const long row = (row_tile_3 * 8L) + line_3;
                                    const long vectors = count_2 >> 4;
                                    for (long vector = 0; vector < vectors; ++vector) {
                                        const long start_3 = (column_tile * 32L) + (vector * 16L);
                                        const float16 total = load_private_floats(all_sums + (sums + (line_3 * 32L)) + (start_3 - (column_tile * 32L)));
                                        store_floats(total, grad_b_ + ((grad_b_offset_ + (at * grad_b_stride_n0_)) + (row * grad_b_stride_k_)) + start_3);
                                    }
                                    for (long left = 0; left < (count_2 & 15L); ++left) {
                                        const long j_ = ((column_tile * 32L) + (vectors * 16L)) + left;
                                        const float total_2 = all_sums[(sums + (line_3 * 32L)) + (j_ - (column_tile * 32L))];
                                        grad_b_[((grad_b_offset_ + (at * grad_b_stride_n0_)) + (row * grad_b_stride_k_)) + j_] = total_2;
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

__kernel void matmul_grad_a_b_2__kernel(
    __global const float *a_,
    __global const float *matmul_grad_a_b_2_panels_,
    __global float *grad_b_,
    const long size_k_,
    const long size_j_,
    const long size_i_,
    const long row_block_,
    const long column_block_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long a_stride_i_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_) {
    matmul_grad_a_b_2__item(a_, matmul_grad_a_b_2_panels_, grad_b_, size_k_, size_j_, size_i_, row_block_, column_block_, units, chunk, a_offset_, a_stride_i_, a_stride_n0_, grad_b_offset_, grad_b_stride_n0_, grad_b_stride_k_, get_global_id(0));
}
