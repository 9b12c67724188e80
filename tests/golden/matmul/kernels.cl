// matmul (kernels_dsl/linear_algebra.netcl)
//     y[] = sum[k](a[k] * b[k])
__attribute__((noinline)) void matmul_item(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long size_k,
    const long a_offset,
    const long b_offset,
    const long y_offset,
    const long item) {
    float sum_k = 0.0f, sum_k_low = 0.0f;
    float16 sum_k_lanes = 0.0f, sum_k_lanes_low = 0.0f;
    {
        long k = 0;
        while (k + 16 <= size_k) {
            const long k_stop = min(k + 4096, size_k - 15);
            float16 sum_k_lanes_part = 0.0f;
            float16 sum_k_lanes_2_part = 0.0f;
            float16 sum_k_lanes_3_part = 0.0f;
            float16 sum_k_lanes_4_part = 0.0f;
            for (; k + 64 <= k_stop + 15; k += 64) {
                const long k_here = k;
                sum_k_lanes_part += load_floats(a + a_offset + k) * load_floats(b + b_offset + k);
                {
                    const long k = k_here + 16;
                    sum_k_lanes_2_part += load_floats(a + a_offset + k) * load_floats(b + b_offset + k);
                }
                {
                    const long k = k_here + 32;
                    sum_k_lanes_3_part += load_floats(a + a_offset + k) * load_floats(b + b_offset + k);
                }
                {
                    const long k = k_here + 48;
                    sum_k_lanes_4_part += load_floats(a + a_offset + k) * load_floats(b + b_offset + k);
                }
            }
            sum_k_lanes_part += sum_k_lanes_2_part;
            sum_k_lanes_part += sum_k_lanes_3_part;
            sum_k_lanes_part += sum_k_lanes_4_part;
            for (; k < k_stop; k += 16) {
                sum_k_lanes_part += load_floats(a + a_offset + k) * load_floats(b + b_offset + k);
            }
            add_pair_float16(&sum_k_lanes, &sum_k_lanes_low, sum_k_lanes_part);
        }
        float sum_k_part = 0.0f;
        for (; k < size_k; ++k) {
            sum_k_part += a[a_offset + k] * b[b_offset + k];
        }
        add_pair_float(&sum_k, &sum_k_low, sum_k_part);
    }
    add_pair_float(&sum_k, &sum_k_low, fold_sum_float16(sum_k_lanes));
    sum_k_low += fold_sum_float16(sum_k_lanes_low);
    const float sum_k_total = close_pair_float(sum_k, sum_k_low);
    y[y_offset] = sum_k_total;
}

