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
    __global float *grad_a_,
    __global const float *a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long a_offset_,
    const long grad_b_offset_,
    const long item) {
    const float dy_value_ = dy_[dy_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 b_value_ = load_floats(b_ + b_offset_ + start);
        store_floats((float16)(dy_value_) * b_value_, grad_a_ + grad_a_offset_ + start);
        const float16 a_value_ = load_floats(a_ + a_offset_ + start);
        store_floats((float16)(dy_value_) * a_value_, grad_b_ + grad_b_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long k_ = (begin + (vectors * 16L)) + left;
        grad_a_[grad_a_offset_ + k_] = dy_value_ * b_[b_offset_ + k_];
        grad_b_[grad_b_offset_ + k_] = dy_value_ * a_[a_offset_ + k_];
    }
}

__kernel void matmul_grad_a_b__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    __global const float *a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long a_offset_,
    const long grad_b_offset_) {
    matmul_grad_a_b__item(dy_, b_, grad_a_, a_, grad_b_, units, chunk, dy_offset_, b_offset_, grad_a_offset_, a_offset_, grad_b_offset_, get_global_id(0));
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
    float16 own_total;
    float16 own_rest;
    float16 own_run_sum;
    float own_total_2;
    float own_rest_2;
    float own_run_sum_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long row = first + run;
        const long start = max(begin - (row * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_n0_), size_n0_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_j_;
            const long count_of_part = min(block_of_j_, size_j_ - (row * block_of_j_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                own_total = (float16)(0.0f);
                own_rest = (float16)(0.0f);
                const long count_2 = size_k_;
                for (long run_2 = 0; run_2 < ((count_2 + 255L) >> 8); ++run_2) {
                    own_run_sum = (float16)(0.0f);
                    for (long k_ = 0; k_ < min(count_2 - (run_2 * 256L), 256L); ++k_) {
                        const long at_2 = k_ + (run_2 * 256L);
                        const float16 b_value_ = load_floats(b_ + ((b_offset_ + start_2) + (at_2 * b_stride_k_)) + (at * b_stride_n0_));
                        own_run_sum = own_run_sum + ((float16)(a_[a_offset_ + at_2]) * b_value_);
                    }
                    const float16 before = own_total;
                    const float16 part = own_run_sum;
                    const float16 after = before + part;
                    const float16 arrived = after - before;
                    own_rest = own_rest + ((before - (after - arrived)) + (part - arrived));
                    own_total = after;
                }
                const float16 total = own_total + ((isfinite(own_rest)) ? own_rest : (float16)(0.0f));
                store_floats(total, y_ + (y_offset_ + (at * y_stride_n0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long j_ = (begin_of_part + (vectors * 16L)) + left;
                own_total_2 = 0.0f;
                own_rest_2 = 0.0f;
                const long count_3 = size_k_;
                for (long run_3 = 0; run_3 < ((count_3 + 255L) >> 8); ++run_3) {
                    own_run_sum_2 = 0.0f;
                    for (long k_2_ = 0; k_2_ < min(count_3 - (run_3 * 256L), 256L); ++k_2_) {
                        const long at_3 = k_2_ + (run_3 * 256L);
                        own_run_sum_2 = own_run_sum_2 + (a_[a_offset_ + at_3] * b_[((b_offset_ + j_) + (at_3 * b_stride_k_)) + (at * b_stride_n0_)]);
                    }
                    const float before_2 = own_total_2;
                    const float part_2 = own_run_sum_2;
                    const float after_2 = before_2 + part_2;
                    const float arrived_2 = after_2 - before_2;
                    own_rest_2 = own_rest_2 + ((before_2 - (after_2 - arrived_2)) + (part_2 - arrived_2));
                    own_total_2 = after_2;
                }
                const float total_2 = own_total_2 + ((isfinite(own_rest_2)) ? own_rest_2 : 0.0f);
                y_[(y_offset_ + (at * y_stride_n0_)) + j_] = total_2;
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
    const long size_k_,
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
    const long first = begin / size_k_;
    for (long run = 0; run < ((((begin + count) + (size_k_ - 1L)) / size_k_) - first); ++run) {
        const long row = first + run;
        const long start = max(begin - (row * size_k_), 0L);
        const long at = row % size_n0_;
        const long at_2 = row / size_n0_;
        for (long step = 0; step < (min((begin + count) - (row * size_k_), size_k_) - start); ++step) {
            const long at_3 = start + step;
            const long begin_of_part = at_2 * block_of_j_;
            const long count_of_part = min(block_of_j_, size_j_ - (at_2 * block_of_j_));
            const float a_value_ = a_[a_offset_ + at_3];
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + start_2) + (at * dy_stride_n0_));
                store_floats(dy_value_ * (float16)(a_value_), grad_b_ + ((grad_b_offset_ + (at * grad_b_stride_n0_)) + (at_3 * grad_b_stride_k_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long j_ = (begin_of_part + (vectors * 16L)) + left;
                grad_b_[((grad_b_offset_ + (at * grad_b_stride_n0_)) + (at_3 * grad_b_stride_k_)) + j_] = dy_[(dy_offset_ + j_) + (at * dy_stride_n0_)] * a_value_;
            }
        }
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long size_k_,
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
    __global const float *dy_of_2_,
    __global const float *a_of_2_,
    __global float *grad_b_of_2_,
    const long block_of_j_of_2_,
    const long size_n0_of_2_,
    const long size_k_of_2_,
    const long size_j_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long dy_offset_of_2_,
    const long dy_stride_n0_of_2_,
    const long a_offset_of_2_,
    const long grad_b_offset_of_2_,
    const long grad_b_stride_n0_of_2_,
    const long grad_b_stride_k_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1__item(dy_, b_, grad_a_, size_k_, units, chunk, size_n0_, size_j_, dy_offset_, dy_stride_n0_, b_offset_, b_stride_k_, b_stride_n0_, grad_a_offset_, item);
    } else {
        item -= items;
        matmul_grad_a_b_2__item(dy_of_2_, a_of_2_, grad_b_of_2_, block_of_j_of_2_, size_n0_of_2_, size_k_of_2_, size_j_of_2_, units_of_2, chunk_of_2, dy_offset_of_2_, dy_stride_n0_of_2_, a_offset_of_2_, grad_b_offset_of_2_, grad_b_stride_n0_of_2_, grad_b_stride_k_of_2_, item);
    }
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i] = sum[k](a[n0, i, k] * b[k])
__attribute__((noinline)) void matmul__item(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long size_n0_i_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_i_,
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
            const float16 a_value_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_i_)) + (step_2 * 64L));
            const float16 b_value_ = load_floats(b_ + b_offset_ + (step_2 * 64L));
            own_total_2 = own_total_2 + (a_value_ * b_value_);
            const float16 a_value_2_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_i_)) + ((step_2 * 64L) + 16L));
            const float16 b_value_2_ = load_floats(b_ + b_offset_ + ((step_2 * 64L) + 16L));
            own_total_3 = own_total_3 + (a_value_2_ * b_value_2_);
            const float16 a_value_3_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_i_)) + ((step_2 * 64L) + 32L));
            const float16 b_value_3_ = load_floats(b_ + b_offset_ + ((step_2 * 64L) + 32L));
            own_total_4 = own_total_4 + (a_value_3_ * b_value_3_);
            const float16 a_value_4_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_i_)) + ((step_2 * 64L) + 48L));
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
            const float16 a_value_5_ = load_floats(a_ + (a_offset_ + (unit * a_stride_n0_i_)) + start);
            const float16 b_value_5_ = load_floats(b_ + b_offset_ + start);
            own_total_2 = own_total_2 + (a_value_5_ * b_value_5_);
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long k_ = (((size_k_ >> 6) * 64L) + (vectors * 16L)) + left;
            own_total = own_total + (a_[(a_offset_ + (unit * a_stride_n0_i_)) + k_] * b_[b_offset_ + k_]);
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
    const long size_n0_i_,
    const long units,
    const long chunk,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_i_,
    const long b_offset_,
    const long y_offset_) {
    matmul__item(a_, b_, y_, size_n0_i_, units, chunk, size_k_, a_offset_, a_stride_n0_i_, b_offset_, y_offset_, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = dy[n0, i] * b[k]
__attribute__((noinline)) void matmul_grad_a_b_1__item(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long block_of_k_,
    const long size_n0_i_,
    const long size_k_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_i_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_i_;
    for (long run = 0; run < ((((begin + count) + (size_n0_i_ - 1L)) / size_n0_i_) - first); ++run) {
        const long row = first + run;
        const long start = max(begin - (row * size_n0_i_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_n0_i_), size_n0_i_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_k_;
            const long count_of_part = min(block_of_k_, size_k_ - (row * block_of_k_));
            const float dy_value_ = dy_[dy_offset_ + at];
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 b_value_ = load_floats(b_ + b_offset_ + start_2);
                store_floats((float16)(dy_value_) * b_value_, grad_a_ + (grad_a_offset_ + (at * grad_a_stride_n0_i_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long k_ = (begin_of_part + (vectors * 16L)) + left;
                grad_a_[(grad_a_offset_ + (at * grad_a_stride_n0_i_)) + k_] = dy_value_ * b_[b_offset_ + k_];
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
    const long block_of_n0_i_,
    const long size_n0_i_,
    const long units,
    const long chunk,
    const long size_k_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block_,
    const long dy_offset_,
    const long a_offset_,
    const long a_stride_n0_i_,
    const long item) {
    float16 own_total;
    float own_total_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_2 = unit * block_of_n0_i_;
        const long size = min(block_of_n0_i_, size_n0_i_ - (unit * block_of_n0_i_));
        for (long run = 0; run < ((size + 3L) >> 2); ++run) {
            const long begin_of_part = begin_2 + (run * 4L);
            const long count_of_part = min(max(size - (run * 4L), 0L), 4L);
            const long vectors = size_k_ >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = vector * 16L;
                own_total = (float16)(0.0f);
                const long count_2 = count_of_part;
                for (long n0_i_ = 0; n0_i_ < count_2; ++n0_i_) {
                    const long n0_i_2_ = begin_of_part + n0_i_;
                    const float16 a_value_ = load_floats(a_ + (a_offset_ + (n0_i_2_ * a_stride_n0_i_)) + start);
                    own_total = own_total + ((float16)(dy_[dy_offset_ + n0_i_2_]) * a_value_);
                }
                const float16 total = own_total;
                const int inside = run > 0L;
                const long at = (matmul_grad_a_b_2_part_1_offset_ + start) + (unit * matmul_grad_a_b_2_part_1_stride_n0_i_block_);
                float16 value = 0.0f;
                if (inside) value = load_floats(matmul_grad_a_b_2_part_1_ + at);
                store_floats(value + total, matmul_grad_a_b_2_part_1_ + (matmul_grad_a_b_2_part_1_offset_ + start) + (unit * matmul_grad_a_b_2_part_1_stride_n0_i_block_));
            }
            for (long left = 0; left < (size_k_ & 15L); ++left) {
                const long k_ = (vectors * 16L) + left;
                own_total_2 = 0.0f;
                const long count_3 = count_of_part;
                for (long n0_i_3_ = 0; n0_i_3_ < count_3; ++n0_i_3_) {
                    const long n0_i_4_ = begin_of_part + n0_i_3_;
                    own_total_2 = own_total_2 + (dy_[dy_offset_ + n0_i_4_] * a_[(a_offset_ + (n0_i_4_ * a_stride_n0_i_)) + k_]);
                }
                const float total_2 = own_total_2;
                matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (unit * matmul_grad_a_b_2_part_1_stride_n0_i_block_)] = ((run > 0L) ? matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (unit * matmul_grad_a_b_2_part_1_stride_n0_i_block_)] : 0.0f) + total_2;
            }
        }
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global const float *dy_,
    __global const float *b_,
    __global float *grad_a_,
    const long block_of_k_,
    const long size_n0_i_,
    const long size_k_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long b_offset_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_i_,
    const long items,
    __global float *matmul_grad_a_b_2_part_1_of_2_,
    __global const float *dy_of_2_,
    __global const float *a_of_2_,
    const long block_of_n0_i_of_2_,
    const long size_n0_i_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long size_k_of_2_,
    const long matmul_grad_a_b_2_part_1_offset_of_2_,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block_of_2_,
    const long dy_offset_of_2_,
    const long a_offset_of_2_,
    const long a_stride_n0_i_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1__item(dy_, b_, grad_a_, block_of_k_, size_n0_i_, size_k_, units, chunk, dy_offset_, b_offset_, grad_a_offset_, grad_a_stride_n0_i_, item);
    } else {
        item -= items;
        matmul_grad_a_b_2_blocks__item(matmul_grad_a_b_2_part_1_of_2_, dy_of_2_, a_of_2_, block_of_n0_i_of_2_, size_n0_i_of_2_, units_of_2, chunk_of_2, size_k_of_2_, matmul_grad_a_b_2_part_1_offset_of_2_, matmul_grad_a_b_2_part_1_stride_n0_i_block_of_2_, dy_offset_of_2_, a_offset_of_2_, a_stride_n0_i_of_2_, item);
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
    const long size_n0_i_block_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block_,
    const long grad_b_offset_,
    const long item) {
    float16 own_total;
    float own_total_2;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_k_;
        const long count_of_part = min(block_of_k_, size_k_ - (unit * block_of_k_));
        const long vectors = count_of_part >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = begin_of_part + (vector * 16L);
            own_total = (float16)(0.0f);
            const long count_2 = size_n0_i_block_;
            for (long n0_i_block_ = 0; n0_i_block_ < count_2; ++n0_i_block_) {
                const float16 matmul_grad_a_b_2_part_1_value_ = load_floats(matmul_grad_a_b_2_part_1_ + (matmul_grad_a_b_2_part_1_offset_ + start) + (n0_i_block_ * matmul_grad_a_b_2_part_1_stride_n0_i_block_));
                own_total = own_total + matmul_grad_a_b_2_part_1_value_;
            }
            const float16 total = own_total;
            store_floats(total, grad_b_ + grad_b_offset_ + start);
        }
        for (long left = 0; left < (count_of_part & 15L); ++left) {
            const long k_ = (begin_of_part + (vectors * 16L)) + left;
            own_total_2 = 0.0f;
            const long count_3 = size_n0_i_block_;
            for (long n0_i_block_2_ = 0; n0_i_block_2_ < count_3; ++n0_i_block_2_) {
                own_total_2 = own_total_2 + matmul_grad_a_b_2_part_1_[(matmul_grad_a_b_2_part_1_offset_ + k_) + (n0_i_block_2_ * matmul_grad_a_b_2_part_1_stride_n0_i_block_)];
            }
            const float total_2 = own_total_2;
            grad_b_[grad_b_offset_ + k_] = total_2;
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
    const long size_n0_i_block_,
    const long matmul_grad_a_b_2_part_1_offset_,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block_,
    const long grad_b_offset_) {
    matmul_grad_a_b_2__item(matmul_grad_a_b_2_part_1_, grad_b_, block_of_k_, size_k_, units, chunk, size_n0_i_block_, matmul_grad_a_b_2_part_1_offset_, matmul_grad_a_b_2_part_1_stride_n0_i_block_, grad_b_offset_, get_global_id(0));
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i, j] = sum[k](a[n0, i, k] * b[n0, k, j])
__attribute__((noinline)) void matmul__steps(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at) {
    long k_ = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = k_ * b_stride_k_;
        ++k_;
    }
}

__attribute__((noinline)) void matmul__rows(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    long *to,
    const long first,
    const long count) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_i_) - line);
        long *begin = to + tile * 8;
        {
            long i_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = a_offset_ + n0_ * a_stride_n0_ + i_ * a_stride_i_;
                if (x + 1 < exist) {
                    ++i_;
                }
            }
        }
    }
}

