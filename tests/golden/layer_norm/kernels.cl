// layer_norm (kernels_dsl/normalization.netcl)
//     y[i0, n0] = (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps) * w[n0] + b[n0]
__attribute__((noinline)) void layer_norm__item(
    __global const float *x_,
    __global const float *w_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const float eps_,
    const long w_offset_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    float own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    float own_total_6;
    float16 own_total_7;
    float16 own_total_8;
    float16 own_total_9;
    float16 own_total_10;
    const float value = (float)size_n0_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        own_total = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_total_3 = (float16)(0.0f);
        own_total_4 = (float16)(0.0f);
        own_total_5 = (float16)(0.0f);
        for (long step_2 = 0; step_2 < (size_n0_ >> 6); ++step_2) {
            const float16 x_value_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + (step_2 * 64L));
            own_total_2 = own_total_2 + x_value_;
            const float16 x_value_2_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 16L));
            own_total_3 = own_total_3 + x_value_2_;
            const float16 x_value_3_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 32L));
            own_total_4 = own_total_4 + x_value_3_;
            const float16 x_value_4_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 48L));
            own_total_5 = own_total_5 + x_value_4_;
        }
        own_total_2 = own_total_2 + own_total_3;
        own_total_2 = own_total_2 + own_total_4;
        own_total_2 = own_total_2 + own_total_5;
        const long rest = size_n0_ & 63L;
        const long vectors = rest >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = ((size_n0_ >> 6) * 64L) + (vector * 16L);
            const float16 x_value_5_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start);
            own_total_2 = own_total_2 + x_value_5_;
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long n0_ = (((size_n0_ >> 6) * 64L) + (vectors * 16L)) + left;
            const float x_value_6_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_];
            own_total = own_total + x_value_6_;
        }
        const float folded = fold_sum_float16(own_total_2);
        own_total = own_total + folded;
        const float total = own_total;
        const float value_2 = total / value;
        own_total_6 = 0.0f;
        own_total_7 = (float16)(0.0f);
        own_total_8 = (float16)(0.0f);
        own_total_9 = (float16)(0.0f);
        own_total_10 = (float16)(0.0f);
        for (long step_3 = 0; step_3 < (size_n0_ >> 6); ++step_3) {
            const float16 x_value_7_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + (step_3 * 64L));
            const float16 value_3 = x_value_7_ - (float16)(value_2);
            own_total_7 = own_total_7 + (value_3 * value_3);
            const float16 x_value_8_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_3 * 64L) + 16L));
            const float16 value_4 = x_value_8_ - (float16)(value_2);
            own_total_8 = own_total_8 + (value_4 * value_4);
            const float16 x_value_9_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_3 * 64L) + 32L));
            const float16 value_5 = x_value_9_ - (float16)(value_2);
            own_total_9 = own_total_9 + (value_5 * value_5);
            const float16 x_value_10_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_3 * 64L) + 48L));
            const float16 value_6 = x_value_10_ - (float16)(value_2);
            own_total_10 = own_total_10 + (value_6 * value_6);
        }
        own_total_7 = own_total_7 + own_total_8;
        own_total_7 = own_total_7 + own_total_9;
        own_total_7 = own_total_7 + own_total_10;
        const long rest_2 = size_n0_ & 63L;
        const long vectors_2 = rest_2 >> 4;
        for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
            const long start_2 = ((size_n0_ >> 6) * 64L) + (vector_2 * 16L);
            const float16 x_value_11_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start_2);
            const float16 value_7 = x_value_11_ - (float16)(value_2);
            own_total_7 = own_total_7 + (value_7 * value_7);
        }
        for (long left_2 = 0; left_2 < (rest_2 & 15L); ++left_2) {
            const long n0_2_ = (((size_n0_ >> 6) * 64L) + (vectors_2 * 16L)) + left_2;
            const float x_value_12_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_2_];
            const float value_8 = x_value_12_ - value_2;
            own_total_6 = own_total_6 + (value_8 * value_8);
        }
        const float folded_2 = fold_sum_float16(own_total_7);
        own_total_6 = own_total_6 + folded_2;
        const float total_2 = own_total_6;
        const float value_9 = 1.0f / sqrt((total_2 / value) + eps_);
        const long vectors_3 = size_n0_ >> 4;
        for (long vector_3 = 0; vector_3 < vectors_3; ++vector_3) {
            const long start_3 = vector_3 * 16L;
            const float16 x_value_13_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start_3);
            const float16 value_10 = x_value_13_ - (float16)(value_2);
            const float16 w_value_ = load_floats(w_ + w_offset_ + start_3);
            const float16 b_value_ = load_floats(b_ + b_offset_ + start_3);
            store_floats(((value_10 * (float16)(value_9)) * w_value_) + b_value_, y_ + (y_offset_ + (unit * y_stride_i0_)) + start_3);
        }
        for (long left_3 = 0; left_3 < (size_n0_ & 15L); ++left_3) {
            const long n0_3_ = (vectors_3 * 16L) + left_3;
            const float x_value_14_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_3_];
            const float value_11 = x_value_14_ - value_2;
            y_[(y_offset_ + (unit * y_stride_i0_)) + n0_3_] = ((value_11 * value_9) * w_[w_offset_ + n0_3_]) + b_[b_offset_ + n0_3_];
        }
    }
}

