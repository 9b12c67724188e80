// softmax (kernels_dsl/normalization.netcl)
//     y[i0] = exp(x[i0] - max[i0](x[i0])) / sum[i0](exp(x[i0] - max[i0](x[i0])))
__attribute__((noinline)) void softmax__item(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_,
    const long item) {
    float own_total;
    int own_is_nan;
    float16 own_total_2;
    int16 own_is_nan_2;
    float16 own_total_3;
    int16 own_is_nan_3;
    float16 own_total_4;
    int16 own_is_nan_4;
    float16 own_total_5;
    int16 own_is_nan_5;
    float own_total_6;
    float16 own_total_7;
    own_total = -INFINITY;
    own_is_nan = 0;
    own_total_2 = (float16)(-INFINITY);
    own_is_nan_2 = (int16)(-(0));
    own_total_3 = (float16)(-INFINITY);
    own_is_nan_3 = (int16)(-(0));
    own_total_4 = (float16)(-INFINITY);
    own_is_nan_4 = (int16)(-(0));
    own_total_5 = (float16)(-INFINITY);
    own_is_nan_5 = (int16)(-(0));
    for (long step = 0; step < (size_i0_ >> 6); ++step) {
        const float16 x_value_ = load_floats(x_ + x_offset_ + (step * 64L));
        own_is_nan_2 = own_is_nan_2 | (x_value_ != x_value_);
        own_total_2 = (own_total_2 > x_value_) ? own_total_2 : x_value_;
        const float16 x_value_2_ = load_floats(x_ + x_offset_ + ((step * 64L) + 16L));
        own_is_nan_3 = own_is_nan_3 | (x_value_2_ != x_value_2_);
        own_total_3 = (own_total_3 > x_value_2_) ? own_total_3 : x_value_2_;
        const float16 x_value_3_ = load_floats(x_ + x_offset_ + ((step * 64L) + 32L));
        own_is_nan_4 = own_is_nan_4 | (x_value_3_ != x_value_3_);
        own_total_4 = (own_total_4 > x_value_3_) ? own_total_4 : x_value_3_;
        const float16 x_value_4_ = load_floats(x_ + x_offset_ + ((step * 64L) + 48L));
        own_is_nan_5 = own_is_nan_5 | (x_value_4_ != x_value_4_);
        own_total_5 = (own_total_5 > x_value_4_) ? own_total_5 : x_value_4_;
    }
    own_is_nan_2 = own_is_nan_2 | own_is_nan_3;
    own_total_2 = (own_total_2 > own_total_3) ? own_total_2 : own_total_3;
    own_is_nan_2 = own_is_nan_2 | own_is_nan_4;
    own_total_2 = (own_total_2 > own_total_4) ? own_total_2 : own_total_4;
    own_is_nan_2 = own_is_nan_2 | own_is_nan_5;
    own_total_2 = (own_total_2 > own_total_5) ? own_total_2 : own_total_5;
    const long rest = size_i0_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_i0_ >> 6) * 64L) + (vector * 16L);
        const float16 x_value_5_ = load_floats(x_ + x_offset_ + start);
        own_is_nan_2 = own_is_nan_2 | (x_value_5_ != x_value_5_);
        own_total_2 = (own_total_2 > x_value_5_) ? own_total_2 : x_value_5_;
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long i0_ = (((size_i0_ >> 6) * 64L) + (vectors * 16L)) + left;
        const float x_value_6_ = x_[x_offset_ + i0_];
        own_is_nan = own_is_nan | (x_value_6_ != x_value_6_);
        own_total = (own_total > x_value_6_) ? own_total : x_value_6_;
    }
    const float folded = fold_max_float16(own_total_2);
    const int folded_2 = fold_any_int16(own_is_nan_2);
    own_is_nan = own_is_nan | folded_2;
    own_total = (own_total > folded) ? own_total : folded;
    const float total = or_nan_float(own_total, own_is_nan);
    own_total_6 = 0.0f;
    own_total_7 = (float16)(0.0f);
    const long vectors_2 = size_i0_ >> 4;
    for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
        const long start_2 = vector_2 * 16L;
        const float16 x_value_7_ = load_floats(x_ + x_offset_ + start_2);
        const float16 value = exp_float16(x_value_7_ - (float16)(total));
        own_total_7 = own_total_7 + value;
    }
    for (long left_2 = 0; left_2 < (size_i0_ & 15L); ++left_2) {
        const long i0_2_ = (vectors_2 * 16L) + left_2;
        const float x_value_8_ = x_[x_offset_ + i0_2_];
        const float value_2 = exp_float(x_value_8_ - total);
        own_total_6 = own_total_6 + value_2;
    }
    const float folded_3 = fold_sum_float16(own_total_7);
    own_total_6 = own_total_6 + folded_3;
    const float total_2 = own_total_6;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step_2 = 0; step_2 < count; ++step_2) {
        const long unit = begin + step_2;
        const long vectors_3 = size_i0_ >> 4;
        for (long vector_3 = 0; vector_3 < vectors_3; ++vector_3) {
            const long start_3 = vector_3 * 16L;
            const float16 x_value_9_ = load_floats(x_ + x_offset_ + start_3);
            const float16 value_3 = exp_float16(x_value_9_ - (float16)(total));
            store_floats(value_3 / (float16)(total_2), y_ + y_offset_ + start_3);
        }
        for (long left_3 = 0; left_3 < (size_i0_ & 15L); ++left_3) {
            const long i0_3_ = (vectors_3 * 16L) + left_3;
            const float x_value_10_ = x_[x_offset_ + i0_3_];
            const float value_4 = exp_float(x_value_10_ - total);
            y_[y_offset_ + i0_3_] = value_4 / total_2;
        }
    }
}

