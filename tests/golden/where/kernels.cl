// where (kernels_dsl/arithmetic.netcl)
//     y[i0] = c[i0] ? a[i0] : b[i0]
__attribute__((noinline)) void where_item(
    __global float *y,
    __global const uchar *c,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long c_offset,
    const long a_offset,
    const long b_offset,
    const long y_offset,
    const long item) {
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 t = convert_int16(load_uchars(c + c_offset + i0) != (uchar)0) ? load_floats(a + a_offset + i0) : load_floats(b + b_offset + i0);
        store_floats(t, y + y_offset + i0);
    }
    for (; i0 < end; ++i0) {
        y[y_offset + i0] = (c[c_offset + i0] != 0) ? a[a_offset + i0] : b[b_offset + i0];
    }
}

__kernel void where_kernel(
    __global float *y,
    __global const uchar *c,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long c_offset,
    const long a_offset,
    const long b_offset,
    const long y_offset) {
    where_item(y, c, a, b, chunk, units, c_offset, a_offset, b_offset, y_offset, get_global_id(0));
}


// where_grad_a_b (kernels_dsl/arithmetic.netcl)
//     grad_a[i0] = c[i0] ? dy[i0] : 0
//     grad_b[i0] = c[i0] ? 0 : dy[i0]
__attribute__((noinline)) void where_grad_a_b_item(
    __global float *grad_a,
    __global float *grad_b,
    __global const uchar *c,
    __global const float *dy,
    const long chunk,
    const long units,
    const long c_offset,
    const long dy_offset,
    const long grad_a_offset,
    const long grad_b_offset,
    const long item) {
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const int16 c_value = convert_int16(load_uchars(c + c_offset + i0) != (uchar)0);
        const float16 dy_value = load_floats(dy + dy_offset + i0);
        store_floats(c_value ? dy_value : (float16)(0.0f), grad_a + grad_a_offset + i0);
        store_floats(c_value ? (float16)(0.0f) : dy_value, grad_b + grad_b_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const int c_value_2 = c[c_offset + i0] != 0;
        const float dy_value_2 = dy[dy_offset + i0];
        grad_a[grad_a_offset + i0] = c_value_2 ? dy_value_2 : 0.0f;
        grad_b[grad_b_offset + i0] = c_value_2 ? 0.0f : dy_value_2;
    }
}

__kernel void where_grad_a_b_kernel(
    __global float *grad_a,
    __global float *grad_b,
    __global const uchar *c,
    __global const float *dy,
    const long chunk,
    const long units,
    const long c_offset,
    const long dy_offset,
    const long grad_a_offset,
    const long grad_b_offset) {
    where_grad_a_b_item(grad_a, grad_b, c, dy, chunk, units, c_offset, dy_offset, grad_a_offset, grad_b_offset, get_global_id(0));
}