__kernel void layer_norm__kernel(
    __global const float *x_,
    __global const float *w_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const float eps_,
    const long w_offset_,
    const long b_offset_,
    const long y_offset_,
    const long y_stride_i0_) {
    layer_norm__item(x_, w_, b_, y_, units, chunk, size_n0_, x_offset_, x_stride_i0_, eps_, w_offset_, b_offset_, y_offset_, y_stride_i0_, get_global_id(0));
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_x[i0, n0] = a function of dy, w, x with sum[n0]
//     part.1[i0] = sum[n0](x[i0, n0]) / float32(size[n0])
//     part.2[i0] = rsqrt(sum[n0]((x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0])) * (x[i0, n0] - sum[n0](x[i0, n0]) / float32(size[n0]))) / float32(size[n0])
//         + eps)
__attribute__((noinline)) void layer_norm_grad_x_w_b_1__item(
    __global const float *x_,
    __global const float *dy_,
    __global const float *w_,
    __global float *part_1_,
    __global float *part_2_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long w_offset_,
    const float eps_,
    const long part_1_offset_,
    const long part_2_offset_,
    const long grad_x_offset_,
    const long grad_x_stride_i0_,
    const long item) {
    float own_total;
    float16 own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    float16 own_total_5;
    float own_total_6;
    float own_total_7;
    float own_total_8;
    float16 own_total_9;
    float16 own_total_10;
    float16 own_total_11;
    const float value = (float)size_n0_;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        own_total = 0.0f;
        own_total_2 = (float16)(0.0f);
        own_total_3 = (float16)(0.0f);
        own_total_4 = (float16)(0.0f);
        own_total_5 = (float16)(0.0f);
        for (long step_2 = 0; step_2 < (size_n0_ >> 6); ++step_2) {
            const float16 x_value_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + (step_2 * 64L));
            own_total_2 = own_total_2 + x_value_;
            const float16 x_value_2_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 16L));
            own_total_3 = own_total_3 + x_value_2_;
            const float16 x_value_3_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 32L));
            own_total_4 = own_total_4 + x_value_3_;
            const float16 x_value_4_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + ((step_2 * 64L) + 48L));
            own_total_5 = own_total_5 + x_value_4_;
        }
        own_total_2 = own_total_2 + own_total_3;
        own_total_2 = own_total_2 + own_total_4;
        own_total_2 = own_total_2 + own_total_5;
        const long rest = size_n0_ & 63L;
        const long vectors = rest >> 4;
        for (long vector = 0; vector < vectors; ++vector) {
            const long start = ((size_n0_ >> 6) * 64L) + (vector * 16L);
            const float16 x_value_5_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start);
            own_total_2 = own_total_2 + x_value_5_;
        }
        for (long left = 0; left < (rest & 15L); ++left) {
            const long n0_ = (((size_n0_ >> 6) * 64L) + (vectors * 16L)) + left;
            const float x_value_6_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_];
            own_total = own_total + x_value_6_;
        }
        const float folded = fold_sum_float16(own_total_2);
        own_total = own_total + folded;
        const float total = own_total;
        const float value_2 = total / value;
        own_total_6 = 0.0f;
        own_total_7 = 0.0f;
        own_total_8 = 0.0f;
        own_total_9 = (float16)(0.0f);
        own_total_10 = (float16)(0.0f);
        own_total_11 = (float16)(0.0f);
        const long vectors_2 = size_n0_ >> 4;
        for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
            const long start_2 = vector_2 * 16L;
            const float16 x_value_7_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start_2);
            const float16 value_3 = x_value_7_ - (float16)(value_2);
            const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + (unit * dy_stride_i0_)) + start_2);
            const float16 w_value_ = load_floats(w_ + w_offset_ + start_2);
            const float16 value_4 = dy_value_ * w_value_;
            own_total_9 = own_total_9 + (value_3 * value_3);
            own_total_10 = own_total_10 + value_4;
            own_total_11 = own_total_11 + (value_4 * value_3);
        }
        for (long left_2 = 0; left_2 < (size_n0_ & 15L); ++left_2) {
            const long n0_2_ = (vectors_2 * 16L) + left_2;
            const float x_value_8_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_2_];
            const float value_5 = x_value_8_ - value_2;
            const float value_6 = dy_[(dy_offset_ + (unit * dy_stride_i0_)) + n0_2_] * w_[w_offset_ + n0_2_];
            own_total_6 = own_total_6 + (value_5 * value_5);
            own_total_7 = own_total_7 + value_6;
            own_total_8 = own_total_8 + (value_6 * value_5);
        }
        const float folded_2 = fold_sum_float16(own_total_9);
        own_total_6 = own_total_6 + folded_2;
        const float folded_3 = fold_sum_float16(own_total_10);
        own_total_7 = own_total_7 + folded_3;
        const float folded_4 = fold_sum_float16(own_total_11);
        own_total_8 = own_total_8 + folded_4;
        const float total_2 = own_total_6;
        const float total_3 = own_total_7;
        const float total_4 = own_total_8;
        const float value_7 = 1.0f / sqrt((total_2 / value) + eps_);
        part_1_[part_1_offset_ + unit] = value_2;
        part_2_[part_2_offset_ + unit] = value_7;
        const float value_8 = total_3 / value;
        const float value_9 = (value_7 * total_4) / value;
        const long vectors_3 = size_n0_ >> 4;
        for (long vector_3 = 0; vector_3 < vectors_3; ++vector_3) {
            const long start_3 = vector_3 * 16L;
            const float16 dy_value_2_ = load_floats(dy_ + (dy_offset_ + (unit * dy_stride_i0_)) + start_3);
            const float16 w_value_2_ = load_floats(w_ + w_offset_ + start_3);
            const float16 value_10 = dy_value_2_ * w_value_2_;
            const float16 x_value_9_ = load_floats(x_ + (x_offset_ + (unit * x_stride_i0_)) + start_3);
            const float16 value_11 = x_value_9_ - (float16)(value_2);
            store_floats((float16)(value_7) * ((value_10 - (float16)(value_8)) - ((value_11 * (float16)(value_7)) * (float16)(value_9))), grad_x_ + (grad_x_offset_ + (unit * grad_x_stride_i0_)) + start_3);
        }
        for (long left_3 = 0; left_3 < (size_n0_ & 15L); ++left_3) {
            const long n0_3_ = (vectors_3 * 16L) + left_3;
            const float value_12 = dy_[(dy_offset_ + (unit * dy_stride_i0_)) + n0_3_] * w_[w_offset_ + n0_3_];
            const float x_value_10_ = x_[(x_offset_ + (unit * x_stride_i0_)) + n0_3_];
            const float value_13 = x_value_10_ - value_2;
            grad_x_[(grad_x_offset_ + (unit * grad_x_stride_i0_)) + n0_3_] = value_7 * ((value_12 - value_8) - ((value_13 * value_7) * value_9));
        }
    }
}

