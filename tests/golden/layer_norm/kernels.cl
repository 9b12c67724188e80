// layer_norm (kernels_dsl/normalization.netcl)
//     y[i0, n0] = (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps) * w[n0] + b[n0]
__attribute__((noinline)) void layer_norm__item(
    __global float *y_,
    __global const float *x_,
    __global const float *w_,
    __global const float *b_,
    const long chunk,
    const long units,
    const long size_i0_,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const float eps_,
    const long w_offset_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    const float t = (float)size_n0_;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0_ = begin; i0_ < end; ++i0_) {
        float sum_n0_ = 0.0f, sum_n0__low = 0.0f;
        float16 sum_n0_lanes_ = 0.0f, sum_n0_lanes__low = 0.0f;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_lanes__part = 0.0f;
                float16 sum_n0_lanes__2_part = 0.0f;
                float16 sum_n0_lanes__3_part = 0.0f;
                float16 sum_n0_lanes__4_part = 0.0f;
                for (; n0_ + 64 <= n0__stop + 15; n0_ += 64) {
                    const long n0__here = n0_;
                    const float16 x_value_3_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    sum_n0_lanes__part += x_value_3_;
                    {
                        const long n0_ = n0__here + 16;
                        const float16 x_value_4_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__2_part += x_value_4_;
                    }
                    {
                        const long n0_ = n0__here + 32;
                        const float16 x_value_5_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__3_part += x_value_5_;
                    }
                    {
                        const long n0_ = n0__here + 48;
                        const float16 x_value_6_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__4_part += x_value_6_;
                    }
                }
                sum_n0_lanes__part += sum_n0_lanes__2_part;
                sum_n0_lanes__part += sum_n0_lanes__3_part;
                sum_n0_lanes__part += sum_n0_lanes__4_part;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_2_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    sum_n0_lanes__part += x_value_2_;
                }
                add_pair_float16(&sum_n0_lanes_, &sum_n0_lanes__low, sum_n0_lanes__part);
            }
            float sum_n0__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_7_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                sum_n0__part += x_value_7_;
            }
            add_pair_float(&sum_n0_, &sum_n0__low, sum_n0__part);
        }
        add_pair_float(&sum_n0_, &sum_n0__low, fold_sum_float16(sum_n0_lanes_));
        sum_n0__low += fold_sum_float16(sum_n0_lanes__low);
        const float sum_n0_total_ = close_pair_float(sum_n0_, sum_n0__low);
        const float t_2 = sum_n0_total_ / t;
        float sum_n0_2_ = 0.0f, sum_n0_2__low = 0.0f;
        float16 sum_n0_2_lanes_ = 0.0f, sum_n0_2_lanes__low = 0.0f;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_2_lanes__part = 0.0f;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_8_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    const float16 t_4 = x_value_8_ - (float16)(t_2);
                    sum_n0_2_lanes__part += t_4 * t_4;
                }
                add_pair_float16(&sum_n0_2_lanes_, &sum_n0_2_lanes__low, sum_n0_2_lanes__part);
            }
            float sum_n0_2__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_9_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_5 = x_value_9_ - t_2;
                sum_n0_2__part += t_5 * t_5;
            }
            add_pair_float(&sum_n0_2_, &sum_n0_2__low, sum_n0_2__part);
        }
        add_pair_float(&sum_n0_2_, &sum_n0_2__low, fold_sum_float16(sum_n0_2_lanes_));
        sum_n0_2__low += fold_sum_float16(sum_n0_2_lanes__low);
        const float sum_n0_2_total_ = close_pair_float(sum_n0_2_, sum_n0_2__low);
        const float t_6 = 1.0f / sqrt((sum_n0_2_total_ / t) + eps_);
        {
            long n0_ = 0;
            for (; n0_ + 16 <= size_n0_; n0_ += 16) {
                const float16 x_value_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                const float16 t_3 = x_value_ - (float16)(t_2);
                const float16 t_7 = ((t_3 * (float16)(t_6)) * load_floats(w_ + w_offset_ + n0_)) + load_floats(b_ + b_offset_ + n0_);
                store_floats(t_7, y_ + y_offset_ + i0_ * y_stride_i0_ + n0_);
            }
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_10_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_8 = x_value_10_ - t_2;
                y_[y_offset_ + i0_ * y_stride_i0_ + n0_] = ((t_8 * t_6) * w_[w_offset_ + n0_]) + b_[b_offset_ + n0_];
            }
        }
    }
}

