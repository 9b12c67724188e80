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
        const long at = first + run;
        const long start = max(begin - (at * size_n0_), 0L);
        for (long step = 0; step < (min((begin + count) - (at * size_n0_), size_n0_) - start); ++step) {
            const long at_2 = start + step;
            const long begin_of_part = at * block_of_d_;
            const long count_of_part = min(block_of_d_, size_d_ - (at * block_of_d_));
            const long index_value_ = index_[index_offset_ + at_2];
            const long vectors = count_of_part >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start_2 = begin_of_part + (vector * 16L);
                const int inside = as_ulong(index_value_) < as_ulong(size_v_);
                float16 value = NAN;
                if (inside) value = load_floats(table_ + as_long(as_ulong(table_offset_ + start_2) + (as_ulong(index_value_) * as_ulong(table_stride_at0_))));
                store_floats(value, y_ + (y_offset_ + (at_2 * y_stride_n0_)) + start_2);
            }
            for (long left = 0; left < (count_of_part & 15L); ++left) {
                const long d_ = (begin_of_part + (vectors * 16L)) + left;
                y_[(y_offset_ + (at_2 * y_stride_n0_)) + d_] = (as_ulong(index_value_) < as_ulong(size_v_)) ? table_[as_long(as_ulong(table_offset_ + d_) + (as_ulong(index_value_) * as_ulong(table_stride_at0_)))] : NAN;
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
    const long size_n0_,
    const long size_v_,
    const long block_of_v_,
    const long units,
    const long chunk,
    const long size_d_,
    const long grad_table_offset_,
    const long grad_table_stride_v_,
    const long index_offset_,
    const long padding_idx_,
    const long dy_offset_,
    const long dy_stride_n0_,
    const long item) {
    long own_hits[1024L] __attribute__((aligned(64)));
    long own_count;
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    for (long step = 0; step < count; ++step) {
        const long unit = begin + step;
        const long first_row = unit * block_of_v_;
        const long end_row = min(first_row + block_of_v_, size_v_);
        for (long left = 0; left < (end_row - first_row); ++left) {
            const long v_ = first_row + left;
            const long vectors = size_d_ >> 4;
            for (long vector = 0; vector < vectors; ++vector) {
                const long start = vector * 16L;
                store_floats((float16)(0.0f), grad_table_ + (grad_table_offset_ + (v_ * grad_table_stride_v_)) + start);
            }
            for (long left_2 = 0; left_2 < (size_d_ & 15L); ++left_2) {
                const long d_ = (vectors * 16L) + left_2;
                grad_table_[(grad_table_offset_ + (v_ * grad_table_stride_v_)) + d_] = 0.0f;
            }
        }
        for (long run = 0; run < ((size_n0_ + 1023L) >> 10); ++run) {
            const long begin_2 = run * 1024L;
            const long length = min(1024L, size_n0_ - (run * 1024L));
            own_count = 0L;
            for (long step_2 = 0; step_2 < length; ++step_2) {
                const long unit_2 = begin_2 + step_2;
                const long index_value_ = index_[index_offset_ + unit_2];
                own_hits[own_count] = unit_2;
                own_count = as_long(as_ulong(own_count) + as_ulong((long)((index_value_ >= first_row) & (index_value_ < end_row))));
            }
            for (long hit = 0; hit < own_count; ++hit) {
                const long value = own_hits[hit];
                const long n0_ = value;
                const long index_value_2_ = index_[index_offset_ + n0_];
                const long v_2_ = index_value_2_;
                const long index_value_3_ = index_[index_offset_ + n0_];
                if (!(index_value_3_ == padding_idx_)) {
                    const long vectors_2 = size_d_ >> 4;
                    for (long vector_2 = 0; vector_2 < vectors_2; ++vector_2) {
                        const long start_2 = vector_2 * 16L;
                        const float16 dy_value_ = load_floats(dy_ + (dy_offset_ + start_2) + (n0_ * dy_stride_n0_));
                        store_floats(load_floats(grad_table_ + (grad_table_offset_ + (v_2_ * grad_table_stride_v_)) + start_2) + dy_value_, grad_table_ + (grad_table_offset_ + (v_2_ * grad_table_stride_v_)) + start_2);
                    }
                    for (long left_3 = 0; left_3 < (size_d_ & 15L); ++left_3) {
                        const long d_2_ = (vectors_2 * 16L) + left_3;
                        grad_table_[(grad_table_offset_ + (v_2_ * grad_table_stride_v_)) + d_2_] = grad_table_[(grad_table_offset_ + (v_2_ * grad_table_stride_v_)) + d_2_] + dy_[(dy_offset_ + d_2_) + (n0_ * dy_stride_n0_)];
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
    const long size_n0_,
    const long size_v_,
    const long block_of_v_,
    const long units,
    const long chunk,
    const long size_d_,
    const long grad_table_offset_,
    const long grad_table_stride_v_,
    const long index_offset_,
    const long padding_idx_,
    const long dy_offset_,
    const long dy_stride_n0_) {
    embedding_grad_table__item(grad_table_, index_, dy_, size_n0_, size_v_, block_of_v_, units, chunk, size_d_, grad_table_offset_, grad_table_stride_v_, index_offset_, padding_idx_, dy_offset_, dy_stride_n0_, get_global_id(0));
}