__kernel void layer_norm_grad_x_w_b_1__kernel(
    __global const float *x_,
    __global const float *dy_,
    __global const float *w_,
    __global float *part_1_,
    __global float *part_2_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long size_n0_,
    const long x_offset_,
    const long x_stride_i0_,
    const long dy_offset_,
    const long dy_stride_i0_,
    const long w_offset_,
    const float eps_,
    const long part_1_offset_,
    const long part_2_offset_,
    const long grad_x_offset_,
    const long grad_x_stride_i0_) {
    layer_norm_grad_x_w_b_1__item(x_, dy_, w_, part_1_, part_2_, grad_x_, units, chunk, size_n0_, x_offset_, x_stride_i0_, dy_offset_, dy_stride_i0_, w_offset_, eps_, part_1_offset_, part_2_offset_, grad_x_offset_, grad_x_stride_i0_, get_global_id(0));
}


// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part.1[i0]) * part.2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_2_blocks__item(
    __global const float *dy_,
    __global const float *x_,
    __global const float *part_1_,
    __global const float *part_2_,
    __global float *layer_norm_grad_x_w_b_2_part_1_,
    __global float *layer_norm_grad_x_w_b_2_part_2_,
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
    const long layer_norm_grad_x_w_b_2_part_1_offset_,
    const long layer_norm_grad_x_w_b_2_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_2_part_2_offset_,
    const long layer_norm_grad_x_w_b_2_part_2_stride_i0_block_,
    const long item) {
    float own_total;
    float own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_i0_;
        const long count_of_part = min(block_of_i0_, size_i0_ - (unit * block_of_i0_));
        if (size_n0_ < 16L) {
            for (long left = 0; left < size_n0_; ++left) {
                const long n0_ = left;
                own_total = 0.0f;
                own_total_2 = 0.0f;
                const long count_2 = count_of_part;
                for (long i0_ = 0; i0_ < count_2; ++i0_) {
                    const long i0_2_ = begin_of_part + i0_;
                    const float dy_value_ = dy_[(dy_offset_ + (i0_2_ * dy_stride_i0_)) + n0_];
                    own_total = own_total + ((dy_value_ * (x_[(x_offset_ + (i0_2_ * x_stride_i0_)) + n0_] - part_1_[part_1_offset_ + i0_2_])) * part_2_[part_2_offset_ + i0_2_]);
                    own_total_2 = own_total_2 + dy_value_;
                }
                const float total = own_total;
                const float total_2 = own_total_2;
                layer_norm_grad_x_w_b_2_part_1_[(layer_norm_grad_x_w_b_2_part_1_offset_ + n0_) + (unit * layer_norm_grad_x_w_b_2_part_1_stride_i0_block_)] = total;
                layer_norm_grad_x_w_b_2_part_2_[(layer_norm_grad_x_w_b_2_part_2_offset_ + n0_) + (unit * layer_norm_grad_x_w_b_2_part_2_stride_i0_block_)] = total_2;
            }
        }
        if (!(size_n0_ < 16L)) {
            for (long vector = 0; vector < ((size_n0_ + 15L) >> 4); ++vector) {
                const long start = min(vector * 16L, size_n0_ - 16L);
                own_total_3 = (float16)(0.0f);
                own_total_4 = (float16)(0.0f);
                const long count_3 = count_of_part;
                for (long i0_3_ = 0; i0_3_ < count_3; ++i0_3_) {
                    const long i0_4_ = begin_of_part + i0_3_;
                    const float16 dy_value_2_ = load_floats(dy_ + (dy_offset_ + (i0_4_ * dy_stride_i0_)) + start);
                    const float16 x_value_ = load_floats(x_ + (x_offset_ + (i0_4_ * x_stride_i0_)) + start);
                    own_total_3 = own_total_3 + ((dy_value_2_ * (x_value_ - (float16)(part_1_[part_1_offset_ + i0_4_]))) * (float16)(part_2_[part_2_offset_ + i0_4_]));
                    own_total_4 = own_total_4 + dy_value_2_;
                }
                const float16 total_3 = own_total_3;
                const float16 total_4 = own_total_4;
                store_floats(total_3, layer_norm_grad_x_w_b_2_part_1_ + (layer_norm_grad_x_w_b_2_part_1_offset_ + start) + (unit * layer_norm_grad_x_w_b_2_part_1_stride_i0_block_));
                store_floats(total_4, layer_norm_grad_x_w_b_2_part_2_ + (layer_norm_grad_x_w_b_2_part_2_offset_ + start) + (unit * layer_norm_grad_x_w_b_2_part_2_stride_i0_block_));
            }
        }
    }
}

