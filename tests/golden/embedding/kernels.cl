// embedding (kernels_dsl/indexing.netcl)
//     y[n0, d] = table[index[n0], d]
__attribute__((noinline)) void embedding_item(
    __global float *y,
    __global const long *index,
    __global const float *table,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0,
    const long block_d,
    const long size_d,
    const long table_offset,
    const long index_offset,
    const long table_stride_at0,
    const long size_v,
    const long y_offset,
    const long y_stride_n0,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long n0 = begin % size_n0;
    long d_block = begin / size_n0;
    for (long unit = begin; unit < end; ++unit) {
        const long d_begin = d_block * block_d;
        const long d_end = min(d_begin + block_d, size_d);
        const long index_value = index[index_offset + n0];
        {
            long d = d_begin;
            for (; d + 16 <= d_end; d += 16) {
                const int inside = (ulong)index_value < (ulong)size_v;
                const long table_at = table_offset + d + index_value * table_stride_at0;
                float16 table_value = NAN;
                if (inside) table_value = load_floats(table + table_at);
                store_floats(table_value, y + y_offset + n0 * y_stride_n0 + d);
            }
            for (; d < d_end; ++d) {
                const int inside_2 = (ulong)index_value < (ulong)size_v;
                y[y_offset + n0 * y_stride_n0 + d] = inside_2 ? table[table_offset + d + index_value * table_stride_at0] : NAN;
            }
        }
        if (++n0 == size_n0) {
            n0 = 0;
            ++d_block;
        }
    }
}

__kernel void embedding_kernel(
    __global float *y,
    __global const long *index,
    __global const float *table,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0,
    const long block_d,
    const long size_d,
    const long table_offset,
    const long index_offset,
    const long table_stride_at0,
    const long size_v,
    const long y_offset,
    const long y_stride_n0) {
    embedding_item(y, index, table, chunk, units, blocks, size_n0, block_d, size_d, table_offset, index_offset, table_stride_at0, size_v, y_offset, y_stride_n0, get_global_id(0));
}


// embedding_grad_table (kernels_dsl/indexing.netcl)
//     grad_table[v, d] = sum[n0](index[n0] == v ? (index[n0] == padding_idx ? 0 : dy[n0, d]) : 0)
__attribute__((noinline)) void embedding_grad_table_item(
    __global float *grad_table,
    __global const long *index,
    __global const float *dy,
    const long size_v,
    const long size_d,
    const long grad_table_offset,
    const long grad_table_stride_v,
    const long index_offset,
    const long size_n0,
    const long padding_idx,
    const long dy_offset,
    const long dy_stride_n0,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long first_row = unit % row_blocks * rows_per_block, end_row = min(first_row + rows_per_block, size_v);
        const long begin_value = 0, end_value = size_n0;
        for (long v = first_row; v < end_row; ++v) {
            {
                long d = 0;
                for (; d + 16 <= size_d; d += 16) {
                    store_floats((float16)(0.0f), grad_table + grad_table_offset + v * grad_table_stride_v + d);
                }
                for (; d < size_d; ++d) {
                    grad_table[grad_table_offset + v * grad_table_stride_v + d] = 0.0f;
                }
            }
        }
        for (long run = begin_value; run < end_value; run += 1024) {
            long hits[1024], count = 0;
            const long end_run = min(run + 1024, end_value);
            long n0 = run;
            for (long value_number = run; value_number < end_run; ++value_number) {
                const long index_value = index[index_offset + n0];
                const long v = index_value;
                hits[count] = value_number;
                count += (v >= first_row) & (v < end_row);
                ++n0;
            }
            for (long hit = 0; hit < count; ++hit) {
                const long n0 = hits[hit];
                const long index_value_2 = index[index_offset + n0];
                const long v = index_value_2;
                const int is = index_value_2 == padding_idx;
                {
                    long d = 0;
                    for (; d + 16 <= size_d; d += 16) {
                        store_floats(load_floats(grad_table + grad_table_offset + v * grad_table_stride_v + d) + (is ? (float16)(0.0f) : load_floats(dy + dy_offset + d + n0 * dy_stride_n0)), grad_table + grad_table_offset + v * grad_table_stride_v + d);
                    }
                    for (; d < size_d; ++d) {
                        grad_table[grad_table_offset + v * grad_table_stride_v + d] += is ? 0.0f : dy[dy_offset + d + n0 * dy_stride_n0];
                    }
                }
            }
        }
    }
}

__kernel void embedding_grad_table_kernel(
    __global float *grad_table,
    __global const long *index,
    __global const float *dy,
    const long size_v,
    const long size_d,
    const long grad_table_offset,
    const long grad_table_stride_v,
    const long index_offset,
    const long size_n0,
    const long padding_idx,
    const long dy_offset,
    const long dy_stride_n0,
    const long chunk,
    const long units,
    const long row_blocks,
    const long rows_per_block) {
    embedding_grad_table_item(grad_table, index, dy, size_v, size_d, grad_table_offset, grad_table_stride_v, index_offset, size_n0, padding_idx, dy_offset, dy_stride_n0, chunk, units, row_blocks, rows_per_block, get_global_id(0));
}
