// sigmoid (kernels_dsl/activation.netcl)
//     y[i0] = 1 / (1 + exp(-x[i0]))
__attribute__((noinline)) void sigmoid__item(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long x_offset_,
    const long y_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 x_value_ = load_floats(x_ + x_offset_ + start);
        store_floats((float16)(1.0f) / ((float16)(1.0f) + exp_float16(-x_value_)), y_ + y_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        y_[y_offset_ + i0_] = 1.0f / (1.0f + exp_float(-x_[x_offset_ + i0_]));
    }
}

__kernel void sigmoid__kernel(
    __global const float *x_,
    __global float *y_,
    const long units,
    const long chunk,
    const long x_offset_,
    const long y_offset_) {
    sigmoid__item(x_, y_, units, chunk, x_offset_, y_offset_, get_global_id(0));
}


// sigmoid_grad (kernels_dsl/activation.netcl)
//     grad_x[i0] = dy[i0] * y[i0] * (1 - y[i0])
__attribute__((noinline)) void sigmoid_grad__item(
    __global const float *dy_,
    __global const float *y_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long y_offset_,
    const long grad_x_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 dy_value_ = load_floats(dy_ + dy_offset_ + start);
        const float16 y_value_ = load_floats(y_ + y_offset_ + start);
        store_floats((dy_value_ * y_value_) * ((float16)(1.0f) - y_value_), grad_x_ + grad_x_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        const float y_value_2_ = y_[y_offset_ + i0_];
        grad_x_[grad_x_offset_ + i0_] = (dy_[dy_offset_ + i0_] * y_value_2_) * (1.0f - y_value_2_);
    }
}

__kernel void sigmoid_grad__kernel(
    __global const float *dy_,
    __global const float *y_,
    __global float *grad_x_,
    const long units,
    const long chunk,
    const long dy_offset_,
    const long y_offset_,
    const long grad_x_offset_) {
    sigmoid_grad__item(dy_, y_, grad_x_, units, chunk, dy_offset_, y_offset_, grad_x_offset_, get_global_id(0));
}