__kernel void layer_norm__kernel(
    __global float *y_,
    __global const float *x_,
    __global const float *w_,
    __global const float *b_,
    const long chunk,
    const long units,
    const long size_i0_,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const float eps_,
    const long w_offset_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_i0_) {
    layer_norm__item(y_, x_, w_, b_, chunk, units, size_i0_, size_n0_, x_offset_, x_stride_i0_, eps_, w_offset_, b_offset_, y_offset_, y_stride_i0_, get_global_id(0));
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_x[i0, n0] = a function of dy, w, x with sum[n0]
__attribute__((noinline)) void layer_norm_grad_x_w_b_1__item(
    __global float *grad_x_,
    __global const float *x_,
    __global const float *dy_,
    __global const float *w_,
    const long chunk,
    const long units,
    const long size_i0_,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long w_offset_,
    const float eps_,
    const long grad_x_offset_,
    const long grad_x_stride_i0_,
    const long item) {
    const float t_3 = (float)size_n0_;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0_ = begin; i0_ < end; ++i0_) {
        float sum_n0_ = 0.0f, sum_n0__low = 0.0f;
        float sum_n0_2_ = 0.0f, sum_n0_2__low = 0.0f;
        float16 sum_n0_lanes_ = 0.0f, sum_n0_lanes__low = 0.0f;
        float16 sum_n0_2_lanes_ = 0.0f, sum_n0_2_lanes__low = 0.0f;
        float sum_n0_3_ = 0.0f, sum_n0_3__low = 0.0f;
        float sum_n0_4_ = 0.0f, sum_n0_4__low = 0.0f;
        float16 sum_n0_3_lanes_ = 0.0f, sum_n0_3_lanes__low = 0.0f;
        float16 sum_n0_4_lanes_ = 0.0f, sum_n0_4_lanes__low = 0.0f;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_3_lanes__part = 0.0f;
                float16 sum_n0_4_lanes__part = 0.0f;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_2_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    const float16 t = load_floats(dy_ + dy_offset_ + i0_ * dy_stride_i0_ + n0_) * load_floats(w_ + w_offset_ + n0_);
                    sum_n0_3_lanes__part += x_value_2_;
                    sum_n0_4_lanes__part += t;
                }
                add_pair_float16(&sum_n0_3_lanes_, &sum_n0_3_lanes__low, sum_n0_3_lanes__part);
                add_pair_float16(&sum_n0_4_lanes_, &sum_n0_4_lanes__low, sum_n0_4_lanes__part);
            }
            float sum_n0_3__part = 0.0f;
            float sum_n0_4__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_3_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_2 = dy_[dy_offset_ + i0_ * dy_stride_i0_ + n0_] * w_[w_offset_ + n0_];
                sum_n0_3__part += x_value_3_;
                sum_n0_4__part += t_2;
            }
            add_pair_float(&sum_n0_3_, &sum_n0_3__low, sum_n0_3__part);
            add_pair_float(&sum_n0_4_, &sum_n0_4__low, sum_n0_4__part);
        }
        add_pair_float(&sum_n0_3_, &sum_n0_3__low, fold_sum_float16(sum_n0_3_lanes_));
        sum_n0_3__low += fold_sum_float16(sum_n0_3_lanes__low);
        add_pair_float(&sum_n0_4_, &sum_n0_4__low, fold_sum_float16(sum_n0_4_lanes_));
        sum_n0_4__low += fold_sum_float16(sum_n0_4_lanes__low);
        const float sum_n0_3_total_ = close_pair_float(sum_n0_3_, sum_n0_3__low);
        const float sum_n0_4_total_ = close_pair_float(sum_n0_4_, sum_n0_4__low);
        const float t_4 = sum_n0_3_total_ / t_3;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_lanes__part = 0.0f;
                float16 sum_n0_2_lanes__part = 0.0f;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    const float16 t_5 = x_value_ - (float16)(t_4);
                    const float16 t_6 = load_floats(dy_ + dy_offset_ + i0_ * dy_stride_i0_ + n0_) * load_floats(w_ + w_offset_ + n0_);
                    sum_n0_lanes__part += t_5 * t_5;
                    sum_n0_2_lanes__part += t_6 * t_5;
                }
                add_pair_float16(&sum_n0_lanes_, &sum_n0_lanes__low, sum_n0_lanes__part);
                add_pair_float16(&sum_n0_2_lanes_, &sum_n0_2_lanes__low, sum_n0_2_lanes__part);
            }
            float sum_n0__part = 0.0f;
            float sum_n0_2__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_4_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_7 = x_value_4_ - t_4;
                const float t_8 = dy_[dy_offset_ + i0_ * dy_stride_i0_ + n0_] * w_[w_offset_ + n0_];
                sum_n0__part += t_7 * t_7;
                sum_n0_2__part += t_8 * t_7;
            }
            add_pair_float(&sum_n0_, &sum_n0__low, sum_n0__part);
            add_pair_float(&sum_n0_2_, &sum_n0_2__low, sum_n0_2__part);
        }
        add_pair_float(&sum_n0_, &sum_n0__low, fold_sum_float16(sum_n0_lanes_));
        sum_n0__low += fold_sum_float16(sum_n0_lanes__low);
        add_pair_float(&sum_n0_2_, &sum_n0_2__low, fold_sum_float16(sum_n0_2_lanes_));
        sum_n0_2__low += fold_sum_float16(sum_n0_2_lanes__low);
        const float sum_n0_total_ = close_pair_float(sum_n0_, sum_n0__low);
        const float sum_n0_2_total_ = close_pair_float(sum_n0_2_, sum_n0_2__low);
        const float t_9 = 1.0f / sqrt((sum_n0_total_ / t_3) + eps_);
        const float t_11 = sum_n0_4_total_ / t_3;
        const float t_13 = (t_9 * sum_n0_2_total_) / t_3;
        {
            long n0_ = 0;
            for (; n0_ + 16 <= size_n0_; n0_ += 16) {
                const float16 t_10 = load_floats(dy_ + dy_offset_ + i0_ * dy_stride_i0_ + n0_) * load_floats(w_ + w_offset_ + n0_);
                const float16 x_value_5_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                const float16 t_12 = x_value_5_ - (float16)(t_4);
                store_floats((float16)(t_9) * ((t_10 - (float16)(t_11)) - ((t_12 * (float16)(t_9)) * (float16)(t_13))), grad_x_ + grad_x_offset_ + i0_ * grad_x_stride_i0_ + n0_);
            }
            for (; n0_ < size_n0_; ++n0_) {
                const float t_14 = dy_[dy_offset_ + i0_ * dy_stride_i0_ + n0_] * w_[w_offset_ + n0_];
                const float x_value_6_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_15 = x_value_6_ - t_4;
                grad_x_[grad_x_offset_ + i0_ * grad_x_stride_i0_ + n0_] = t_9 * ((t_14 - t_11) - ((t_15 * t_9) * t_13));
            }
        }
    }
}

// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     part.1[i0] = sum[n0](x[i0, n0]) / float32(size[n0])
//     part.2[i0] = rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps)
__attribute__((noinline)) void layer_norm_grad_x_w_b_2__item(
    __global float *part_1_,
    __global float *part_2_,
    __global const float *x_,
    const long chunk,
    const long units,
    const long size_i0_,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long part_1_offset_,
    const float eps_,
    const long part_2_offset_,
    const long item) {
    const float t = (float)size_n0_;
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long i0_ = begin; i0_ < end; ++i0_) {
        float sum_n0_ = 0.0f, sum_n0__low = 0.0f;
        float16 sum_n0_lanes_ = 0.0f, sum_n0_lanes__low = 0.0f;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_lanes__part = 0.0f;
                float16 sum_n0_lanes__2_part = 0.0f;
                float16 sum_n0_lanes__3_part = 0.0f;
                float16 sum_n0_lanes__4_part = 0.0f;
                for (; n0_ + 64 <= n0__stop + 15; n0_ += 64) {
                    const long n0__here = n0_;
                    const float16 x_value_2_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    sum_n0_lanes__part += x_value_2_;
                    {
                        const long n0_ = n0__here + 16;
                        const float16 x_value_3_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__2_part += x_value_3_;
                    }
                    {
                        const long n0_ = n0__here + 32;
                        const float16 x_value_4_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__3_part += x_value_4_;
                    }
                    {
                        const long n0_ = n0__here + 48;
                        const float16 x_value_5_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                        sum_n0_lanes__4_part += x_value_5_;
                    }
                }
                sum_n0_lanes__part += sum_n0_lanes__2_part;
                sum_n0_lanes__part += sum_n0_lanes__3_part;
                sum_n0_lanes__part += sum_n0_lanes__4_part;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    sum_n0_lanes__part += x_value_;
                }
                add_pair_float16(&sum_n0_lanes_, &sum_n0_lanes__low, sum_n0_lanes__part);
            }
            float sum_n0__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_6_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                sum_n0__part += x_value_6_;
            }
            add_pair_float(&sum_n0_, &sum_n0__low, sum_n0__part);
        }
        add_pair_float(&sum_n0_, &sum_n0__low, fold_sum_float16(sum_n0_lanes_));
        sum_n0__low += fold_sum_float16(sum_n0_lanes__low);
        const float sum_n0_total_ = close_pair_float(sum_n0_, sum_n0__low);
        const float t_2 = sum_n0_total_ / t;
        part_1_[part_1_offset_ + i0_] = t_2;
        float sum_n0_2_ = 0.0f, sum_n0_2__low = 0.0f;
        float16 sum_n0_2_lanes_ = 0.0f, sum_n0_2_lanes__low = 0.0f;
        {
            long n0_ = 0;
            while (n0_ + 16 <= size_n0_) {
                const long n0__stop = min(n0_ + 4096, size_n0_ - 15);
                float16 sum_n0_2_lanes__part = 0.0f;
                for (; n0_ < n0__stop; n0_ += 16) {
                    const float16 x_value_7_ = load_floats(x_ + x_offset_ + i0_ * x_stride_i0_ + n0_);
                    const float16 t_3 = x_value_7_ - (float16)(t_2);
                    sum_n0_2_lanes__part += t_3 * t_3;
                }
                add_pair_float16(&sum_n0_2_lanes_, &sum_n0_2_lanes__low, sum_n0_2_lanes__part);
            }
            float sum_n0_2__part = 0.0f;
            for (; n0_ < size_n0_; ++n0_) {
                const float x_value_8_ = x_[x_offset_ + i0_ * x_stride_i0_ + n0_];
                const float t_4 = x_value_8_ - t_2;
                sum_n0_2__part += t_4 * t_4;
            }
            add_pair_float(&sum_n0_2_, &sum_n0_2__low, sum_n0_2__part);
        }
        add_pair_float(&sum_n0_2_, &sum_n0_2__low, fold_sum_float16(sum_n0_2_lanes_));
        sum_n0_2__low += fold_sum_float16(sum_n0_2_lanes__low);
        const float sum_n0_2_total_ = close_pair_float(sum_n0_2_, sum_n0_2__low);
        part_2_[part_2_offset_ + i0_] = 1.0f / sqrt((sum_n0_2_total_ / t) + eps_);
    }
}

