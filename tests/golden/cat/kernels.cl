// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_1__item(
    __global const float *xs0_,
    __global float *y_,
    const long block_of_m_,
    const long size_i0_,
    const long size_m_,
    const long units,
    const long chunk,
    const long xs0_offset_,
    const long xs0_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_i0_;
    for (long run = 0; run < ((((begin + count) + (size_i0_ - 1L)) / size_i0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_i0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_i0_), size_i0_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_m_;
            const long count_of_part = min(block_of_m_, size_m_ - (at * block_of_m_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 xs0_value_ = load_floats(xs0_ + (xs0_offset_ + (at_2 * xs0_stride_i0_)) + start_2);
                store_floats(xs0_value_, y_ + (y_offset_ + (at_2 * y_stride_i0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long m_ = (begin_of_part + (vectors * 16L)) + left;
                y_[(y_offset_ + (at_2 * y_stride_i0_)) + m_] = xs0_[(xs0_offset_ + (at_2 * xs0_stride_i0_)) + m_];
            }
        }
    }
}

// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_2__item(
    __global const float *xs1_,
    __global float *y_,
    const long block_of_m_,
    const long size_i0_,
    const long size_m_,
    const long units,
    const long chunk,
    const long xs1_offset_,
    const long xs1_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_i0_;
    for (long run = 0; run < ((((begin + count) + (size_i0_ - 1L)) / size_i0_) - first); ++run) {
        const long at = first + run;
        const long start = max(begin - (at * size_i0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_i0_), size_i0_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_m_;
            const long count_of_part = min(block_of_m_, size_m_ - (at * block_of_m_));
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const float16 xs1_value_ = load_floats(xs1_ + (xs1_offset_ + (at_2 * xs1_stride_i0_)) + start_2);
                store_floats(xs1_value_, y_ + (y_offset_ + (at_2 * y_stride_i0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long m_ = (begin_of_part + (vectors * 16L)) + left;
                y_[(y_offset_ + (at_2 * y_stride_i0_)) + m_] = xs1_[(xs1_offset_ + (at_2 * xs1_stride_i0_)) + m_];
            }
        }
    }
}

__kernel void cat_1__kernel(
    __global const float *xs0_,
    __global float *y_,
    const long block_of_m_,
    const long size_i0_,
    const long size_m_,
    const long units,
    const long chunk,
    const long xs0_offset_,
    const long xs0_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long items,
    __global const float *xs1_of_2_,
    const long block_of_m_of_2_,
    const long size_i0_of_2_,
    const long size_m_of_2_,
    const long units_of_2,
    const long chunk_of_2,
    const long xs1_offset_of_2_,
    const long xs1_stride_i0_of_2_,
    const long y_offset_of_2_,
    const long y_stride_i0_of_2_) {
    const long items_of_last = get_global_size(0) - items;
    long item = get_global_id(0), run = 7;
    while (item < items * run / 8 + items_of_last * run / 8) --run;
    item -= items * run / 8 + items_of_last * run / 8;
    const long first_0 = items * run / 8;
    const long first_1 = items_of_last * run / 8;
    const long count_0 = items * (run + 1) / 8 - first_0;
    if (item < count_0) {
        cat_1__item(xs0_, y_, block_of_m_, size_i0_, size_m_, units, chunk, xs0_offset_, xs0_stride_i0_, y_offset_, y_stride_i0_, first_0 + item);
    } else {
        item -= count_0;
        cat_2__item(xs1_of_2_, y_, block_of_m_of_2_, size_i0_of_2_, size_m_of_2_, units_of_2, chunk_of_2, xs1_offset_of_2_, xs1_stride_i0_of_2_, y_offset_of_2_, y_stride_i0_of_2_, first_1 + item);
    }
}


// grad_xs0 is a view
// grad_xs1 is a view
