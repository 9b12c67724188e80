// logsumexp (kernels_dsl/reduction.netcl)
//     y[] = (isfinite(max[i0](x[i0])) ? max[i0](x[i0]) : 0)
//         + log(sum[i0](exp(x[i0] - (isfinite(max[i0](x[i0])) ? max[i0](x[i0]) : 0))))
__attribute__((noinline)) void logsumexp__item(
    __global float *y_,
    __global const float *x_,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_,
    const long item) {
    float max_i0_ = (-INFINITY);
    int max_i0__nan = 0;
    float16 max_i0_lanes_ = (float16)((-INFINITY));
    int16 max_i0_lanes__nan = 0;
    {
        long i0_ = 0;
        float16 max_i0_lanes__2 = (float16)((-INFINITY));
        int16 max_i0_lanes__2_nan = 0;
        float16 max_i0_lanes__3 = (float16)((-INFINITY));
        int16 max_i0_lanes__3_nan = 0;
        float16 max_i0_lanes__4 = (float16)((-INFINITY));
        int16 max_i0_lanes__4_nan = 0;
        for (; i0_ + 64 <= size_i0_; i0_ += 64) {
            const long i0__here = i0_;
            const float16 x_value_2_ = load_floats(x_ + x_offset_ + i0_);
            const float16 max_i0_lanes__value = x_value_2_;
            max_i0_lanes__nan |= max_i0_lanes__value != max_i0_lanes__value;
            max_i0_lanes_ = max_i0_lanes_ > max_i0_lanes__value ? max_i0_lanes_ : max_i0_lanes__value;
            {
                const long i0_ = i0__here + 16;
                const float16 x_value_3_ = load_floats(x_ + x_offset_ + i0_);
                const float16 max_i0_lanes__2_value = x_value_3_;
                max_i0_lanes__2_nan |= max_i0_lanes__2_value != max_i0_lanes__2_value;
                max_i0_lanes__2 = max_i0_lanes__2 > max_i0_lanes__2_value ? max_i0_lanes__2 : max_i0_lanes__2_value;
            }
            {
                const long i0_ = i0__here + 32;
                const float16 x_value_4_ = load_floats(x_ + x_offset_ + i0_);
                const float16 max_i0_lanes__3_value = x_value_4_;
                max_i0_lanes__3_nan |= max_i0_lanes__3_value != max_i0_lanes__3_value;
                max_i0_lanes__3 = max_i0_lanes__3 > max_i0_lanes__3_value ? max_i0_lanes__3 : max_i0_lanes__3_value;
            }
            {
                const long i0_ = i0__here + 48;
                const float16 x_value_5_ = load_floats(x_ + x_offset_ + i0_);
                const float16 max_i0_lanes__4_value = x_value_5_;
                max_i0_lanes__4_nan |= max_i0_lanes__4_value != max_i0_lanes__4_value;
                max_i0_lanes__4 = max_i0_lanes__4 > max_i0_lanes__4_value ? max_i0_lanes__4 : max_i0_lanes__4_value;
            }
        }
        max_i0_lanes_ = max_i0_lanes_ > max_i0_lanes__2 ? max_i0_lanes_ : max_i0_lanes__2;
        max_i0_lanes__nan |= max_i0_lanes__2_nan;
        max_i0_lanes_ = max_i0_lanes_ > max_i0_lanes__3 ? max_i0_lanes_ : max_i0_lanes__3;
        max_i0_lanes__nan |= max_i0_lanes__3_nan;
        max_i0_lanes_ = max_i0_lanes_ > max_i0_lanes__4 ? max_i0_lanes_ : max_i0_lanes__4;
        max_i0_lanes__nan |= max_i0_lanes__4_nan;
        for (; i0_ + 16 <= size_i0_; i0_ += 16) {
            const float16 x_value_ = load_floats(x_ + x_offset_ + i0_);
            const float16 max_i0_lanes__value = x_value_;
            max_i0_lanes__nan |= max_i0_lanes__value != max_i0_lanes__value;
            max_i0_lanes_ = max_i0_lanes_ > max_i0_lanes__value ? max_i0_lanes_ : max_i0_lanes__value;
        }
        for (; i0_ < size_i0_; ++i0_) {
            const float x_value_6_ = x_[x_offset_ + i0_];
            const float max_i0__value = x_value_6_;
            max_i0__nan |= max_i0__value != max_i0__value;
            max_i0_ = max_i0_ > max_i0__value ? max_i0_ : max_i0__value;
        }
    }
    max_i0_ = maximum_float(max_i0_, fold_max_float16(max_i0_lanes_));
    max_i0__nan |= fold_any_int16(max_i0_lanes__nan);
    const float max_i0_total_ = or_nan_float(max_i0_, max_i0__nan);
    const float t = (isfinite(max_i0_total_)) ? max_i0_total_ : 0.0f;
    float sum_i0_ = 0.0f, sum_i0__low = 0.0f;
    float16 sum_i0_lanes_ = 0.0f, sum_i0_lanes__low = 0.0f;
    {
        long i0_ = 0;
        while (i0_ + 16 <= size_i0_) {
            const long i0__stop = min(i0_ + 4096, size_i0_ - 15);
            float16 sum_i0_lanes__part = 0.0f;
            for (; i0_ < i0__stop; i0_ += 16) {
                const float16 x_value_7_ = load_floats(x_ + x_offset_ + i0_);
                sum_i0_lanes__part += exp_float16(x_value_7_ - (float16)(t));
            }
            add_pair_float16(&sum_i0_lanes_, &sum_i0_lanes__low, sum_i0_lanes__part);
        }
        float sum_i0__part = 0.0f;
        for (; i0_ < size_i0_; ++i0_) {
            const float x_value_8_ = x_[x_offset_ + i0_];
            sum_i0__part += exp_float(x_value_8_ - t);
        }
        add_pair_float(&sum_i0_, &sum_i0__low, sum_i0__part);
    }
    add_pair_float(&sum_i0_, &sum_i0__low, fold_sum_float16(sum_i0_lanes_));
    sum_i0__low += fold_sum_float16(sum_i0_lanes__low);
    const float sum_i0_total_ = close_pair_float(sum_i0_, sum_i0__low);
    y_[y_offset_] = t + log_float(sum_i0_total_);
}

