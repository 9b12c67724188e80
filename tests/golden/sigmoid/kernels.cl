// sigmoid (kernels_dsl/activation.netcl)
//     y[i0] = 1 / (1 + exp(-x[i0]))
__attribute__((noinline)) void sigmoid_item(
    __global float *y,
    __global const float *x,
    const long chunk,
    const long units,
    const long x_offset,
    const long y_offset,
    const long item) {
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        store_floats((float16)(1.0f) / ((float16)(1.0f) + exp_float16(-load_floats(x + x_offset + i0))), y + y_offset + i0);
    }
    for (; i0 < end; ++i0) {
        y[y_offset + i0] = 1.0f / (1.0f + exp_float(-x[x_offset + i0]));
    }
}

__kernel void sigmoid_kernel(
    __global float *y,
    __global const float *x,
    const long chunk,
    const long units,
    const long x_offset,
    const long y_offset) {
    sigmoid_item(y, x, chunk, units, x_offset, y_offset, get_global_id(0));
}


// sigmoid_grad (kernels_dsl/activation.netcl)
//     grad_x[i0] = dy[i0] * y[i0] * (1 - y[i0])
__attribute__((noinline)) void sigmoid_grad_item(
    __global float *grad_x,
    __global const float *dy,
    __global const float *y,
    const long chunk,
    const long units,
    const long dy_offset,
    const long y_offset,
    const long grad_x_offset,
    const long item) {
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 y_value = load_floats(y + y_offset + i0);
        store_floats((load_floats(dy + dy_offset + i0) * y_value) * ((float16)(1.0f) - y_value), grad_x + grad_x_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const float y_value_2 = y[y_offset + i0];
        grad_x[grad_x_offset + i0] = (dy[dy_offset + i0] * y_value_2) * (1.0f - y_value_2);
    }
}

__kernel void sigmoid_grad_kernel(
    __global float *grad_x,
    __global const float *dy,
    __global const float *y,
    const long chunk,
    const long units,
    const long dy_offset,
    const long y_offset,
    const long grad_x_offset) {
    sigmoid_grad_item(grad_x, dy, y, chunk, units, dy_offset, y_offset, grad_x_offset, get_global_id(0));
}