__attribute__((noinline)) void matmul__right(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    float *to,
    const long *right_at,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_j_) - line);
    long begin[32];
    {
        long j_ = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = b_offset_ + n0_ * b_stride_n0_ + j_;
            if (x + 1 < exist) {
                ++j_;
            }
        }
    }
    int whole = 1;
    for (int x = 1; x < 32; ++x) whole &= begin[x] == begin[x - 1] + 1;
    if (whole) {
        for (long step = 0; step < steps; ++step) {
            __global const float *from_here = b_ + begin[0] + right_at[step];
            vstore16(vload16(0, from_here + 0), 0, to + step * 32 + 0);
            vstore16(vload16(0, from_here + 16), 0, to + step * 32 + 16);
        }
        return;
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        int breaks = 0, split = 0;
        for (int x = 1; x < 8; ++x) {
            if (begin[group + x] == begin[group + x - 1] + 1) continue;
            ++breaks;
            split = x;
        }
        if (breaks == 0)
            for (; step < end; ++step) vstore8(vload8(0, b_ + right_at[step] + begin[group]), 0, to + step * 32 + group);
        if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
            const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
            for (; step < end; ++step) vstore8(later ? vload8(0, b_ + right_at[step] + begin[group + 7] - 7) : vload8(0, b_ + right_at[step] + begin[group]), 0, to + step * 32 + group);
        }
        for (; step < end; ++step) {
            for (int x = 0; x < 8; ++x)
                to[step * 32 + group + x] = b_[begin[group + x] + right_at[step]];
        }
    }
}