__kernel void logsumexp__kernel(
    __global float *y_,
    __global const float *x_,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_) {
    logsumexp__item(y_, x_, size_i0_, x_offset_, y_offset_, get_global_id(0));
}


// logsumexp_grad (kernels_dsl/reduction.netcl)
//     grad_x[i0] = dy[] * exp(x[i0] - y[])
__attribute__((noinline)) void logsumexp_grad__item(
    __global const float *dy_,
    __global const float *x_,
    __global const float *y_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long x_offset_,
    const long y_offset_,
    const long grad_x_offset_,
    const long item) {
    const float dy_value_ = dy_[dy_offset_];
    const float y_value_ = y_[y_offset_];
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 x_value_ = load_floats(x_ + x_offset_ + start);
        store_floats((float16)(dy_value_) * exp_float16(x_value_ - (float16)(y_value_)), grad_x_ + grad_x_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        grad_x_[grad_x_offset_ + i0_] = dy_value_ * exp_float(x_[x_offset_ + i0_] - y_value_);
    }
}

__kernel void logsumexp_grad__kernel(
    __global const float *dy_,
    __global const float *x_,
    __global const float *y_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long x_offset_,
    const long y_offset_,
    const long grad_x_offset_) {
    logsumexp_grad__item(dy_, x_, y_, grad_x_, units, chunk, dy_offset_, x_offset_, y_offset_, grad_x_offset_, get_global_id(0));
}