__kernel void layer_norm_grad_x_w_b_1__kernel(
    __global float *grad_x_,
    __global const float *x_,
    __global const float *dy_,
    __global const float *w_,
    const long chunk,
    const long units,
    const long size_i0_,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long w_offset_,
    const float eps_,
    const long grad_x_offset_,
    const long grad_x_stride_i0_,
    const long items,
    __global float *part_1_of_2_,
    __global float *part_2_of_2_,
    __global const float *x_of_2_,
    const long chunk_of_2,
    const long units_of_2,
    const long size_i0_of_2_,
    const long size_n0_of_2_,
    const long x_offset_of_2_,
    const long x_stride_i0_of_2_,
    const long part_1_offset_of_2_,
    const float eps_of_2_,
    const long part_2_offset_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        layer_norm_grad_x_w_b_1__item(grad_x_, x_, dy_, w_, chunk, units, size_i0_, size_n0_, x_offset_, x_stride_i0_, dy_offset_, dy_stride_i0_, w_offset_, eps_, grad_x_offset_, grad_x_stride_i0_, item);
    } else {
        item -= items;
        layer_norm_grad_x_w_b_2__item(part_1_of_2_, part_2_of_2_, x_of_2_, chunk_of_2, units_of_2, size_i0_of_2_, size_n0_of_2_, x_offset_of_2_, x_stride_i0_of_2_, part_1_offset_of_2_, eps_of_2_, part_2_offset_of_2_, item);
    }
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part.1[i0]) * part.2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_3_blocks__item(
    __global const float *dy_,
    __global const float *x_,
    __global const float *part_1_,
    __global const float *part_2_,
    __global float *layer_norm_grad_x_w_b_3_part_1_,
    __global float *layer_norm_grad_x_w_b_3_part_2_,
    const long block_of_i0_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long part_1_offset_,
    const long part_2_offset_,
    const long layer_norm_grad_x_w_b_3_part_1_offset_,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_3_part_2_offset_,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block_,
    const long item) {
    float16 own_total;
    float16 own_total_2;
    float own_total_3;
    float own_total_4;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_i0_;
        const long count_of_part = min(block_of_i0_, size_i0_ - (unit * block_of_i0_));
        const long vectors = size_n0_ >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = vector * 16L;
            own_total = (float16)(0.0f);
            own_total_2 = (float16)(0.0f);
            const long count_2 = count_of_part;
            for (long i0_ = 0; i0_ < count_2; ++i0_) {
                const long i0_2_ = begin_of_part + i0_;
                const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + (i0_2_ * dy_stride_i0_)) + start);
                const float16 x_value_ = load_floats(x_ + (x_offset_ + (i0_2_ * x_stride_i0_)) + start);
                own_total = own_total + ((dy_value_ * (x_value_ - (float16)(part_1_[part_1_offset_ + i0_2_]))) * (float16)(part_2_[part_2_offset_ + i0_2_]));
                own_total_2 = own_total_2 + dy_value_;
            }
            const float16 total = own_total;
            const float16 total_2 = own_total_2;
            store_floats(total, layer_norm_grad_x_w_b_3_part_1_ + (layer_norm_grad_x_w_b_3_part_1_offset_ + start) + (unit * layer_norm_grad_x_w_b_3_part_1_stride_i0_block_));
            store_floats(total_2, layer_norm_grad_x_w_b_3_part_2_ + (layer_norm_grad_x_w_b_3_part_2_offset_ + start) + (unit * layer_norm_grad_x_w_b_3_part_2_stride_i0_block_));
        }
        for (long left = 0; left < (size_n0_ & 15L); ++left) {
            const long n0_ = (vectors * 16L) + left;
            own_total_3 = 0.0f;
            own_total_4 = 0.0f;
            const long count_3 = count_of_part;
            for (long i0_3_ = 0; i0_3_ < count_3; ++i0_3_) {
                const long i0_4_ = begin_of_part + i0_3_;
                const float dy_value_2_ = dy_[(dy_offset_ + (i0_4_ * dy_stride_i0_)) + n0_];
                own_total_3 = own_total_3 + ((dy_value_2_ * (x_[(x_offset_ + (i0_4_ * x_stride_i0_)) + n0_] - part_1_[part_1_offset_ + i0_4_])) * part_2_[part_2_offset_ + i0_4_]);
                own_total_4 = own_total_4 + dy_value_2_;
            }
            const float total_3 = own_total_3;
            const float total_4 = own_total_4;
            layer_norm_grad_x_w_b_3_part_1_[(layer_norm_grad_x_w_b_3_part_1_offset_ + n0_) + (unit * layer_norm_grad_x_w_b_3_part_1_stride_i0_block_)] = total_3;
            layer_norm_grad_x_w_b_3_part_2_[(layer_norm_grad_x_w_b_3_part_2_offset_ + n0_) + (unit * layer_norm_grad_x_w_b_3_part_2_stride_i0_block_)] = total_4;
        }
    }
}

// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part.1[i0]) * part.2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_3__item(
    __global const float *layer_norm_grad_x_w_b_3_part_1_,
    __global const float *layer_norm_grad_x_w_b_3_part_2_,
    __global float *grad_w_,
    __global float *grad_b_,
    const long block_of_n0_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i0_block_,
    const long layer_norm_grad_x_w_b_3_part_1_offset_,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_3_part_2_offset_,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block_,
    const long grad_w_offset_,
    const long grad_b_offset_,
    const long item) {
    float16 own_total;
    float16 own_total_2;
    float own_total_3;
    float own_total_4;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_n0_;
        const long count_of_part = min(block_of_n0_, size_n0_ - (unit * block_of_n0_));
        const long vectors = count_of_part >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = begin_of_part + (vector * 16L);
            own_total = (float16)(0.0f);
            own_total_2 = (float16)(0.0f);
            const long count_2 = size_i0_block_;
            for (long i0_block_ = 0; i0_block_ < count_2; ++i0_block_) {
                const float16 layer_norm_grad_x_w_b_3_part_1_value_ = load_floats(layer_norm_grad_x_w_b_3_part_1_ + (layer_norm_grad_x_w_b_3_part_1_offset_ + start) + (i0_block_ * layer_norm_grad_x_w_b_3_part_1_stride_i0_block_));
                const float16 layer_norm_grad_x_w_b_3_part_2_value_ = load_floats(layer_norm_grad_x_w_b_3_part_2_ + (layer_norm_grad_x_w_b_3_part_2_offset_ + start) + (i0_block_ * layer_norm_grad_x_w_b_3_part_2_stride_i0_block_));
                own_total = own_total + layer_norm_grad_x_w_b_3_part_1_value_;
                own_total_2 = own_total_2 + layer_norm_grad_x_w_b_3_part_2_value_;
            }
            const float16 total = own_total;
            const float16 total_2 = own_total_2;
            store_floats(total, grad_w_ + grad_w_offset_ + start);
            store_floats(total_2, grad_b_ + grad_b_offset_ + start);
        }
        for (long left = 0; left < (count_of_part & 15L); ++left) {
            const long n0_ = (begin_of_part + (vectors * 16L)) + left;
            own_total_3 = 0.0f;
            own_total_4 = 0.0f;
            const long count_3 = size_i0_block_;
            for (long i0_block_2_ = 0; i0_block_2_ < count_3; ++i0_block_2_) {
                own_total_3 = own_total_3 + layer_norm_grad_x_w_b_3_part_1_[(layer_norm_grad_x_w_b_3_part_1_offset_ + n0_) + (i0_block_2_ * layer_norm_grad_x_w_b_3_part_1_stride_i0_block_)];
                own_total_4 = own_total_4 + layer_norm_grad_x_w_b_3_part_2_[(layer_norm_grad_x_w_b_3_part_2_offset_ + n0_) + (i0_block_2_ * layer_norm_grad_x_w_b_3_part_2_stride_i0_block_)];
            }
            const float total_3 = own_total_3;
            const float total_4 = own_total_4;
            grad_w_[grad_w_offset_ + n0_] = total_3;
            grad_b_[grad_b_offset_ + n0_] = total_4;
        }
    }
}