__kernel void matmul_kernel(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long size_k,
    const long a_offset,
    const long b_offset,
    const long y_offset) {
    matmul_item(y, a, b, size_k, a_offset, b_offset, y_offset, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[k] = dy[] * b[k]
//     grad_b[k] = dy[] * a[k]
__attribute__((noinline)) void matmul_grad_a_b_item(
    __global float *grad_a,
    __global float *grad_b,
    __global const float *dy,
    __global const float *b,
    __global const float *a,
    const long chunk,
    const long units,
    const long dy_offset,
    const long b_offset,
    const long grad_a_offset,
    const long a_offset,
    const long grad_b_offset,
    const long item) {
    const float dy_value = dy[dy_offset];
    long k = item * chunk;
    const long end = min(k + chunk, units);
    for (; k + 16 <= end; k += 16) {
        store_floats((float16)(dy_value) * load_floats(b + b_offset + k), grad_a + grad_a_offset + k);
        store_floats((float16)(dy_value) * load_floats(a + a_offset + k), grad_b + grad_b_offset + k);
    }
    for (; k < end; ++k) {
        grad_a[grad_a_offset + k] = dy_value * b[b_offset + k];
        grad_b[grad_b_offset + k] = dy_value * a[a_offset + k];
    }
}

__kernel void matmul_grad_a_b_kernel(
    __global float *grad_a,
    __global float *grad_b,
    __global const float *dy,
    __global const float *b,
    __global const float *a,
    const long chunk,
    const long units,
    const long dy_offset,
    const long b_offset,
    const long grad_a_offset,
    const long a_offset,
    const long grad_b_offset) {
    matmul_grad_a_b_item(grad_a, grad_b, dy, b, a, chunk, units, dy_offset, b_offset, grad_a_offset, a_offset, grad_b_offset, get_global_id(0));
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, j] = sum[k](a[k] * b[n0, k, j])
__attribute__((noinline)) void matmul_item(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0,
    const long block_j,
    const long size_j,
    const long size_k,
    const long a_offset,
    const long b_offset,
    const long b_stride_k,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long n0 = begin % size_n0;
    long j_block = begin / size_n0;
    for (long unit = begin; unit < end; ++unit) {
        const long j_begin = j_block * block_j;
        const long j_end = min(j_begin + block_j, size_j);
        {
            long j = j_begin;
            for (; j + 16 <= j_end; j += 16) {
                float16 sum_k = 0.0f, sum_k_low = 0.0f;
                for (long k_run = 0; k_run < size_k; k_run += 256) {
                    const long k_stop = min(k_run + 256, size_k);
                    float16 sum_k_part = 0.0f;
                    for (long k = k_run; k < k_stop; ++k) {
                        sum_k_part += (float16)(a[a_offset + k]) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                    }
                    add_pair_float16(&sum_k, &sum_k_low, sum_k_part);
                }
                const float16 sum_k_total = close_pair_float16(sum_k, sum_k_low);
                store_floats(sum_k_total, y + y_offset + n0 * y_stride_n0 + j);
            }
            for (; j < j_end; ++j) {
                float sum_k_2 = 0.0f, sum_k_2_low = 0.0f;
                for (long k_run = 0; k_run < size_k; k_run += 256) {
                    const long k_stop = min(k_run + 256, size_k);
                    float sum_k_2_part = 0.0f;
                    for (long k = k_run; k < k_stop; ++k) {
                        sum_k_2_part += a[a_offset + k] * b[b_offset + j + k * b_stride_k + n0 * b_stride_n0];
                    }
                    add_pair_float(&sum_k_2, &sum_k_2_low, sum_k_2_part);
                }
                const float sum_k_2_total = close_pair_float(sum_k_2, sum_k_2_low);
                y[y_offset + n0 * y_stride_n0 + j] = sum_k_2_total;
            }
        }
        if (++n0 == size_n0) {
            n0 = 0;
            ++j_block;
        }
    }
}

__kernel void matmul_kernel(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0,
    const long block_j,
    const long size_j,
    const long size_k,
    const long a_offset,
    const long b_offset,
    const long b_stride_k,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0) {
    matmul_item(y, a, b, chunk, units, blocks, size_n0, block_j, size_j, size_k, a_offset, b_offset, b_stride_k, b_stride_n0, y_offset, y_stride_n0, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[k] = sum[j, n0](dy[n0, j] * b[n0, k, j])
__attribute__((noinline)) void matmul_grad_a_b_1_item(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_k,
    const long size_n0,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long b_offset,
    const long b_stride_k,
    const long b_stride_n0,
    const long grad_a_offset,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long k = begin; k < end; ++k) {
        float sum_n0_j = 0.0f, sum_n0_j_low = 0.0f;
        float16 sum_n0_j_lanes = 0.0f, sum_n0_j_lanes_low = 0.0f;
        for (long n0 = 0; n0 < size_n0; ++n0) {
            {
                long j = 0;
                while (j + 16 <= size_j) {
                    const long j_stop = min(j + 4096, size_j - 15);
                    float16 sum_n0_j_lanes_part = 0.0f;
                    float16 sum_n0_j_lanes_2_part = 0.0f;
                    float16 sum_n0_j_lanes_3_part = 0.0f;
                    float16 sum_n0_j_lanes_4_part = 0.0f;
                    for (; j + 64 <= j_stop + 15; j += 64) {
                        const long j_here = j;
                        const float16 t_2 = load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                        sum_n0_j_lanes_part += t_2;
                        {
                            const long j = j_here + 16;
                            const float16 t_3 = load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                            sum_n0_j_lanes_2_part += t_3;
                        }
                        {
                            const long j = j_here + 32;
                            const float16 t_4 = load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                            sum_n0_j_lanes_3_part += t_4;
                        }
                        {
                            const long j = j_here + 48;
                            const float16 t_5 = load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                            sum_n0_j_lanes_4_part += t_5;
                        }
                    }
                    sum_n0_j_lanes_part += sum_n0_j_lanes_2_part;
                    sum_n0_j_lanes_part += sum_n0_j_lanes_3_part;
                    sum_n0_j_lanes_part += sum_n0_j_lanes_4_part;
                    for (; j < j_stop; j += 16) {
                        const float16 t = load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * load_floats(b + b_offset + j + k * b_stride_k + n0 * b_stride_n0);
                        sum_n0_j_lanes_part += t;
                    }
                    add_pair_float16(&sum_n0_j_lanes, &sum_n0_j_lanes_low, sum_n0_j_lanes_part);
                }
                float sum_n0_j_part = 0.0f;
                for (; j < size_j; ++j) {
                    sum_n0_j_part += dy[dy_offset + j + n0 * dy_stride_n0] * b[b_offset + j + k * b_stride_k + n0 * b_stride_n0];
                }
                add_pair_float(&sum_n0_j, &sum_n0_j_low, sum_n0_j_part);
            }
        }
        add_pair_float(&sum_n0_j, &sum_n0_j_low, fold_sum_float16(sum_n0_j_lanes));
        sum_n0_j_low += fold_sum_float16(sum_n0_j_lanes_low);
        const float sum_n0_j_total = close_pair_float(sum_n0_j, sum_n0_j_low);
        grad_a[grad_a_offset + k] = sum_n0_j_total;
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = dy[n0, j] * a[k]
__attribute__((noinline)) void matmul_grad_a_b_2_item(
    __global float *grad_b,
    __global const float *dy,
    __global const float *a,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0,
    const long size_k,
    const long block_j,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long a_offset,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long k = begin % size_k;
    long n0 = begin / size_k % size_n0;
    long j_block = begin / size_k / size_n0;
    for (long unit = begin; unit < end; ++unit) {
        const long j_begin = j_block * block_j;
        const long j_end = min(j_begin + block_j, size_j);
        const float a_value = a[a_offset + k];
        {
            long j = j_begin;
            for (; j + 16 <= j_end; j += 16) {
                store_floats(load_floats(dy + dy_offset + j + n0 * dy_stride_n0) * (float16)(a_value), grad_b + grad_b_offset + n0 * grad_b_stride_n0 + k * grad_b_stride_k + j);
            }
            for (; j < j_end; ++j) {
                grad_b[grad_b_offset + n0 * grad_b_stride_n0 + k * grad_b_stride_k + j] = dy[dy_offset + j + n0 * dy_stride_n0] * a_value;
            }
        }
        if (++k == size_k) {
            k = 0;
            if (++n0 == size_n0) {
                n0 = 0;
                ++j_block;
            }
        }
    }
}

__kernel void matmul_grad_a_b_1_kernel(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_k,
    const long size_n0,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long b_offset,
    const long b_stride_k,
    const long b_stride_n0,
    const long grad_a_offset,
    const long items,
    __global float *grad_b_of_2,
    __global const float *dy_of_2,
    __global const float *a_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long blocks_of_2,
    const long size_n0_of_2,
    const long size_k_of_2,
    const long block_j_of_2,
    const long size_j_of_2,
    const long dy_offset_of_2,
    const long dy_stride_n0_of_2,
    const long a_offset_of_2,
    const long grad_b_offset_of_2,
    const long grad_b_stride_n0_of_2,
    const long grad_b_stride_k_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1_item(grad_a, dy, b, chunk, units, size_k, size_n0, size_j, dy_offset, dy_stride_n0, b_offset, b_stride_k, b_stride_n0, grad_a_offset, item);
    } else {
        item -= items;
        matmul_grad_a_b_2_item(grad_b_of_2, dy_of_2, a_of_2, chunk_of_2, units_of_2, blocks_of_2, size_n0_of_2, size_k_of_2, block_j_of_2, size_j_of_2, dy_offset_of_2, dy_stride_n0_of_2, a_offset_of_2, grad_b_offset_of_2, grad_b_stride_n0_of_2, grad_b_stride_k_of_2, item);
    }
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i] = sum[k](a[n0, i, k] * b[k])
__attribute__((noinline)) void matmul_item(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_n0_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0_i,
    const long b_offset,
    const long y_offset,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long n0_i = begin; n0_i < end; ++n0_i) {
        float sum_k = 0.0f, sum_k_low = 0.0f;
        float16 sum_k_lanes = 0.0f, sum_k_lanes_low = 0.0f;
        {
            long k = 0;
            while (k + 16 <= size_k) {
                const long k_stop = min(k + 4096, size_k - 15);
                float16 sum_k_lanes_part = 0.0f;
                float16 sum_k_lanes_2_part = 0.0f;
                float16 sum_k_lanes_3_part = 0.0f;
                float16 sum_k_lanes_4_part = 0.0f;
                for (; k + 64 <= k_stop + 15; k += 64) {
                    const long k_here = k;
                    sum_k_lanes_part += load_floats(a + a_offset + n0_i * a_stride_n0_i + k) * load_floats(b + b_offset + k);
                    {
                        const long k = k_here + 16;
                        sum_k_lanes_2_part += load_floats(a + a_offset + n0_i * a_stride_n0_i + k) * load_floats(b + b_offset + k);
                    }
                    {
                        const long k = k_here + 32;
                        sum_k_lanes_3_part += load_floats(a + a_offset + n0_i * a_stride_n0_i + k) * load_floats(b + b_offset + k);
                    }
                    {
                        const long k = k_here + 48;
                        sum_k_lanes_4_part += load_floats(a + a_offset + n0_i * a_stride_n0_i + k) * load_floats(b + b_offset + k);
                    }
                }
                sum_k_lanes_part += sum_k_lanes_2_part;
                sum_k_lanes_part += sum_k_lanes_3_part;
                sum_k_lanes_part += sum_k_lanes_4_part;
                for (; k < k_stop; k += 16) {
                    sum_k_lanes_part += load_floats(a + a_offset + n0_i * a_stride_n0_i + k) * load_floats(b + b_offset + k);
                }
                add_pair_float16(&sum_k_lanes, &sum_k_lanes_low, sum_k_lanes_part);
            }
            float sum_k_part = 0.0f;
            for (; k < size_k; ++k) {
                sum_k_part += a[a_offset + n0_i * a_stride_n0_i + k] * b[b_offset + k];
            }
            add_pair_float(&sum_k, &sum_k_low, sum_k_part);
        }
        add_pair_float(&sum_k, &sum_k_low, fold_sum_float16(sum_k_lanes));
        sum_k_low += fold_sum_float16(sum_k_lanes_low);
        const float sum_k_total = close_pair_float(sum_k, sum_k_low);
        y[y_offset + n0_i] = sum_k_total;
    }
}

__kernel void matmul_kernel(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long chunk,
    const long units,
    const long size_n0_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0_i,
    const long b_offset,
    const long y_offset) {
    matmul_item(y, a, b, chunk, units, size_n0_i, size_k, a_offset, a_stride_n0_i, b_offset, y_offset, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = dy[n0, i] * b[k]
__attribute__((noinline)) void matmul_grad_a_b_1_item(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0_i,
    const long block_k,
    const long size_k,
    const long dy_offset,
    const long b_offset,
    const long grad_a_offset,
    const long grad_a_stride_n0_i,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    long n0_i = begin % size_n0_i;
    long k_block = begin / size_n0_i;
    for (long unit = begin; unit < end; ++unit) {
        const long k_begin = k_block * block_k;
        const long k_end = min(k_begin + block_k, size_k);
        const float dy_value = dy[dy_offset + n0_i];
        {
            long k = k_begin;
            for (; k + 16 <= k_end; k += 16) {
                store_floats((float16)(dy_value) * load_floats(b + b_offset + k), grad_a + grad_a_offset + n0_i * grad_a_stride_n0_i + k);
            }
            for (; k < k_end; ++k) {
                grad_a[grad_a_offset + n0_i * grad_a_stride_n0_i + k] = dy_value * b[b_offset + k];
            }
        }
        if (++n0_i == size_n0_i) {
            n0_i = 0;
            ++k_block;
        }
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[k] = sum[i, n0](dy[n0, i] * a[n0, i, k])
__attribute__((noinline)) void matmul_grad_a_b_2_blocks_item(
    __global float *matmul_grad_a_b_2_part_1,
    __global const float *dy,
    __global const float *a,
    const long chunk,
    const long units,
    const long blocks,
    const long block_n0_i,
    const long size_n0_i,
    const long size_k,
    const long dy_offset,
    const long a_offset,
    const long a_stride_n0_i,
    const long matmul_grad_a_b_2_part_1_offset,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long n0_i_block = begin; n0_i_block < end; ++n0_i_block) {
        const long n0_i_begin = n0_i_block * block_n0_i;
        const long n0_i_end = min(n0_i_begin + block_n0_i, size_n0_i);
        for (long n0_i_run = n0_i_begin; n0_i_run < n0_i_end; n0_i_run += 4) {
            {
                long k = 0;
                for (; k + 16 <= size_k; k += 16) {
                    float16 sum_n0_i = (float16)(0.0f);
                    for (long n0_i = n0_i_run; n0_i < min(n0_i_run + 4, n0_i_end); ++n0_i) {
                        sum_n0_i += (float16)(dy[dy_offset + n0_i]) * load_floats(a + a_offset + n0_i * a_stride_n0_i + k);
                    }
                    float16 so_far = sum_n0_i;
                    if (n0_i_run > n0_i_begin) so_far += load_floats(matmul_grad_a_b_2_part_1 + matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block);
                    store_floats(so_far, matmul_grad_a_b_2_part_1 + matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block);
                }
                for (; k < size_k; ++k) {
                    float sum_n0_i_2 = 0.0f;
                    for (long n0_i = n0_i_run; n0_i < min(n0_i_run + 4, n0_i_end); ++n0_i) {
                        sum_n0_i_2 += dy[dy_offset + n0_i] * a[a_offset + n0_i * a_stride_n0_i + k];
                    }
                    float so_far_2 = sum_n0_i_2;
                    if (n0_i_run > n0_i_begin) so_far_2 += matmul_grad_a_b_2_part_1[matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block];
                    matmul_grad_a_b_2_part_1[matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block] = so_far_2;
                }
            }
        }
    }
}

__kernel void matmul_grad_a_b_1_kernel(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long chunk,
    const long units,
    const long blocks,
    const long size_n0_i,
    const long block_k,
    const long size_k,
    const long dy_offset,
    const long b_offset,
    const long grad_a_offset,
    const long grad_a_stride_n0_i,
    const long items,
    __global float *matmul_grad_a_b_2_part_1_of_2,
    __global const float *dy_of_2,
    __global const float *a_of_2,
    const long chunk_of_2,
    const long units_of_2,
    const long blocks_of_2,
    const long block_n0_i_of_2,
    const long size_n0_i_of_2,
    const long size_k_of_2,
    const long dy_offset_of_2,
    const long a_offset_of_2,
    const long a_stride_n0_i_of_2,
    const long matmul_grad_a_b_2_part_1_offset_of_2,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1_item(grad_a, dy, b, chunk, units, blocks, size_n0_i, block_k, size_k, dy_offset, b_offset, grad_a_offset, grad_a_stride_n0_i, item);
    } else {
        item -= items;
        matmul_grad_a_b_2_blocks_item(matmul_grad_a_b_2_part_1_of_2, dy_of_2, a_of_2, chunk_of_2, units_of_2, blocks_of_2, block_n0_i_of_2, size_n0_i_of_2, size_k_of_2, dy_offset_of_2, a_offset_of_2, a_stride_n0_i_of_2, matmul_grad_a_b_2_part_1_offset_of_2, matmul_grad_a_b_2_part_1_stride_n0_i_block_of_2, item);
    }
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[k] = sum[i, n0](dy[n0, i] * a[n0, i, k])
__attribute__((noinline)) void matmul_grad_a_b_2_item(
    __global float *grad_b,
    __global const float *matmul_grad_a_b_2_part_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_k,
    const long size_k,
    const long size_n0_i_block,
    const long matmul_grad_a_b_2_part_1_offset,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block,
    const long grad_b_offset,
    const long item) {
    const long begin = item * chunk;
    const long end = min(begin + chunk, units);
    for (long k_block = begin; k_block < end; ++k_block) {
        const long k_begin = k_block * block_k;
        const long k_end = min(k_begin + block_k, size_k);
        {
            long k = k_begin;
            for (; k + 16 <= k_end; k += 16) {
                float16 sum_n0_i_block = 0.0f, sum_n0_i_block_low = 0.0f;
                for (long n0_i_block_run = 0; n0_i_block_run < size_n0_i_block; n0_i_block_run += 256) {
                    const long n0_i_block_stop = min(n0_i_block_run + 256, size_n0_i_block);
                    float16 sum_n0_i_block_part = 0.0f;
                    for (long n0_i_block = n0_i_block_run; n0_i_block < n0_i_block_stop; ++n0_i_block) {
                        const float16 matmul_grad_a_b_2_part_1_value = load_floats(matmul_grad_a_b_2_part_1 + matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block);
                        sum_n0_i_block_part += matmul_grad_a_b_2_part_1_value;
                    }
                    add_pair_float16(&sum_n0_i_block, &sum_n0_i_block_low, sum_n0_i_block_part);
                }
                const float16 sum_n0_i_block_total = close_pair_float16(sum_n0_i_block, sum_n0_i_block_low);
                store_floats(sum_n0_i_block_total, grad_b + grad_b_offset + k);
            }
            for (; k < k_end; ++k) {
                float sum_n0_i_block_2 = 0.0f, sum_n0_i_block_2_low = 0.0f;
                for (long n0_i_block_run = 0; n0_i_block_run < size_n0_i_block; n0_i_block_run += 256) {
                    const long n0_i_block_stop = min(n0_i_block_run + 256, size_n0_i_block);
                    float sum_n0_i_block_2_part = 0.0f;
                    for (long n0_i_block = n0_i_block_run; n0_i_block < n0_i_block_stop; ++n0_i_block) {
                        const float matmul_grad_a_b_2_part_1_value_2 = matmul_grad_a_b_2_part_1[matmul_grad_a_b_2_part_1_offset + k + n0_i_block * matmul_grad_a_b_2_part_1_stride_n0_i_block];
                        sum_n0_i_block_2_part += matmul_grad_a_b_2_part_1_value_2;
                    }
                    add_pair_float(&sum_n0_i_block_2, &sum_n0_i_block_2_low, sum_n0_i_block_2_part);
                }
                const float sum_n0_i_block_2_total = close_pair_float(sum_n0_i_block_2, sum_n0_i_block_2_low);
                grad_b[grad_b_offset + k] = sum_n0_i_block_2_total;
            }
        }
    }
}

__kernel void matmul_grad_a_b_2_kernel(
    __global float *grad_b,
    __global const float *matmul_grad_a_b_2_part_1,
    const long chunk,
    const long units,
    const long blocks,
    const long block_k,
    const long size_k,
    const long size_n0_i_block,
    const long matmul_grad_a_b_2_part_1_offset,
    const long matmul_grad_a_b_2_part_1_stride_n0_i_block,
    const long grad_b_offset) {
    matmul_grad_a_b_2_item(grad_b, matmul_grad_a_b_2_part_1, chunk, units, blocks, block_k, size_k, size_n0_i_block, matmul_grad_a_b_2_part_1_offset, matmul_grad_a_b_2_part_1_stride_n0_i_block, grad_b_offset, get_global_id(0));
}


// matmul (kernels_dsl/linear_algebra.netcl)
//     y[n0, i, j] = sum[k](a[n0, i, k] * b[n0, k, j])
__attribute__((noinline)) void matmul_steps(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at) {
    long k = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = k * b_stride_k;
        ++k;
    }
}

__attribute__((noinline)) void matmul_rows(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    long *to,
    const long first,
    const long count) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_i) - line);
        long *begin = to + tile * 8;
        {
            long i = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = a_offset + n0 * a_stride_n0 + i * a_stride_i;
                if (x + 1 < exist) {
                    ++i;
                }
            }
        }
    }
}

