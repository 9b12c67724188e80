// sum (kernels_dsl/reduction.netcl)
//     y[] = sum[i0](x[i0])
__attribute__((noinline)) void sum__item(
    __global float *y_,
    __global const float *x_,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_,
    const long item) {
    float sum_i0_ = 0.0f, sum_i0__low = 0.0f;
    float16 sum_i0_lanes_ = 0.0f, sum_i0_lanes__low = 0.0f;
    {
        long i0_ = 0;
        while (i0_ + 16 <= size_i0_) {
            const long i0__stop = min(i0_ + 4096, size_i0_ - 15);
            float16 sum_i0_lanes__part = 0.0f;
            float16 sum_i0_lanes__2_part = 0.0f;
            float16 sum_i0_lanes__3_part = 0.0f;
            float16 sum_i0_lanes__4_part = 0.0f;
            for (; i0_ + 64 <= i0__stop + 15; i0_ += 64) {
                const long i0__here = i0_;
                sum_i0_lanes__part += load_floats(x_ + x_offset_ + i0_);
                {
                    const long i0_ = i0__here + 16;
                    sum_i0_lanes__2_part += load_floats(x_ + x_offset_ + i0_);
                }
                {
                    const long i0_ = i0__here + 32;
                    sum_i0_lanes__3_part += load_floats(x_ + x_offset_ + i0_);
                }
                {
                    const long i0_ = i0__here + 48;
                    sum_i0_lanes__4_part += load_floats(x_ + x_offset_ + i0_);
                }
            }
            sum_i0_lanes__part += sum_i0_lanes__2_part;
            sum_i0_lanes__part += sum_i0_lanes__3_part;
            sum_i0_lanes__part += sum_i0_lanes__4_part;
            for (; i0_ < i0__stop; i0_ += 16) {
                sum_i0_lanes__part += load_floats(x_ + x_offset_ + i0_);
            }
            add_pair_float16(&sum_i0_lanes_, &sum_i0_lanes__low, sum_i0_lanes__part);
        }
        float sum_i0__part = 0.0f;
        for (; i0_ < size_i0_; ++i0_) {
            sum_i0__part += x_[x_offset_ + i0_];
        }
        add_pair_float(&sum_i0_, &sum_i0__low, sum_i0__part);
    }
    add_pair_float(&sum_i0_, &sum_i0__low, fold_sum_float16(sum_i0_lanes_));
    sum_i0__low += fold_sum_float16(sum_i0_lanes__low);
    const float sum_i0_total_ = close_pair_float(sum_i0_, sum_i0__low);
    y_[y_offset_] = sum_i0_total_;
}

__kernel void sum__kernel(
    __global float *y_,
    __global const float *x_,
    const long size_i0_,
    const long x_offset_,
    const long y_offset_) {
    sum__item(y_, x_, size_i0_, x_offset_, y_offset_, get_global_id(0));
}


// grad_x is a view