__kernel void softmax__kernel(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_) {
    softmax__item(x_, y_, units, chunk, size_i0_, x_offset_, y_offset_, get_global_id(0));
}


// softmax_grad (kernels_dsl/normalization.netcl)
//     grad_x[i0] = y[i0] * (dy[i0] - sum[i0](dy[i0] * y[i0]))
__attribute__((noinline)) void softmax_grad__item(
    __global const float *y_,
    __global const float *dy_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long y_offset_,
    const long dy_offset_,
    const long grad_x_offset_,
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
    for (long step = 0; step < (size_i0_ >> 6); ++step) {
        const float16 dy_value_ = load_floats(dy_ + dy_offset_ + (step * 64L));
        const float16 y_value_ = load_floats(y_ + y_offset_ + (step * 64L));
        own_total_2 = own_total_2 + (dy_value_ * y_value_);
        const float16 dy_value_2_ = load_floats(dy_ + dy_offset_ + ((step * 64L) + 16L));
        const float16 y_value_2_ = load_floats(y_ + y_offset_ + ((step * 64L) + 16L));
        own_total_3 = own_total_3 + (dy_value_2_ * y_value_2_);
        const float16 dy_value_3_ = load_floats(dy_ + dy_offset_ + ((step * 64L) + 32L));
        const float16 y_value_3_ = load_floats(y_ + y_offset_ + ((step * 64L) + 32L));
        own_total_4 = own_total_4 + (dy_value_3_ * y_value_3_);
        const float16 dy_value_4_ = load_floats(dy_ + dy_offset_ + ((step * 64L) + 48L));
        const float16 y_value_4_ = load_floats(y_ + y_offset_ + ((step * 64L) + 48L));
        own_total_5 = own_total_5 + (dy_value_4_ * y_value_4_);
    }
    own_total_2 = own_total_2 + own_total_3;
    own_total_2 = own_total_2 + own_total_4;
    own_total_2 = own_total_2 + own_total_5;
    const long rest = size_i0_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_i0_ >> 6) * 64L) + (vector * 16L);
        const float16 dy_value_5_ = load_floats(dy_ + dy_offset_ + start);
        const float16 y_value_5_ = load_floats(y_ + y_offset_ + start);
        own_total_2 = own_total_2 + (dy_value_5_ * y_value_5_);
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long i0_ = (((size_i0_ >> 6) * 64L) + (vectors * 16L)) + left;
        const float dy_value_6_ = dy_[dy_offset_ + i0_];
        const float y_value_6_ = y_[y_offset_ + i0_];
        own_total = own_total + (dy_value_6_ * y_value_6_);
    }
    const float folded = fold_sum_float16(own_total_2);
    own_total = own_total + folded;
    const float total = own_total;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step_2 = 0; step_2 < count; ++step_2) {
        const long unit = begin + step_2;
        const long vectors_2 = size_i0_ >> 4;
        for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
            const long start_2 = vector_2 * 16L;
            const float16 y_value_7_ = load_floats(y_ + y_offset_ + start_2);
            const float16 dy_value_7_ = load_floats(dy_ + dy_offset_ + start_2);
            store_floats(y_value_7_ * (dy_value_7_ - (float16)(total)), grad_x_ + grad_x_offset_ + start_2);
        }
        for (long left_2 = 0; left_2 < (size_i0_ & 15L); ++left_2) {
            const long i0_2_ = (vectors_2 * 16L) + left_2;
            const float y_value_8_ = y_[y_offset_ + i0_2_];
            const float dy_value_8_ = dy_[dy_offset_ + i0_2_];
            grad_x_[grad_x_offset_ + i0_2_] = y_value_8_ * (dy_value_8_ - total);
        }
    }
}

__kernel void softmax_grad__kernel(
    __global const float *y_,
    __global const float *dy_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long y_offset_,
    const long dy_offset_,
    const long grad_x_offset_) {
    softmax_grad__item(y_, dy_, grad_x_, units, chunk, size_i0_, y_offset_, dy_offset_, grad_x_offset_, get_global_id(0));
}
