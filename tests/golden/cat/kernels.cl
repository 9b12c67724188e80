// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_1_item(
    __global float *y,
    __global const float *xs0,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0,
    const long block_m_j0,
    const long size_m_j0,
    const long xs0_offset,
    const long xs0_stride_i0,
    const long y_offset,
    const long y_stride_i0,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long i0 = begin % size_i0;
    long m_j0_block = begin / size_i0;
    for (long unit = begin; unit < end; ++unit) {
        const long m_j0_begin = m_j0_block * block_m_j0;
        const long m_j0_end = min(m_j0_begin + block_m_j0, size_m_j0);
        {
            long m_j0 = m_j0_begin;
            for (; m_j0 + 16 <= m_j0_end; m_j0 += 16) {
                store_floats(load_floats(xs0 + xs0_offset + i0 * xs0_stride_i0 + m_j0), y + y_offset + i0 * y_stride_i0 + m_j0);
            }
            for (; m_j0 < m_j0_end; ++m_j0) {
                y[y_offset + i0 * y_stride_i0 + m_j0] = xs0[xs0_offset + i0 * xs0_stride_i0 + m_j0];
            }
        }
        if (++i0 == size_i0) {
            i0 = 0;
            ++m_j0_block;
        }
    }
}

// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_2_item(
    __global float *y,
    __global const float *xs1,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0,
    const long block_m_j0,
    const long size_m_j0,
    const long xs1_offset,
    const long xs1_stride_i0,
    const long y_offset,
    const long y_stride_i0,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long i0 = begin % size_i0;
    long m_j0_block = begin / size_i0;
    for (long unit = begin; unit < end; ++unit) {
        const long m_j0_begin = m_j0_block * block_m_j0;
        const long m_j0_end = min(m_j0_begin + block_m_j0, size_m_j0);
        {
            long m_j0 = m_j0_begin;
            for (; m_j0 + 16 <= m_j0_end; m_j0 += 16) {
                store_floats(load_floats(xs1 + xs1_offset + i0 * xs1_stride_i0 + m_j0), y + y_offset + i0 * y_stride_i0 + m_j0);
            }
            for (; m_j0 < m_j0_end; ++m_j0) {
                y[y_offset + i0 * y_stride_i0 + m_j0] = xs1[xs1_offset + i0 * xs1_stride_i0 + m_j0];
            }
        }
        if (++i0 == size_i0) {
            i0 = 0;
            ++m_j0_block;
        }
    }
}

__kernel void cat_1_kernel(
    __global float *y,
    __global const float *xs0,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0,
    const long block_m_j0,
    const long size_m_j0,
    const long xs0_offset,
    const long xs0_stride_i0,
    const long y_offset,
    const long y_stride_i0,
    const long items,
    __global float *y_of_2,
    __global const float *xs1_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long blocks_of_2,
    const long size_i0_of_2,
    const long block_m_j0_of_2,
    const long size_m_j0_of_2,
    const long xs1_offset_of_2,
    const long xs1_stride_i0_of_2,
    const long y_offset_of_2,
    const long y_stride_i0_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        cat_1_item(y, xs0, chunk, units, blocks, size_i0, block_m_j0, size_m_j0, xs0_offset, xs0_stride_i0, y_offset, y_stride_i0, item);
    } else {
        item -= items;
        cat_2_item(y_of_2, xs1_of_2, chunk_of_2, units_of_2, blocks_of_2, size_i0_of_2, block_m_j0_of_2, size_m_j0_of_2, xs1_offset_of_2, xs1_stride_i0_of_2, y_offset_of_2, y_stride_i0_of_2, item);
    }
}


// grad_xs0 is a view
// grad_xs1 is a view
