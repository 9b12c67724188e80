// sigmoid (kernels_dsl/activation.netcl)
//     y[i0] = 1 / (1 + exp(-x[i0]))
__attribute__((noinline)) void sigmoid__item(
    __global float *y_,
    __global const float *x_,
    const long chunk,
    const long units,
    const long x_offset_,
    const long y_offset_,
    const long item) {
    long i0_ = item * chunk;
    const long end = min(i0_ + chunk, units);
    for (; i0_ + 16 <= end; i0_ += 16) {
        store_floats((float16)(1.0f) / ((float16)(1.0f) + exp_float16(-load_floats(x_ + x_offset_ + i0_))), y_ + y_offset_ + i0_);
    }
    for (; i0_ < end; ++i0_) {
        y_[y_offset_ + i0_] = 1.0f / (1.0f + exp_float(-x_[x_offset_ + i0_]));
    }
}

__kernel void sigmoid__kernel(
    __global float *y_,
    __global const float *x_,
    const long chunk,
    const long units,
    const long x_offset_,
    const long y_offset_) {
    sigmoid__item(y_, x_, chunk, units, x_offset_, y_offset_, get_global_id(0));
}


// sigmoid_grad (kernels_dsl/activation.netcl)
//     grad_x[i0] = dy[i0] * y[i0] * (1 - y[i0])
__attribute__((noinline)) void sigmoid_grad__item(
    __global float *grad_x_,
    __global const float *dy_,
    __global const float *y_,
    const long chunk,
    const long units,
    const long dy_offset_,
    const long y_offset_,
    const long grad_x_offset_,
    const long item) {
    long i0_ = item * chunk;
    const long end = min(i0_ + chunk, units);
    for (; i0_ + 16 <= end; i0_ += 16) {
        const float16 y_value_ = load_floats(y_ + y_offset_ + i0_);
        store_floats((load_floats(dy_ + dy_offset_ + i0_) * y_value_) * ((float16)(1.0f) - y_value_), grad_x_ + grad_x_offset_ + i0_);
    }
    for (; i0_ < end; ++i0_) {
        const float y_value_2_ = y_[y_offset_ + i0_];
        grad_x_[grad_x_offset_ + i0_] = (dy_[dy_offset_ + i0_] * y_value_2_) * (1.0f - y_value_2_);
    }
}

__kernel void sigmoid_grad__kernel(
    __global float *grad_x_,
    __global const float *dy_,
    __global const float *y_,
    const long chunk,
    const long units,
    const long dy_offset_,
    const long y_offset_,
    const long grad_x_offset_) {
    sigmoid_grad__item(grad_x_, dy_, y_, chunk, units, dy_offset_, y_offset_, grad_x_offset_, get_global_id(0));
}