// layer_norm_grad_x_w_b (kernels_dsl/normalization.netcl)
//     grad_w[n0] = sum[i0](dy[i0, n0] * (x[i0, n0] - part.1[i0]) * part.2[i0])
//     grad_b[n0] = sum[i0](dy[i0, n0])
__attribute__((noinline)) void layer_norm_grad_x_w_b_2__item(
    __global const float *layer_norm_grad_x_w_b_2_part_1_,
    __global const float *layer_norm_grad_x_w_b_2_part_2_,
    __global float *grad_w_,
    __global float *grad_b_,
    const long block_of_n0_,
    const long size_n0_,
    const long units,
    const long chunk,
    const long size_i0_block_,
    const long layer_norm_grad_x_w_b_2_part_1_offset_,
    const long layer_norm_grad_x_w_b_2_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_2_part_2_offset_,
    const long layer_norm_grad_x_w_b_2_part_2_stride_i0_block_,
    const long grad_w_offset_,
    const long grad_b_offset_,
    const long item) {
    float own_total;
    float own_total_2;
    float16 own_total_3;
    float16 own_total_4;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long begin_of_part = unit * block_of_n0_;
        const long count_of_part = min(block_of_n0_, size_n0_ - (unit * block_of_n0_));
        if (count_of_part < 16L) {
            for (long left = 0; left < count_of_part; ++left) {
                const long n0_ = begin_of_part + left;
                own_total = 0.0f;
                own_total_2 = 0.0f;
                const long count_2 = size_i0_block_;
                for (long i0_block_ = 0; i0_block_ < count_2; ++i0_block_) {
                    own_total = own_total + layer_norm_grad_x_w_b_2_part_1_[(layer_norm_grad_x_w_b_2_part_1_offset_ + n0_) + (i0_block_ * layer_norm_grad_x_w_b_2_part_1_stride_i0_block_)];
                    own_total_2 = own_total_2 + layer_norm_grad_x_w_b_2_part_2_[(layer_norm_grad_x_w_b_2_part_2_offset_ + n0_) + (i0_block_ * layer_norm_grad_x_w_b_2_part_2_stride_i0_block_)];
                }
                const float total = own_total;
                const float total_2 = own_total_2;
                grad_w_[grad_w_offset_ + n0_] = total;
                grad_b_[grad_b_offset_ + n0_] = total_2;
            }
        }
        if (!(count_of_part < 16L)) {
            for (long vector = 0; vector < ((((begin_of_part + count_of_part) - begin_of_part) + 15L) >> 4); ++vector) {
                const long start = min(begin_of_part + (vector * 16L), (begin_of_part + count_of_part) - 16L);
                own_total_3 = (float16)(0.0f);
                own_total_4 = (float16)(0.0f);
                const long count_3 = size_i0_block_;
                for (long i0_block_2_ = 0; i0_block_2_ < count_3; ++i0_block_2_) {
                    const float16 layer_norm_grad_x_w_b_2_part_1_value_ = load_floats(layer_norm_grad_x_w_b_2_part_1_ + (layer_norm_grad_x_w_b_2_part_1_offset_ + start) + (i0_block_2_ * layer_norm_grad_x_w_b_2_part_1_stride_i0_block_));
                    const float16 layer_norm_grad_x_w_b_2_part_2_value_ = load_floats(layer_norm_grad_x_w_b_2_part_2_ + (layer_norm_grad_x_w_b_2_part_2_offset_ + start) + (i0_block_2_ * layer_norm_grad_x_w_b_2_part_2_stride_i0_block_));
                    own_total_3 = own_total_3 + layer_norm_grad_x_w_b_2_part_1_value_;
                    own_total_4 = own_total_4 + layer_norm_grad_x_w_b_2_part_2_value_;
                }
                const float16 total_3 = own_total_3;
                const float16 total_4 = own_total_4;
                store_floats(total_3, grad_w_ + grad_w_offset_ + start);
                store_floats(total_4, grad_b_ + grad_b_offset_ + start);
            }
        }
    }
}