__attribute__((noinline)) void matmul_right(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    float *to,
    const long *right_at,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_j) - line);
    long begin[32];
    {
        long j = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = b_offset + n0 * b_stride_n0 + j;
            if (x + 1 < exist) {
                ++j;
            }
        }
    }
    int whole = 1;
    for (int x = 1; x < 32; ++x) whole &= begin[x] == begin[x - 1] + 1;
    if (whole) {
        for (long step = 0; step < steps; ++step) {
            __global const float *from_here = b + begin[0] + right_at[step];
            vstore16(vload16(0, from_here + 0), 0, to + step * 32 + 0);
            vstore16(vload16(0, from_here + 16), 0, to + step * 32 + 16);
        }
        return;
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        int breaks = 0, split = 0;
        for (int x = 1; x < 8; ++x) {
            if (begin[group + x] == begin[group + x - 1] + 1) continue;
            ++breaks;
            split = x;
        }
        if (breaks == 0)
            for (; step < end; ++step) vstore8(vload8(0, b + right_at[step] + begin[group]), 0, to + step * 32 + group);
        if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
            const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
            for (; step < end; ++step) vstore8(later ? vload8(0, b + right_at[step] + begin[group + 7] - 7) : vload8(0, b + right_at[step] + begin[group]), 0, to + step * 32 + group);
        }
        for (; step < end; ++step) {
            for (int x = 0; x < 8; ++x)
                to[step * 32 + group + x] = b[begin[group + x] + right_at[step]];
        }
    }
}

