// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_item(
    __global float *y,
    __global const float *xs0,
    __global const float *xs1,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0,
    const long size_m,
    const long block_j0,
    const long size_j0,
    const long size_n0,
    const long xs0_offset,
    const long xs0_stride_i0,
    const long xs0_stride_m,
    const long xs1_offset,
    const long xs1_stride_i0,
    const long xs1_stride_m,
    const long y_offset,
    const long y_stride_i0,
    const long y_stride_m,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long m = begin % size_m;
    long i0 = begin / size_m % size_i0;
    long j0_block = begin / size_m / size_i0;
    for (long unit = begin; unit < end; ++unit) {
        const long j0_begin = j0_block * block_j0;
        const long j0_end = min(j0_begin + block_j0, size_j0);
        const int is = m < size_n0;
        const int is_2 = !is;
        {
            long j0 = j0_begin;
            for (; j0 + 16 <= j0_end; j0 += 16) {
                const long xs0_at = xs0_offset + i0 * xs0_stride_i0 + j0 + m * xs0_stride_m;
                float16 xs0_value = 0.0f;
                if (is) xs0_value = vload16(0, xs0 + xs0_at);
                const long xs1_at = xs1_offset + i0 * xs1_stride_i0 + j0 + m * xs1_stride_m;
                float16 xs1_value = 0.0f;
                if (is_2) xs1_value = vload16(0, xs1 + xs1_at);
                vstore16(is ? xs0_value : xs1_value, 0, y + y_offset + i0 * y_stride_i0 + m * y_stride_m + j0);
            }
            for (; j0 < j0_end; ++j0) {
                const float t = is ? (is ? xs0[xs0_offset + i0 * xs0_stride_i0 + j0 + m * xs0_stride_m] : 0.0f) : (is_2 ? xs1[xs1_offset + i0 * xs1_stride_i0 + j0 + m * xs1_stride_m] : 0.0f);
                y[y_offset + i0 * y_stride_i0 + m * y_stride_m + j0] = t;
            }
        }
        if (++m == size_m) {
            m = 0;
            if (++i0 == size_i0) {
                i0 = 0;
                ++j0_block;
            }
        }
    }
}

__kernel void cat_kernel(
    __global float *y,
    __global const float *xs0,
    __global const float *xs1,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0,
    const long size_m,
    const long block_j0,
    const long size_j0,
    const long size_n0,
    const long xs0_offset,
    const long xs0_stride_i0,
    const long xs0_stride_m,
    const long xs1_offset,
    const long xs1_stride_i0,
    const long xs1_stride_m,
    const long y_offset,
    const long y_stride_i0,
    const long y_stride_m) {
    cat_item(y, xs0, xs1, chunk, units, blocks, size_i0, size_m, block_j0, size_j0, size_n0, xs0_offset, xs0_stride_i0, xs0_stride_m, xs1_offset, xs1_stride_i0, xs1_stride_m, y_offset, y_stride_i0, y_stride_m, get_global_id(0));
}


// grad_xs0 is a view
// grad_xs1 is a view