__kernel void layer_norm_grad_x_w_b_2_blocks__kernel(
    __global const float *dy_,
    __global const float *x_,
    __global const float *part_1_,
    __global const float *part_2_,
    __global float *layer_norm_grad_x_w_b_2_part_1_,
    __global float *layer_norm_grad_x_w_b_2_part_2_,
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
    const long layer_norm_grad_x_w_b_2_part_1_offset_,
    const long layer_norm_grad_x_w_b_2_part_1_stride_i0_block_,
    const long layer_norm_grad_x_w_b_2_part_2_offset_,
    const long layer_norm_grad_x_w_b_2_part_2_stride_i0_block_,
    __global const float *layer_norm_grad_x_w_b_2_part_1_of_2_,
    __global const float *layer_norm_grad_x_w_b_2_part_2_of_2_,
    __global float *grad_w_of_2_,
    __global float *grad_b_of_2_,
    const long block_of_n0_of_2_,
    const long size_n0_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long size_i0_block_of_2_,
    const long layer_norm_grad_x_w_b_2_part_1_stride_i0_block_o_1910547ba532_,
    const long layer_norm_grad_x_w_b_2_part_2_stride_i0_block_o_e20d4fa707ec_,
    const long grad_w_offset_of_2_,
    const long grad_b_offset_of_2_,
    const long items,
    volatile __global int *finished) {
    layer_norm_grad_x_w_b_2_blocks__item(dy_, x_, part_1_, part_2_, layer_norm_grad_x_w_b_2_part_1_, layer_norm_grad_x_w_b_2_part_2_, block_of_i0_, size_i0_, units, chunk, size_n0_, dy_offset_, dy_stride_i0_, x_offset_, x_stride_i0_, part_1_offset_, part_2_offset_, layer_norm_grad_x_w_b_2_part_1_offset_, layer_norm_grad_x_w_b_2_part_1_stride_i0_block_, layer_norm_grad_x_w_b_2_part_2_offset_, layer_norm_grad_x_w_b_2_part_2_stride_i0_block_, get_global_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(&finished[0]) == items - 1) {  // the last one to finish
        finished[0] = 0;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        layer_norm_grad_x_w_b_2__item(layer_norm_grad_x_w_b_2_part_1_of_2_, layer_norm_grad_x_w_b_2_part_2_of_2_, grad_w_of_2_, grad_b_of_2_, block_of_n0_of_2_, size_n0_of_2_, units_of_2, chunk_of_2, size_i0_block_of_2_, layer_norm_grad_x_w_b_2_part_1_offset_, layer_norm_grad_x_w_b_2_part_1_stride_i0_block_o_1910547ba532_, layer_norm_grad_x_w_b_2_part_2_offset_, layer_norm_grad_x_w_b_2_part_2_stride_i0_block_o_e20d4fa707ec_, grad_w_offset_of_2_, grad_b_offset_of_2_, 0);
    }
}
