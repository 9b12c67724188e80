// add (kernels_dsl/arithmetic.netcl)
//     y[i0] = a[i0] + b[i0]
__attribute__((noinline)) void add__item(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long chunk,
    const long units,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_,
    const long item) {
    long i0_ = item * chunk;
    const long end = min(i0_ + chunk, units);
    for (; i0_ + 16 <= end; i0_ += 16) {
        store_floats(load_floats(a_ + a_offset_ + i0_) + load_floats(b_ + b_offset_ + i0_), y_ + y_offset_ + i0_);
    }
    for (; i0_ < end; ++i0_) {
        y_[y_offset_ + i0_] = a_[a_offset_ + i0_] + b_[b_offset_ + i0_];
    }
}

__kernel void add__kernel(
    __global float *y_,
    __global const float *a_,
    __global const float *b_,
    const long chunk,
    const long units,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_) {
    add__item(y_, a_, b_, chunk, units, a_offset_, b_offset_, y_offset_, get_global_id(0));
}


// grad_a is a view
// grad_b is a view
