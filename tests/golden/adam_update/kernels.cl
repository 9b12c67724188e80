// adam_update (kernels_dsl/optimizer.netcl)
//     p_next[i0] = p[i0] - lr * ((beta1 * m[i0]
//         + (1 - beta1) * (g[i0] + weight_decay * p[i0])) / c1) / (sqrt((beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])) / c2) + eps)
//     m_next[i0] = beta1 * m[i0] + (1 - beta1) * (g[i0] + weight_decay * p[i0])
//     v_next[i0] = beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])
__attribute__((noinline)) void adam_update_item(
    __global float *p_next,
    __global float *m_next,
    __global float *v_next,
    __global const float *p,
    __global const float *m,
    __global const float *g,
    __global const float *v,
    const long chunk,
    const long units,
    const long p_offset,
    const float lr,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float weight_decay,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long p_next_offset,
    const long m_next_offset,
    const long v_next_offset,
    const long item) {
    const float t = 1.0f - beta1;
    const float t_4 = 1.0f - beta2;
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 p_value = load_floats(p + p_offset + i0);
        const float16 t_2 = load_floats(g + g_offset + i0) + ((float16)(weight_decay) * p_value);
        const float16 t_3 = ((float16)(beta1) * load_floats(m + m_offset + i0)) + ((float16)(t) * t_2);
        const float16 t_5 = ((float16)(beta2) * load_floats(v + v_offset + i0)) + (((float16)(t_4) * t_2) * t_2);
        const float16 t_6 = p_value - (((float16)(lr) * (t_3 / (float16)(c1))) / (sqrt(t_5 / (float16)(c2)) + (float16)(eps)));
        store_floats(t_6, p_next + p_next_offset + i0);
        store_floats(t_3, m_next + m_next_offset + i0);
        store_floats(t_5, v_next + v_next_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const float p_value_2 = p[p_offset + i0];
        const float t_7 = g[g_offset + i0] + (weight_decay * p_value_2);
        const float t_8 = (beta1 * m[m_offset + i0]) + (t * t_7);
        const float t_9 = (beta2 * v[v_offset + i0]) + ((t_4 * t_7) * t_7);
        p_next[p_next_offset + i0] = p_value_2 - ((lr * (t_8 / c1)) / (sqrt(t_9 / c2) + eps));
        m_next[m_next_offset + i0] = t_8;
        v_next[v_next_offset + i0] = t_9;
    }
}

__kernel void adam_update_kernel(
    __global float *p_next,
    __global float *m_next,
    __global float *v_next,
    __global const float *p,
    __global const float *m,
    __global const float *g,
    __global const float *v,
    const long chunk,
    const long units,
    const long p_offset,
    const float lr,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float weight_decay,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long p_next_offset,
    const long m_next_offset,
    const long v_next_offset) {
    adam_update_item(p_next, m_next, v_next, p, m, g, v, chunk, units, p_offset, lr, beta1, m_offset, g_offset, weight_decay, c1, beta2, v_offset, c2, eps, p_next_offset, m_next_offset, v_next_offset, get_global_id(0));
}