__kernel void layer_norm_grad_x_w_b_3_blocks__kernel(
    __global const float *dy_,
    __global const float *x_,
    __global const float *part_1_,
    __global const float *part_2_,
    __global float *layer_norm_grad_x_w_b_3_part_1_,
    __global float *layer_norm_grad_x_w_b_3_part_2_,
    const long block_of_i0_,
    const long size_i0_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long part_1_offset_,
    const long part_2_offset_,
    const long layer_norm_grad_x_w_b_3_part_1_offset_,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_3_part_2_offset_,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block_,
    __global const float *layer_norm_grad_x_w_b_3_part_1_of_2_,
    __global const float *layer_norm_grad_x_w_b_3_part_2_of_2_,
    __global float *grad_w_of_2_,
    __global float *grad_b_of_2_,
    const long block_of_n0_of_2_,
    const long size_n0_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long size_i0_block_of_2_,
    const long layer_norm_grad_x_w_b_3_part_1_offset_of_2_,
    const long layer_norm_grad_x_w_b_3_part_1_stride_i0_block_o_eae3f8ff11ad_,
    const long layer_norm_grad_x_w_b_3_part_2_offset_of_2_,
    const long layer_norm_grad_x_w_b_3_part_2_stride_i0_block_o_b1532459569f_,
    const long grad_w_offset_of_2_,
    const long grad_b_offset_of_2_,
    const long items,
    volatile __global int *finished) {
    layer_norm_grad_x_w_b_3_blocks__item(dy_, x_, part_1_, part_2_, layer_norm_grad_x_w_b_3_part_1_, layer_norm_grad_x_w_b_3_part_2_, block_of_i0_, size_i0_, units, chunk, size_n0_, dy_offset_, dy_stride_i0_, x_offset_, x_stride_i0_, part_1_offset_, part_2_offset_, layer_norm_grad_x_w_b_3_part_1_offset_, layer_norm_grad_x_w_b_3_part_1_stride_i0_block_, layer_norm_grad_x_w_b_3_part_2_offset_, layer_norm_grad_x_w_b_3_part_2_stride_i0_block_, get_global_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&finished[0]) == items - 1) {  // the last one to finish
        finished[0] = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        layer_norm_grad_x_w_b_3__item(layer_norm_grad_x_w_b_3_part_1_of_2_, layer_norm_grad_x_w_b_3_part_2_of_2_, grad_w_of_2_, grad_b_of_2_, block_of_n0_of_2_, size_n0_of_2_, units_of_2, chunk_of_2, size_i0_block_of_2_, layer_norm_grad_x_w_b_3_part_1_offset_of_2_, layer_norm_grad_x_w_b_3_part_1_stride_i0_block_o_eae3f8ff11ad_, layer_norm_grad_x_w_b_3_part_2_offset_of_2_, layer_norm_grad_x_w_b_3_part_2_stride_i0_block_o_b1532459569f_, grad_w_offset_of_2_, grad_b_offset_of_2_, 0);
    }
}
