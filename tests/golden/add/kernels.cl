// add (kernels_dsl/arithmetic.netcl)
//     y[i0] = a[i0] + b[i0]
__attribute__((noinline)) void add__item(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 a_value_ = load_floats(a_ + a_offset_ + start);
        const float16 b_value_ = load_floats(b_ + b_offset_ + start);
        store_floats(a_value_ + b_value_, y_ + y_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        y_[y_offset_ + i0_] = a_[a_offset_ + i0_] + b_[b_offset_ + i0_];
    }
}

__kernel void add__kernel(
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_) {
    add__item(a_, b_, y_, units, chunk, a_offset_, b_offset_, y_offset_, get_global_id(0));
}


// grad_a is a view
// grad_b is a view