__attribute__((noinline)) void matmul__store(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_i_) - row);
    const long count = min(32L, (size_j_) - column);
    const long j_ = column;
    const long j__first = j_;
    for (long line = 0; line < lines; ++line) {
        const long i_ = row + line;
        long j_ = j__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_j_ - (j_));
            for (; at + 16 <= run; at += 16, j_ += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, y_ + y_offset_ + n0_ * y_stride_n0_ + i_ * y_stride_i_ + j_);
            }
            for (; at < run; at += 1, j_ += 1) {
                const float total = sums[at];
                y_[y_offset_ + n0_ * y_stride_n0_ + i_ * y_stride_i_ + j_] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul__item(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[32768];
    long left[256];
    float right[8192];
    const long row_tiles = ((size_i_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_j_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_k_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0_ = rest;
        long right_at[256];
        matmul__rows(y_, a_, b_, b_stride_k_, size_k_, size_i_, a_offset_, a_stride_n0_, a_stride_i_, size_j_, b_offset_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, row_block, column_block, chunk, units, n0_, left, first_row * 8, end_row - first_row);
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_k_) - from);
            matmul__steps(y_, a_, b_, b_stride_k_, size_k_, size_i_, a_offset_, a_stride_n0_, a_stride_i_, size_j_, b_offset_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, row_block, column_block, chunk, units, from, steps, right_at);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                matmul__right(y_, a_, b_, b_stride_k_, size_k_, size_i_, a_offset_, a_stride_n0_, a_stride_i_, size_j_, b_offset_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, row_block, column_block, chunk, units, n0_, right, right_at, column_tile * 32, from, steps);
                const float *panel = right;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_j_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_in_place(a_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_in_place(a_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_in_place(a_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul__store(y_, a_, b_, b_stride_k_, size_k_, size_i_, a_offset_, a_stride_n0_, a_stride_i_, size_j_, b_offset_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, row_block, column_block, chunk, units, n0_, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void matmul__kernel(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long b_stride_k_,
    const long size_k_,
    const long size_i_,
    const long a_offset_,
    const long a_stride_n0_,
    const long a_stride_i_,
    const long size_j_,
    const long b_offset_,
    const long b_stride_n0_,
    const long y_offset_,
    const long y_stride_n0_,
    const long y_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    matmul__item(y_, a_, b_, b_stride_k_, size_k_, size_i_, a_offset_, a_stride_n0_, a_stride_i_, size_j_, b_offset_, b_stride_n0_, y_offset_, y_stride_n0_, y_stride_i_, row_block, column_block, chunk, units, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = sum[j](dy[n0, i, j] * b[n0, k, j])
__attribute__((noinline)) void matmul_grad_a_b_1__steps(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at,
    int *right_run) {
    long j_ = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = j_;
        ++j_;
    }
    for (long step = steps - 1; step >= 0; --step)
        right_run[step] = step + 1 < steps && right_at[step + 1] == right_at[step] + 1 ? right_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void matmul_grad_a_b_1__rows(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    long *to,
    const long first,
    const long count) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_i_) - line);
        long *begin = to + tile * 8;
        {
            long i_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = dy_offset_ + n0_ * dy_stride_n0_ + i_ * dy_stride_i_;
                if (x + 1 < exist) {
                    ++i_;
                }
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1__right(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    float *to,
    const long *right_at,
    const int *right_run,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_k_) - line);
    long begin[32];
    {
        long k_ = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = b_offset_ + n0_ * b_stride_n0_ + k_ * b_stride_k_;
            if (x + 1 < exist) {
                ++k_;
            }
        }
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        while (step < end) {
            const long start = step - max(0, 8 - right_run[step]);
            if (start >= 0 && right_run[start] >= 8) {
                float *block = to + start * 32 + group;
                const float8 r0 = vload8(0, b_ + begin[group + 0] + right_at[start]);
                const float8 r1 = vload8(0, b_ + begin[group + 1] + right_at[start]);
                const float8 r2 = vload8(0, b_ + begin[group + 2] + right_at[start]);
                const float8 r3 = vload8(0, b_ + begin[group + 3] + right_at[start]);
                const float8 r4 = vload8(0, b_ + begin[group + 4] + right_at[start]);
                const float8 r5 = vload8(0, b_ + begin[group + 5] + right_at[start]);
                const float8 r6 = vload8(0, b_ + begin[group + 6] + right_at[start]);
                const float8 r7 = vload8(0, b_ + begin[group + 7] + right_at[start]);
                const float8 t0 = (float8)(r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5), t1 = (float8)(r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7);
                const float8 t2 = (float8)(r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5), t3 = (float8)(r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7);
                const float8 t4 = (float8)(r4.s0, r5.s0, r4.s1, r5.s1, r4.s4, r5.s4, r4.s5, r5.s5), t5 = (float8)(r4.s2, r5.s2, r4.s3, r5.s3, r4.s6, r5.s6, r4.s7, r5.s7);
                const float8 t6 = (float8)(r6.s0, r7.s0, r6.s1, r7.s1, r6.s4, r7.s4, r6.s5, r7.s5), t7 = (float8)(r6.s2, r7.s2, r6.s3, r7.s3, r6.s6, r7.s6, r6.s7, r7.s7);
                const float8 u0 = (float8)(t0.s01, t2.s01, t0.s45, t2.s45), u1 = (float8)(t0.s23, t2.s23, t0.s67, t2.s67);
                const float8 u2 = (float8)(t1.s01, t3.s01, t1.s45, t3.s45), u3 = (float8)(t1.s23, t3.s23, t1.s67, t3.s67);
                const float8 u4 = (float8)(t4.s01, t6.s01, t4.s45, t6.s45), u5 = (float8)(t4.s23, t6.s23, t4.s67, t6.s67);
                const float8 u6 = (float8)(t5.s01, t7.s01, t5.s45, t7.s45), u7 = (float8)(t5.s23, t7.s23, t5.s67, t7.s67);
                vstore8((float8)(u0.lo, u4.lo), 0, block + 0);
                vstore8((float8)(u0.hi, u4.hi), 0, block + 128);
                vstore8((float8)(u1.lo, u5.lo), 0, block + 32);
                vstore8((float8)(u1.hi, u5.hi), 0, block + 160);
                vstore8((float8)(u2.lo, u6.lo), 0, block + 64);
                vstore8((float8)(u2.hi, u6.hi), 0, block + 192);
                vstore8((float8)(u3.lo, u7.lo), 0, block + 96);
                vstore8((float8)(u3.hi, u7.hi), 0, block + 224);
                step = start + 8;
            } else {
                for (int x = 0; x < 8; ++x)
                    to[step * 32 + group + x] = b_[begin[group + x] + right_at[step]];
                ++step;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1__store(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_i_) - row);
    const long count = min(32L, (size_k_) - column);
    const long k_ = column;
    const long k__first = k_;
    for (long line = 0; line < lines; ++line) {
        const long i_ = row + line;
        long k_ = k__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_k_ - (k_));
            for (; at + 16 <= run; at += 16, k_ += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_a_ + grad_a_offset_ + n0_ * grad_a_stride_n0_ + i_ * grad_a_stride_i_ + k_);
            }
            for (; at < run; at += 1, k_ += 1) {
                const float total = sums[at];
                grad_a_[grad_a_offset_ + n0_ * grad_a_stride_n0_ + i_ * grad_a_stride_i_ + k_] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1__item(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[32768];
    long left[256];
    float right[8192];
    const long row_tiles = ((size_i_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_k_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_j_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0_ = rest;
        long right_at[256];
        int right_run[256];
        matmul_grad_a_b_1__rows(grad_a_, dy_, b_, size_j_, size_i_, dy_offset_, dy_stride_n0_, dy_stride_i_, size_k_, b_offset_, b_stride_n0_, b_stride_k_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, row_block, column_block, chunk, units, n0_, left, first_row * 8, end_row - first_row);
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_j_) - from);
            matmul_grad_a_b_1__steps(grad_a_, dy_, b_, size_j_, size_i_, dy_offset_, dy_stride_n0_, dy_stride_i_, size_k_, b_offset_, b_stride_n0_, b_stride_k_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, row_block, column_block, chunk, units, from, steps, right_at, right_run);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                matmul_grad_a_b_1__right(grad_a_, dy_, b_, size_j_, size_i_, dy_offset_, dy_stride_n0_, dy_stride_i_, size_k_, b_offset_, b_stride_n0_, b_stride_k_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, row_block, column_block, chunk, units, n0_, right, right_at, right_run, column_tile * 32, from, steps);
                const float *panel = right;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_k_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_in_place(dy_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_in_place(dy_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_in_place(dy_ + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul_grad_a_b_1__store(grad_a_, dy_, b_, size_j_, size_i_, dy_offset_, dy_stride_n0_, dy_stride_i_, size_k_, b_offset_, b_stride_n0_, b_stride_k_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, row_block, column_block, chunk, units, n0_, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2_panels__steps(
    __global float *matmul_grad_a_b_2_panels_,
    __global const float *dy_,
    const long dy_stride_i_,
    const long size_i_,
    const long size_j_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at) {
    long i_ = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = i_ * dy_stride_i_;
        ++i_;
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_panels__right(
    __global float *matmul_grad_a_b_2_panels_,
    __global const float *dy_,
    const long dy_stride_i_,
    const long size_i_,
    const long size_j_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long chunk,
    const long units,
    const long n0_,
    __global float *to,
    const long *right_at,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_j_) - line);
    long begin[32];
    {
        long j_ = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = dy_offset_ + n0_ * dy_stride_n0_ + j_;
            if (x + 1 < exist) {
                ++j_;
            }
        }
    }
    int whole = 1;
    for (int x = 1; x < 32; ++x) whole &= begin[x] == begin[x - 1] + 1;
    if (whole) {
        for (long step = 0; step < steps; ++step) {
            __global const float *from_here = dy_ + begin[0] + right_at[step];
            vstore16(vload16(0, from_here + 0), 0, to + step * 32 + 0);
            vstore16(vload16(0, from_here + 16), 0, to + step * 32 + 16);
        }
        return;
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        int breaks = 0, split = 0;
        for (int x = 1; x < 8; ++x) {
            if (begin[group + x] == begin[group + x - 1] + 1) continue;
            ++breaks;
            split = x;
        }
        if (breaks == 0)
            for (; step < end; ++step) vstore8(vload8(0, dy_ + right_at[step] + begin[group]), 0, to + step * 32 + group);
        if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
            const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
            for (; step < end; ++step) vstore8(later ? vload8(0, dy_ + right_at[step] + begin[group + 7] - 7) : vload8(0, dy_ + right_at[step] + begin[group]), 0, to + step * 32 + group);
        }
        for (; step < end; ++step) {
            for (int x = 0; x < 8; ++x)
                to[step * 32 + group + x] = dy_[begin[group + x] + right_at[step]];
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_panels__item(
    __global float *matmul_grad_a_b_2_panels_,
    __global const float *dy_,
    const long dy_stride_i_,
    const long size_i_,
    const long size_j_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_j_) + 31) / 32;
        const long chunks = max(1L, ((size_i_) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_i_) - from);
        const long n0_ = unit / column_tiles / chunks;
        long right_at[256];
        matmul_grad_a_b_2_panels__steps(matmul_grad_a_b_2_panels_, dy_, dy_stride_i_, size_i_, size_j_, dy_offset_, dy_stride_n0_, chunk, units, from, steps, right_at);
        matmul_grad_a_b_2_panels__right(matmul_grad_a_b_2_panels_, dy_, dy_stride_i_, size_i_, size_j_, dy_offset_, dy_stride_n0_, chunk, units, n0_, matmul_grad_a_b_2_panels_ + unit * 8192, right_at, column_tile * 32, from, steps);
    }
}

__kernel void matmul_grad_a_b_1__kernel(
    __global float *grad_a_,
    __global const float *dy_,
    __global const float *b_,
    const long size_j_,
    const long size_i_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long dy_stride_i_,
    const long size_k_,
    const long b_offset_,
    const long b_stride_n0_,
    const long b_stride_k_,
    const long grad_a_offset_,
    const long grad_a_stride_n0_,
    const long grad_a_stride_i_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long items,
    __global float *matmul_grad_a_b_2_panels_of_2_,
    __global const float *dy_of_2_,
    const long dy_stride_i_of_2_,
    const long size_i_of_2_,
    const long size_j_of_2_,
    const long dy_offset_of_2_,
    const long dy_stride_n0_of_2_,
    const long chunk_of_2,
    const long units_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1__item(grad_a_, dy_, b_, size_j_, size_i_, dy_offset_, dy_stride_n0_, dy_stride_i_, size_k_, b_offset_, b_stride_n0_, b_stride_k_, grad_a_offset_, grad_a_stride_n0_, grad_a_stride_i_, row_block, column_block, chunk, units, item);
    } else {
        item -= items;
        matmul_grad_a_b_2_panels__item(matmul_grad_a_b_2_panels_of_2_, dy_of_2_, dy_stride_i_of_2_, size_i_of_2_, size_j_of_2_, dy_offset_of_2_, dy_stride_n0_of_2_, chunk_of_2, units_of_2, item);
    }
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2__steps(
    __global float *grad_b_,
    __global const float *a_,
    __global const float *dy_,
    __global const float *matmul_grad_a_b_2_panels_,
    const long a_stride_i_,
    const long size_i_,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long size_j_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at) {
    long i_ = from;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = i_ * a_stride_i_;
        ++i_;
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2__left(
    __global float *grad_b_,
    __global const float *a_,
    __global const float *dy_,
    __global const float *matmul_grad_a_b_2_panels_,
    const long a_stride_i_,
    const long size_i_,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long size_j_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    float *to,
    const long *left_at,
    const long first,
    const long count,
    const long from,
    const long steps) {
    long begins[96];
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_k_) - line);
        long *begin = begins + tile * 8;
        {
            long k_ = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = a_offset_ + n0_ * a_stride_n0_ + k_;
                if (x + 1 < exist) {
                    ++k_;
                }
            }
        }
    }
    for (long first_step = 0; first_step < steps; first_step += 16)
        for (long tile = 0; tile < count; ++tile) {
            const long line = first + tile * 8, exist = min(8L, (size_k_) - line);
            float *panel = to + tile * steps * 8;
            const long *begin = begins + tile * 8;
            for (int group = 0; group < 8; group += 8) {
                long step = first_step;
                const long end = min(steps, first_step + 16);
                if (group >= exist)
                    for (; step < end; ++step) vstore8((float8)(0), 0, panel + step * 8 + group);
                int breaks = 0, split = 0;
                for (int x = 1; x < 8; ++x) {
                    if (begin[group + x] == begin[group + x - 1] + 1) continue;
                    ++breaks;
                    split = x;
                }
                if (breaks == 0)
                    for (; step < end; ++step) vstore8(vload8(0, a_ + left_at[step] + begin[group]), 0, panel + step * 8 + group);
                if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
                    const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
                    for (; step < end; ++step) vstore8(later ? vload8(0, a_ + left_at[step] + begin[group + 7] - 7) : vload8(0, a_ + left_at[step] + begin[group]), 0, panel + step * 8 + group);
                }
                for (; step < end; ++step) {
                    for (int x = 0; x < 8; ++x)
                        panel[step * 8 + group + x] = a_[begin[group + x] + left_at[step]];
                }
            }
        }
}

__attribute__((noinline)) void matmul_grad_a_b_2__store(
    __global float *grad_b_,
    __global const float *a_,
    __global const float *dy_,
    __global const float *matmul_grad_a_b_2_panels_,
    const long a_stride_i_,
    const long size_i_,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long size_j_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0_,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_k_) - row);
    const long count = min(32L, (size_j_) - column);
    const long j_ = column;
    const long j__first = j_;
    for (long line = 0; line < lines; ++line) {
        const long k_ = row + line;
        long j_ = j__first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_j_ - (j_));
            for (; at + 16 <= run; at += 16, j_ += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_b_ + grad_b_offset_ + n0_ * grad_b_stride_n0_ + k_ * grad_b_stride_k_ + j_);
            }
            for (; at < run; at += 1, j_ += 1) {
                const float total = sums[at];
                grad_b_[grad_b_offset_ + n0_ * grad_b_stride_n0_ + k_ * grad_b_stride_k_ + j_] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2__item(
    __global float *grad_b_,
    __global const float *a_,
    __global const float *dy_,
    __global const float *matmul_grad_a_b_2_panels_,
    const long a_stride_i_,
    const long size_i_,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long size_j_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_k_) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_j_) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_i_) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0_ = rest;
        long left_at[256];
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_i_) - from);
            matmul_grad_a_b_2__steps(grad_b_, a_, dy_, matmul_grad_a_b_2_panels_, a_stride_i_, size_i_, size_k_, a_offset_, a_stride_n0_, grad_b_offset_, grad_b_stride_n0_, grad_b_stride_k_, size_j_, row_block, column_block, chunk, units, from, steps, left_at);
            matmul_grad_a_b_2__left(grad_b_, a_, dy_, matmul_grad_a_b_2_panels_, a_stride_i_, size_i_, size_k_, a_offset_, a_stride_n0_, grad_b_offset_, grad_b_stride_n0_, grad_b_stride_k_, size_j_, row_block, column_block, chunk, units, n0_, left, left_at, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = matmul_grad_a_b_2_panels_ + (((n0_) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_j_) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul_grad_a_b_2__store(grad_b_, a_, dy_, matmul_grad_a_b_2_panels_, a_stride_i_, size_i_, size_k_, a_offset_, a_stride_n0_, grad_b_offset_, grad_b_stride_n0_, grad_b_stride_k_, size_j_, row_block, column_block, chunk, units, n0_, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void matmul_grad_a_b_2__kernel(
    __global float *grad_b_,
    __global const float *a_,
    __global const float *dy_,
    __global const float *matmul_grad_a_b_2_panels_,
    const long a_stride_i_,
    const long size_i_,
    const long size_k_,
    const long a_offset_,
    const long a_stride_n0_,
    const long grad_b_offset_,
    const long grad_b_stride_n0_,
    const long grad_b_stride_k_,
    const long size_j_,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    matmul_grad_a_b_2__item(grad_b_, a_, dy_, matmul_grad_a_b_2_panels_, a_stride_i_, size_i_, size_k_, a_offset_, a_stride_n0_, grad_b_offset_, grad_b_stride_n0_, grad_b_stride_k_, size_j_, row_block, column_block, chunk, units, get_global_id(0));
}
