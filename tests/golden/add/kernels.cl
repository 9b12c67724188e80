// add (kernels_dsl/arithmetic.netcl)
//     y[i0] = a[i0] + b[i0]
__attribute__((noinline)) void add_item(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long a_offset,
    const long b_offset,
    const long y_offset,
    const long item) {
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        store_floats(load_floats(a + a_offset + i0) + load_floats(b + b_offset + i0), y + y_offset + i0);
    }
    for (; i0 < end; ++i0) {
        y[y_offset + i0] = a[a_offset + i0] + b[b_offset + i0];
    }
}

__kernel void add_kernel(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long a_offset,
    const long b_offset,
    const long y_offset) {
    add_item(y, a, b, chunk, units, a_offset, b_offset, y_offset, get_global_id(0));
}


// grad_a is a view
// grad_b is a view
