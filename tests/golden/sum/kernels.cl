// sum (kernels_dsl/reduction.netcl)
//     y[] = sum[i0](x[i0])
__attribute__((noinline)) void sum__item(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long x_offset_,
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
    for (long step = 0; step < (size_i0_ >> 6); ++step) {
        const float16 x_value_ = load_floats(x_ + x_offset_ + (step * 64L));
        own_total_2 = own_total_2 + x_value_;
        const float16 x_value_2_ = load_floats(x_ + x_offset_ + ((step * 64L) + 16L));
        own_total_3 = own_total_3 + x_value_2_;
        const float16 x_value_3_ = load_floats(x_ + x_offset_ + ((step * 64L) + 32L));
        own_total_4 = own_total_4 + x_value_3_;
        const float16 x_value_4_ = load_floats(x_ + x_offset_ + ((step * 64L) + 48L));
        own_total_5 = own_total_5 + x_value_4_;
    }
    own_total_2 = own_total_2 + own_total_3;
    own_total_2 = own_total_2 + own_total_4;
    own_total_2 = own_total_2 + own_total_5;
    const long rest = size_i0_ & 63L;
    const long vectors = rest >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = ((size_i0_ >> 6) * 64L) + (vector * 16L);
        const float16 x_value_5_ = load_floats(x_ + x_offset_ + start);
        own_total_2 = own_total_2 + x_value_5_;
    }
    for (long left = 0; left < (rest & 15L); ++left) {
        const long i0_ = (((size_i0_ >> 6) * 64L) + (vectors * 16L)) + left;
        own_total = own_total + x_[x_offset_ + i0_];
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

__kernel void sum__kernel(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_) {
    sum__item(x_, y_, units, chunk, size_i0_, x_offset_, y_offset_, get_global_id(0));
}


// grad_x is a view
