// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_1__item(
    __global float *y_,
    __global const float *xs0_,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0_,
    const long block_m_j0_,
    const long size_m_j0_,
    const long xs0_offset_,
    const long xs0_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long i0_ = begin % size_i0_;
    long m_j0_block_ = begin / size_i0_;
    for (long unit = begin; unit < end; ++unit) {
        const long m_j0__begin = m_j0_block_ * block_m_j0_;
        const long m_j0__end = min(m_j0__begin + block_m_j0_, size_m_j0_);
        {
            long m_j0_ = m_j0__begin;
            for (; m_j0_ + 16 <= m_j0__end; m_j0_ += 16) {
                store_floats(load_floats(xs0_ + xs0_offset_ + i0_ * xs0_stride_i0_ + m_j0_), y_ + y_offset_ + i0_ * y_stride_i0_ + m_j0_);
            }
            for (; m_j0_ < m_j0__end; ++m_j0_) {
                y_[y_offset_ + i0_ * y_stride_i0_ + m_j0_] = xs0_[xs0_offset_ + i0_ * xs0_stride_i0_ + m_j0_];
            }
        }
        if (++i0_ == size_i0_) {
            i0_ = 0;
            ++m_j0_block_;
        }
    }
}

// cat (kernels_dsl/shape.netcl)
//     y[i0, m, j0] = m < size[n0] ? xs0[i0, m, j0] : xs1[i0, m - size[n0], j0]
__attribute__((noinline)) void cat_2__item(
    __global float *y_,
    __global const float *xs1_,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0_,
    const long block_m_j0_,
    const long size_m_j0_,
    const long xs1_offset_,
    const long xs1_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long i0_ = begin % size_i0_;
    long m_j0_block_ = begin / size_i0_;
    for (long unit = begin; unit < end; ++unit) {
        const long m_j0__begin = m_j0_block_ * block_m_j0_;
        const long m_j0__end = min(m_j0__begin + block_m_j0_, size_m_j0_);
        {
            long m_j0_ = m_j0__begin;
            for (; m_j0_ + 16 <= m_j0__end; m_j0_ += 16) {
                store_floats(load_floats(xs1_ + xs1_offset_ + i0_ * xs1_stride_i0_ + m_j0_), y_ + y_offset_ + i0_ * y_stride_i0_ + m_j0_);
            }
            for (; m_j0_ < m_j0__end; ++m_j0_) {
                y_[y_offset_ + i0_ * y_stride_i0_ + m_j0_] = xs1_[xs1_offset_ + i0_ * xs1_stride_i0_ + m_j0_];
            }
        }
        if (++i0_ == size_i0_) {
            i0_ = 0;
            ++m_j0_block_;
        }
    }
}

__kernel void cat_1__kernel(
    __global float *y_,
    __global const float *xs0_,
    const long chunk,
    const long units,
    const long blocks,
    const long size_i0_,
    const long block_m_j0_,
    const long size_m_j0_,
    const long xs0_offset_,
    const long xs0_stride_i0_,
    const long y_offset_,
    const long y_stride_i0_,
    const long items,
    __global float *y_of_2_,
    __global const float *xs1_of_2_,
    const long chunk_of_2,
    const long units_of_2,
    const long blocks_of_2,
    const long size_i0_of_2_,
    const long block_m_j0_of_2_,
    const long size_m_j0_of_2_,
    const long xs1_offset_of_2_,
    const long xs1_stride_i0_of_2_,
    const long y_offset_of_2_,
    const long y_stride_i0_of_2_) {
    long item = get_global_id(0);
    if (item < items) {
        cat_1__item(y_, xs0_, chunk, units, blocks, size_i0_, block_m_j0_, size_m_j0_, xs0_offset_, xs0_stride_i0_, y_offset_, y_stride_i0_, item);
    } else {
        item -= items;
        cat_2__item(y_of_2_, xs1_of_2_, chunk_of_2, units_of_2, blocks_of_2, size_i0_of_2_, block_m_j0_of_2_, size_m_j0_of_2_, xs1_offset_of_2_, xs1_stride_i0_of_2_, y_offset_of_2_, y_stride_i0_of_2_, item);
    }
}


// grad_xs0 is a view
// grad_xs1 is a view
