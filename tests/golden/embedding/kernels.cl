// embedding (kernels_dsl/indexing.netcl)
//     y[n0, d] = table[index[n0], d]
__attribute__((noinline)) void embedding__item(
    __global const long *index_,
    __global const float *table_,
    __global float *y_,
    const long block_of_d_,
    const long size_n0_,
    const long size_d_,
    const long units,
    const long chunk,
    const long index_offset_,
    const long table_offset_,
    const long table_stride_at0_,
    const long size_v_,
    const long y_offset_,
    const long y_stride_n0_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long first = begin / size_n0_;
    for (long run = 0; run < ((((begin + count) + (size_n0_ - 1L)) / size_n0_) - first); ++run) {
        const long row = first + run;
        const long start = max(begin - (row * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (row * size_n0_), size_n0_) - start); ++step) {
            const long at = start + step;
            const long begin_of_part = row * block_of_d_;
            const long count_of_part = min(block_of_d_, size_d_ - (row * block_of_d_));
            const long index_value_ = index_[index_offset_ + at];
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const int inside = (index_value_ >= 0L) && (index_value_ < size_v_);
                const long at_2 = as_long(as_ulong(table_offset_ + start_2) + (as_ulong(index_value_) * as_ulong(table_stride_at0_)));
                float16 value = NAN;
                if (inside) value = load_floats(table_ + at_2);
                store_floats(value, y_ + (y_offset_ + (at * y_stride_n0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long d_ = (begin_of_part + (vectors * 16L)) + left;
                y_[(y_offset_ + (at * y_stride_n0_)) + d_] = ((index_value_ >= 0L) & (index_value_ < size_v_)) ? table_[as_long(as_ulong(table_offset_ + d_) + (as_ulong(index_value_) * as_ulong(table_stride_at0_)))] : NAN;
            }
        }
    }
}

__kernel void embedding__kernel(
    __global const long *index_,
    __global const float *table_,
    __global float *y_,
    const long block_of_d_,
    const long size_n0_,
    const long size_d_,
    const long units,
    const long chunk,
    const long index_offset_,
    const long table_offset_,
    const long table_stride_at0_,
    const long size_v_,
    const long y_offset_,
    const long y_stride_n0_) {
    embedding__item(index_, table_, y_, block_of_d_, size_n0_, size_d_, units, chunk, index_offset_, table_offset_, table_stride_at0_, size_v_, y_offset_, y_stride_n0_, get_global_id(0));
}


// embedding_grad_table (kernels_dsl/indexing.netcl)
//     grad_table[v, d] = sum[n0](index[n0] == v ? (index[n0] == padding_idx ? 0 : dy[n0, d]) : 0)
__attribute__((noinline)) void embedding_grad_table__item(
    __global float *grad_table_,
    __global const long *index_,
    __global const float *dy_,
    const long size_v_,
    const long size_d_,
    const long grad_table_offset_,
    const long grad_table_stride_v_,
    const long index_offset_,
    const long size_n0_,
    const long padding_idx_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long first_row = unit % row_blocks * rows_per_block, end_row = min(first_row + rows_per_block, size_v_);
        const long begin_value = 0, end_value = size_n0_;
        for (long v_ = first_row; v_ < end_row; ++v_) {
            {
                long d_ = 0;
                for (; d_ + 16 <= size_d_; d_ += 16) {
                    store_floats((float16)(0.0f), grad_table_ + grad_table_offset_ + v_ * grad_table_stride_v_ + d_);
                }
                for (; d_ < size_d_; ++d_) {
                    grad_table_[grad_table_offset_ + v_ * grad_table_stride_v_ + d_] = 0.0f;
                }
            }
        }
        for (long run = begin_value; run < end_value; run += 1024) {
            long hits[1024], count = 0;
            const long end_run = min(run + 1024, end_value);
            long n0_ = run;
            for (long value_number = run; value_number < end_run; ++value_number) {
                const long index_value_ = index_[index_offset_ + n0_];
                const long v_ = index_value_;
                hits[count] = value_number;
                count += (v_ >= first_row) & (v_ < end_row);
                ++n0_;
            }
            for (long hit = 0; hit < count; ++hit) {
                const long n0_ = hits[hit];
                const long index_value_2_ = index_[index_offset_ + n0_];
                const long v_ = index_value_2_;
                const int is = index_value_2_ == padding_idx_;
                {
                    long d_ = 0;
                    for (; d_ + 16 <= size_d_; d_ += 16) {
                        store_floats(load_floats(grad_table_ + grad_table_offset_ + v_ * grad_table_stride_v_ + d_) + (is ? (float16)(0.0f) : load_floats(dy_ + dy_offset_ + d_ + n0_ * dy_stride_n0_)), grad_table_ + grad_table_offset_ + v_ * grad_table_stride_v_ + d_);
                    }
                    for (; d_ < size_d_; ++d_) {
                        grad_table_[grad_table_offset_ + v_ * grad_table_stride_v_ + d_] += is ? 0.0f : dy_[dy_offset_ + d_ + n0_ * dy_stride_n0_];
                    }
                }
            }
        }
    }
}

__kernel void embedding_grad_table__kernel(
    __global float *grad_table_,
    __global const long *index_,
    __global const float *dy_,
    const long size_v_,
    const long size_d_,
    const long grad_table_offset_,
    const long grad_table_stride_v_,
    const long index_offset_,
    const long size_n0_,
    const long padding_idx_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block) {
    embedding_grad_table__item(grad_table_, index_, dy_, size_v_, size_d_, grad_table_offset_, grad_table_stride_v_, index_offset_, size_n0_, padding_idx_, dy_offset_, dy_stride_n0_, chunk, units, row_blocks, rows_per_block, get_global_id(0));
}