__attribute__((noinline)) void matmul_store(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_i) - row);
    const long count = min(32L, (size_j) - column);
    const long j = column;
    const long j_first = j;
    for (long line = 0; line < lines; ++line) {
        const long i = row + line;
        long j = j_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_j - (j));
            for (; at + 16 <= run; at += 16, j += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, y + y_offset + n0 * y_stride_n0 + i * y_stride_i + j);
            }
            for (; at < run; at += 1, j += 1) {
                const float total = sums[at];
                y[y_offset + n0 * y_stride_n0 + i * y_stride_i + j] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul_item(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[32768];
    long left[256];
    float right[8192];
    const long row_tiles = ((size_i) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_j) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_k) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0 = rest;
        long right_at[256];
        matmul_rows(y, a, b, b_stride_k, size_k, size_i, a_offset, a_stride_n0, a_stride_i, size_j, b_offset, b_stride_n0, y_offset, y_stride_n0, y_stride_i, row_block, column_block, chunk, units, n0, left, first_row * 8, end_row - first_row);
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_k) - from);
            matmul_steps(y, a, b, b_stride_k, size_k, size_i, a_offset, a_stride_n0, a_stride_i, size_j, b_offset, b_stride_n0, y_offset, y_stride_n0, y_stride_i, row_block, column_block, chunk, units, from, steps, right_at);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                matmul_right(y, a, b, b_stride_k, size_k, size_i, a_offset, a_stride_n0, a_stride_i, size_j, b_offset, b_stride_n0, y_offset, y_stride_n0, y_stride_i, row_block, column_block, chunk, units, n0, right, right_at, column_tile * 32, from, steps);
                const float *panel = right;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_j) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_in_place(a + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_in_place(a + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_in_place(a + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul_store(y, a, b, b_stride_k, size_k, size_i, a_offset, a_stride_n0, a_stride_i, size_j, b_offset, b_stride_n0, y_offset, y_stride_n0, y_stride_i, row_block, column_block, chunk, units, n0, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void matmul_kernel(
    __global float *y,
    __global const float *a,
    __global const float *b,
    const long b_stride_k,
    const long size_k,
    const long size_i,
    const long a_offset,
    const long a_stride_n0,
    const long a_stride_i,
    const long size_j,
    const long b_offset,
    const long b_stride_n0,
    const long y_offset,
    const long y_stride_n0,
    const long y_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    matmul_item(y, a, b, b_stride_k, size_k, size_i, a_offset, a_stride_n0, a_stride_i, size_j, b_offset, b_stride_n0, y_offset, y_stride_n0, y_stride_i, row_block, column_block, chunk, units, get_global_id(0));
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_a[n0, i, k] = sum[j](dy[n0, i, j] * b[n0, k, j])
__attribute__((noinline)) void matmul_grad_a_b_1_steps(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at,
    int *right_run) {
    long j = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = j;
        ++j;
    }
    for (long step = steps - 1; step >= 0; --step)
        right_run[step] = step + 1 < steps && right_at[step + 1] == right_at[step] + 1 ? right_run[step + 1] + 1 : 1;
}

__attribute__((noinline)) void matmul_grad_a_b_1_rows(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    long *to,
    const long first,
    const long count) {
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_i) - line);
        long *begin = to + tile * 8;
        {
            long i = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = dy_offset + n0 * dy_stride_n0 + i * dy_stride_i;
                if (x + 1 < exist) {
                    ++i;
                }
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1_right(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    float *to,
    const long *right_at,
    const int *right_run,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_k) - line);
    long begin[32];
    {
        long k = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = b_offset + n0 * b_stride_n0 + k * b_stride_k;
            if (x + 1 < exist) {
                ++k;
            }
        }
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        while (step < end) {
            const long start = step - max(0, 8 - right_run[step]);
            if (start >= 0 && right_run[start] >= 8) {
                float *block = to + start * 32 + group;
                const float8 r0 = vload8(0, b + begin[group + 0] + right_at[start]);
                const float8 r1 = vload8(0, b + begin[group + 1] + right_at[start]);
                const float8 r2 = vload8(0, b + begin[group + 2] + right_at[start]);
                const float8 r3 = vload8(0, b + begin[group + 3] + right_at[start]);
                const float8 r4 = vload8(0, b + begin[group + 4] + right_at[start]);
                const float8 r5 = vload8(0, b + begin[group + 5] + right_at[start]);
                const float8 r6 = vload8(0, b + begin[group + 6] + right_at[start]);
                const float8 r7 = vload8(0, b + begin[group + 7] + right_at[start]);
                const float8 t0 = (float8)(r0.s0, r1.s0, r0.s1, r1.s1, r0.s4, r1.s4, r0.s5, r1.s5), t1 = (float8)(r0.s2, r1.s2, r0.s3, r1.s3, r0.s6, r1.s6, r0.s7, r1.s7);
                const float8 t2 = (float8)(r2.s0, r3.s0, r2.s1, r3.s1, r2.s4, r3.s4, r2.s5, r3.s5), t3 = (float8)(r2.s2, r3.s2, r2.s3, r3.s3, r2.s6, r3.s6, r2.s7, r3.s7);
                const float8 t4 = (float8)(r4.s0, r5.s0, r4.s1, r5.s1, r4.s4, r5.s4, r4.s5, r5.s5), t5 = (float8)(r4.s2, r5.s2, r4.s3, r5.s3, r4.s6, r5.s6, r4.s7, r5.s7);
                const float8 t6 = (float8)(r6.s0, r7.s0, r6.s1, r7.s1, r6.s4, r7.s4, r6.s5, r7.s5), t7 = (float8)(r6.s2, r7.s2, r6.s3, r7.s3, r6.s6, r7.s6, r6.s7, r7.s7);
                const float8 u0 = (float8)(t0.s01, t2.s01, t0.s45, t2.s45), u1 = (float8)(t0.s23, t2.s23, t0.s67, t2.s67);
                const float8 u2 = (float8)(t1.s01, t3.s01, t1.s45, t3.s45), u3 = (float8)(t1.s23, t3.s23, t1.s67, t3.s67);
                const float8 u4 = (float8)(t4.s01, t6.s01, t4.s45, t6.s45), u5 = (float8)(t4.s23, t6.s23, t4.s67, t6.s67);
                const float8 u6 = (float8)(t5.s01, t7.s01, t5.s45, t7.s45), u7 = (float8)(t5.s23, t7.s23, t5.s67, t7.s67);
                vstore8((float8)(u0.lo, u4.lo), 0, block + 0);
                vstore8((float8)(u0.hi, u4.hi), 0, block + 128);
                vstore8((float8)(u1.lo, u5.lo), 0, block + 32);
                vstore8((float8)(u1.hi, u5.hi), 0, block + 160);
                vstore8((float8)(u2.lo, u6.lo), 0, block + 64);
                vstore8((float8)(u2.hi, u6.hi), 0, block + 192);
                vstore8((float8)(u3.lo, u7.lo), 0, block + 96);
                vstore8((float8)(u3.hi, u7.hi), 0, block + 224);
                step = start + 8;
            } else {
                for (int x = 0; x < 8; ++x)
                    to[step * 32 + group + x] = b[begin[group + x] + right_at[step]];
                ++step;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1_store(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_i) - row);
    const long count = min(32L, (size_k) - column);
    const long k = column;
    const long k_first = k;
    for (long line = 0; line < lines; ++line) {
        const long i = row + line;
        long k = k_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_k - (k));
            for (; at + 16 <= run; at += 16, k += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_a + grad_a_offset + n0 * grad_a_stride_n0 + i * grad_a_stride_i + k);
            }
            for (; at < run; at += 1, k += 1) {
                const float total = sums[at];
                grad_a[grad_a_offset + n0 * grad_a_stride_n0 + i * grad_a_stride_i + k] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_1_item(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[32768];
    long left[256];
    float right[8192];
    const long row_tiles = ((size_i) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_k) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_j) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0 = rest;
        long right_at[256];
        int right_run[256];
        matmul_grad_a_b_1_rows(grad_a, dy, b, size_j, size_i, dy_offset, dy_stride_n0, dy_stride_i, size_k, b_offset, b_stride_n0, b_stride_k, grad_a_offset, grad_a_stride_n0, grad_a_stride_i, row_block, column_block, chunk, units, n0, left, first_row * 8, end_row - first_row);
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_j) - from);
            matmul_grad_a_b_1_steps(grad_a, dy, b, size_j, size_i, dy_offset, dy_stride_n0, dy_stride_i, size_k, b_offset, b_stride_n0, b_stride_k, grad_a_offset, grad_a_stride_n0, grad_a_stride_i, row_block, column_block, chunk, units, from, steps, right_at, right_run);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                matmul_grad_a_b_1_right(grad_a, dy, b, size_j, size_i, dy_offset, dy_stride_n0, dy_stride_i, size_k, b_offset, b_stride_n0, b_stride_k, grad_a_offset, grad_a_stride_n0, grad_a_stride_i, row_block, column_block, chunk, units, n0, right, right_at, right_run, column_tile * 32, from, steps);
                const float *panel = right;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_k) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_in_place(dy + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_in_place(dy + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_in_place(dy + from, left + row_number * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul_grad_a_b_1_store(grad_a, dy, b, size_j, size_i, dy_offset, dy_stride_n0, dy_stride_i, size_k, b_offset, b_stride_n0, b_stride_k, grad_a_offset, grad_a_stride_n0, grad_a_stride_i, row_block, column_block, chunk, units, n0, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2_panels_steps(
    __global float *matmul_grad_a_b_2_panels,
    __global const float *dy,
    const long dy_stride_i,
    const long size_i,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *right_at) {
    long i = from;
    for (long step = 0; step < steps; ++step) {
        right_at[step] = i * dy_stride_i;
        ++i;
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_panels_right(
    __global float *matmul_grad_a_b_2_panels,
    __global const float *dy,
    const long dy_stride_i,
    const long size_i,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long chunk,
    const long units,
    const long n0,
    __global float *to,
    const long *right_at,
    const long first,
    const long from,
    const long steps) {
    const long line = first, exist = min(32L, (size_j) - line);
    long begin[32];
    {
        long j = line;
        for (int x = 0; x < 32; ++x) {
            begin[x] = dy_offset + n0 * dy_stride_n0 + j;
            if (x + 1 < exist) {
                ++j;
            }
        }
    }
    int whole = 1;
    for (int x = 1; x < 32; ++x) whole &= begin[x] == begin[x - 1] + 1;
    if (whole) {
        for (long step = 0; step < steps; ++step) {
            __global const float *from_here = dy + begin[0] + right_at[step];
            vstore16(vload16(0, from_here + 0), 0, to + step * 32 + 0);
            vstore16(vload16(0, from_here + 16), 0, to + step * 32 + 16);
        }
        return;
    }
    for (int group = 0; group < 32; group += 8) {
        long step = 0;
        const long end = steps;
        if (group >= exist)
            for (; step < end; ++step) vstore8((float8)(0), 0, to + step * 32 + group);
        int breaks = 0, split = 0;
        for (int x = 1; x < 8; ++x) {
            if (begin[group + x] == begin[group + x - 1] + 1) continue;
            ++breaks;
            split = x;
        }
        if (breaks == 0)
            for (; step < end; ++step) vstore8(vload8(0, dy + right_at[step] + begin[group]), 0, to + step * 32 + group);
        if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
            const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
            for (; step < end; ++step) vstore8(later ? vload8(0, dy + right_at[step] + begin[group + 7] - 7) : vload8(0, dy + right_at[step] + begin[group]), 0, to + step * 32 + group);
        }
        for (; step < end; ++step) {
            for (int x = 0; x < 8; ++x)
                to[step * 32 + group + x] = dy[begin[group + x] + right_at[step]];
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_panels_item(
    __global float *matmul_grad_a_b_2_panels,
    __global const float *dy,
    const long dy_stride_i,
    const long size_i,
    const long size_j,
    const long dy_offset,
    const long dy_stride_n0,
    const long chunk,
    const long units,
    const long item) {
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        const long column_tiles = ((size_j) + 31) / 32;
        const long chunks = max(1L, ((size_i) + 255) / 256);
        const long column_tile = unit % column_tiles;
        const long from = (unit / column_tiles % chunks) * 256, steps = min(256L, (size_i) - from);
        const long n0 = unit / column_tiles / chunks;
        long right_at[256];
        matmul_grad_a_b_2_panels_steps(matmul_grad_a_b_2_panels, dy, dy_stride_i, size_i, size_j, dy_offset, dy_stride_n0, chunk, units, from, steps, right_at);
        matmul_grad_a_b_2_panels_right(matmul_grad_a_b_2_panels, dy, dy_stride_i, size_i, size_j, dy_offset, dy_stride_n0, chunk, units, n0, matmul_grad_a_b_2_panels + unit * 8192, right_at, column_tile * 32, from, steps);
    }
}

__kernel void matmul_grad_a_b_1_kernel(
    __global float *grad_a,
    __global const float *dy,
    __global const float *b,
    const long size_j,
    const long size_i,
    const long dy_offset,
    const long dy_stride_n0,
    const long dy_stride_i,
    const long size_k,
    const long b_offset,
    const long b_stride_n0,
    const long b_stride_k,
    const long grad_a_offset,
    const long grad_a_stride_n0,
    const long grad_a_stride_i,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long items,
    __global float *matmul_grad_a_b_2_panels_of_2,
    __global const float *dy_of_2,
    const long dy_stride_i_of_2,
    const long size_i_of_2,
    const long size_j_of_2,
    const long dy_offset_of_2,
    const long dy_stride_n0_of_2,
    const long chunk_of_2,
    const long units_of_2) {
    long item = get_global_id(0);
    if (item < items) {
        matmul_grad_a_b_1_item(grad_a, dy, b, size_j, size_i, dy_offset, dy_stride_n0, dy_stride_i, size_k, b_offset, b_stride_n0, b_stride_k, grad_a_offset, grad_a_stride_n0, grad_a_stride_i, row_block, column_block, chunk, units, item);
    } else {
        item -= items;
        matmul_grad_a_b_2_panels_item(matmul_grad_a_b_2_panels_of_2, dy_of_2, dy_stride_i_of_2, size_i_of_2, size_j_of_2, dy_offset_of_2, dy_stride_n0_of_2, chunk_of_2, units_of_2, item);
    }
}


// matmul_grad_a_b (kernels_dsl/linear_algebra.netcl)
//     grad_b[n0, k, j] = sum[i](a[n0, i, k] * dy[n0, i, j])
__attribute__((noinline)) void matmul_grad_a_b_2_steps(
    __global float *grad_b,
    __global const float *a,
    __global const float *dy,
    __global const float *matmul_grad_a_b_2_panels,
    const long a_stride_i,
    const long size_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long size_j,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long from,
    const long steps,
    long *left_at) {
    long i = from;
    for (long step = 0; step < steps; ++step) {
        left_at[step] = i * a_stride_i;
        ++i;
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_left(
    __global float *grad_b,
    __global const float *a,
    __global const float *dy,
    __global const float *matmul_grad_a_b_2_panels,
    const long a_stride_i,
    const long size_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long size_j,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    float *to,
    const long *left_at,
    const long first,
    const long count,
    const long from,
    const long steps) {
    long begins[96];
    for (long tile = 0; tile < count; ++tile) {
        const long line = first + tile * 8, exist = min(8L, (size_k) - line);
        long *begin = begins + tile * 8;
        {
            long k = line;
            for (int x = 0; x < 8; ++x) {
                begin[x] = a_offset + n0 * a_stride_n0 + k;
                if (x + 1 < exist) {
                    ++k;
                }
            }
        }
    }
    for (long first_step = 0; first_step < steps; first_step += 16)
        for (long tile = 0; tile < count; ++tile) {
            const long line = first + tile * 8, exist = min(8L, (size_k) - line);
            float *panel = to + tile * steps * 8;
            const long *begin = begins + tile * 8;
            for (int group = 0; group < 8; group += 8) {
                long step = first_step;
                const long end = min(steps, first_step + 16);
                if (group >= exist)
                    for (; step < end; ++step) vstore8((float8)(0), 0, panel + step * 8 + group);
                int breaks = 0, split = 0;
                for (int x = 1; x < 8; ++x) {
                    if (begin[group + x] == begin[group + x - 1] + 1) continue;
                    ++breaks;
                    split = x;
                }
                if (breaks == 0)
                    for (; step < end; ++step) vstore8(vload8(0, a + left_at[step] + begin[group]), 0, panel + step * 8 + group);
                if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {
                    const int8 later = (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)(split);
                    for (; step < end; ++step) vstore8(later ? vload8(0, a + left_at[step] + begin[group + 7] - 7) : vload8(0, a + left_at[step] + begin[group]), 0, panel + step * 8 + group);
                }
                for (; step < end; ++step) {
                    for (int x = 0; x < 8; ++x)
                        panel[step * 8 + group + x] = a[begin[group + x] + left_at[step]];
                }
            }
        }
}

__attribute__((noinline)) void matmul_grad_a_b_2_store(
    __global float *grad_b,
    __global const float *a,
    __global const float *dy,
    __global const float *matmul_grad_a_b_2_panels,
    const long a_stride_i,
    const long size_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long size_j,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long n0,
    const float *sums,
    const long row,
    const long column) {
    const long lines = min(8L, (size_k) - row);
    const long count = min(32L, (size_j) - column);
    const long j = column;
    const long j_first = j;
    for (long line = 0; line < lines; ++line) {
        const long k = row + line;
        long j = j_first;
        const long end = count + line * 32;
        long at = line * 32;
        while (at < end) {
            const long run = min(end, at + size_j - (j));
            for (; at + 16 <= run; at += 16, j += 16) {
                const float16 totals = vload16(0, sums + at);
                store_floats(totals, grad_b + grad_b_offset + n0 * grad_b_stride_n0 + k * grad_b_stride_k + j);
            }
            for (; at < run; at += 1, j += 1) {
                const float total = sums[at];
                grad_b[grad_b_offset + n0 * grad_b_stride_n0 + k * grad_b_stride_k + j] = total;
            }
        }
    }
}

__attribute__((noinline)) void matmul_grad_a_b_2_item(
    __global float *grad_b,
    __global const float *a,
    __global const float *dy,
    __global const float *matmul_grad_a_b_2_panels,
    const long a_stride_i,
    const long size_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long size_j,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units,
    const long item) {
    float sums[36864];
    float left[24576];
    const long row_tiles = ((size_k) + 7) / 8, row_blocks = (row_tiles + row_block - 1) / row_block;
    const long column_tiles = ((size_j) + 31) / 32;
    const long column_blocks = (column_tiles + column_block - 1) / column_block;
    const long chunks = max(1L, ((size_i) + 255) / 256);
    const long end = min((item + 1) * chunk, units);
    for (long unit = item * chunk; unit < end; ++unit) {
        long rest = unit;
        const long first_row = rest % row_blocks * row_block, end_row = min(first_row + row_block, row_tiles);
        rest /= row_blocks;
        const long first_column = rest % column_blocks * column_block;
        const long end_column = min(first_column + column_block, column_tiles);
        rest /= column_blocks;
        const long begin_chunk = 0, end_chunk = chunks;
        const long n0 = rest;
        long left_at[256];
        for (long number = begin_chunk; number < end_chunk; ++number) {
            const long from = number * 256, steps = min(256L, (size_i) - from);
            matmul_grad_a_b_2_steps(grad_b, a, dy, matmul_grad_a_b_2_panels, a_stride_i, size_i, size_k, a_offset, a_stride_n0, grad_b_offset, grad_b_stride_n0, grad_b_stride_k, size_j, row_block, column_block, chunk, units, from, steps, left_at);
            matmul_grad_a_b_2_left(grad_b, a, dy, matmul_grad_a_b_2_panels, a_stride_i, size_i, size_k, a_offset, a_stride_n0, grad_b_offset, grad_b_stride_n0, grad_b_stride_k, size_j, row_block, column_block, chunk, units, n0, left, left_at, first_row * 8, end_row - first_row, from, steps);
            for (long column_tile = first_column; column_tile < end_column; ++column_tile) {
                __global const float *panel = matmul_grad_a_b_2_panels + (((n0) * chunks + number) * column_tiles + column_tile) * 8192;
                for (long row_tile = first_row; row_tile < end_row; ++row_tile) {
                    const long row_number = row_tile - first_row;
                    float *sum = sums + ((column_tile - first_column) * row_block + row_number) * 256;
                    const long remaining = (size_j) - column_tile * 32;
                    if (remaining > 16)
                        tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else if (remaining > 8)
                        half_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    else
                        quarter_tile_float_32_global(left + row_number * steps * 8, panel, sum, steps, number == begin_chunk);
                    if (number + 1 == end_chunk)
                        matmul_grad_a_b_2_store(grad_b, a, dy, matmul_grad_a_b_2_panels, a_stride_i, size_i, size_k, a_offset, a_stride_n0, grad_b_offset, grad_b_stride_n0, grad_b_stride_k, size_j, row_block, column_block, chunk, units, n0, sum, row_tile * 8, column_tile * 32);
                }
            }
        }
    }
}

__kernel void matmul_grad_a_b_2_kernel(
    __global float *grad_b,
    __global const float *a,
    __global const float *dy,
    __global const float *matmul_grad_a_b_2_panels,
    const long a_stride_i,
    const long size_i,
    const long size_k,
    const long a_offset,
    const long a_stride_n0,
    const long grad_b_offset,
    const long grad_b_stride_n0,
    const long grad_b_stride_k,
    const long size_j,
    const long row_block,
    const long column_block,
    const long chunk,
    const long units) {
    matmul_grad_a_b_2_item(grad_b, a, dy, matmul_grad_a_b_2_panels, a_stride_i, size_i, size_k, a_offset, a_stride_n0, grad_b_offset, grad_b_stride_n0, grad_b_stride_k, size_j, row_block, column_block, chunk, units, get_global_id(0));
}
