// where (kernels_dsl/arithmetic.netcl)
//     y[i0] = c[i0] ? a[i0] : b[i0]
__attribute__((noinline)) void where__item(
    __global const uchar *c_,
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long c_offset_,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const int16 c_value_ = convert_int16(load_uchars(c_ + c_offset_ + start) != (uchar)0);
        const float16 a_value_ = load_floats(a_ + a_offset_ + start);
        const float16 b_value_ = load_floats(b_ + b_offset_ + start);
        store_floats(c_value_ ? a_value_ : b_value_, y_ + y_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        y_[y_offset_ + i0_] = (c_[c_offset_ + i0_] != 0) ? a_[a_offset_ + i0_] : b_[b_offset_ + i0_];
    }
}

__kernel void where__kernel(
    __global const uchar *c_,
    __global const float *a_,
    __global const float *b_,
    __global float *y_,
    const long units,
    const long chunk,
    const long c_offset_,
    const long a_offset_,
    const long b_offset_,
    const long y_offset_) {
    where__item(c_, a_, b_, y_, units, chunk, c_offset_, a_offset_, b_offset_, y_offset_, get_global_id(0));
}


// where_grad_a_b (kernels_dsl/arithmetic.netcl)
//     grad_a[i0] = c[i0] ? dy[i0] : 0
//     grad_b[i0] = c[i0] ? 0 : dy[i0]
__attribute__((noinline)) void where_grad_a_b__item(
    __global const uchar *c_,
    __global const float *dy_,
    __global float *grad_a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long c_offset_,
    const long dy_offset_,
    const long grad_a_offset_,
    const long grad_b_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const int16 c_value_ = convert_int16(load_uchars(c_ + c_offset_ + start) != (uchar)0);
        const float16 dy_value_ = load_floats(dy_ + dy_offset_ + start);
        const float16 value = c_value_ ? dy_value_ : (float16)(0.0f);
        const float16 value_2 = c_value_ ? (float16)(0.0f) : dy_value_;
        store_floats(value, grad_a_ + grad_a_offset_ + start);
        store_floats(value_2, grad_b_ + grad_b_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        const int c_value_2_ = c_[c_offset_ + i0_] != 0;
        const float dy_value_2_ = dy_[dy_offset_ + i0_];
        const float value_3 = c_value_2_ ? dy_value_2_ : 0.0f;
        const float value_4 = c_value_2_ ? 0.0f : dy_value_2_;
        grad_a_[grad_a_offset_ + i0_] = value_3;
        grad_b_[grad_b_offset_ + i0_] = value_4;
    }
}

__kernel void where_grad_a_b__kernel(
    __global const uchar *c_,
    __global const float *dy_,
    __global float *grad_a_,
    __global float *grad_b_,
    const long units,
    const long chunk,
    const long c_offset_,
    const long dy_offset_,
    const long grad_a_offset_,
    const long grad_b_offset_) {
    where_grad_a_b__item(c_, dy_, grad_a_, grad_b_, units, chunk, c_offset_, dy_offset_, grad_a_offset_, grad_b_offset_, get_global_id(0));
}
