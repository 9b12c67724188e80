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


// adam_update_grad_p_g_m_v (kernels_dsl/optimizer.netcl)
//     grad_p[i0] = a function of dm_next, dp_next, dv_next, g, m, p, v
//     grad_g[i0] = a function of dm_next, dp_next, dv_next, g, m, p, v
//     grad_m[i0] = (dm_next[i0] - dp_next[i0] / (sqrt((beta2 * v[i0]
//         + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])) / c2) + eps) * lr / c1) * beta1
//     grad_v[i0] = a function of dp_next, dv_next, g, m, p, v
__attribute__((noinline)) void adam_update_grad_p_g_m_v_item(
    __global float *grad_p,
    __global float *grad_g,
    __global float *grad_m,
    __global float *grad_v,
    __global const float *dp_next,
    __global const float *dv_next,
    __global const float *m,
    __global const float *g,
    __global const float *p,
    __global const float *v,
    __global const float *dm_next,
    const long chunk,
    const long units,
    const long dp_next_offset,
    const long dv_next_offset,
    const float lr,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float weight_decay,
    const long p_offset,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long dm_next_offset,
    const long grad_p_offset,
    const long grad_g_offset,
    const long grad_m_offset,
    const long grad_v_offset,
    const long item) {
    const float t = 1.0f - beta1;
    const float t_4 = 1.0f - beta2;
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 dp_next_value = load_floats(dp_next + dp_next_offset + i0);
        const float16 t_2 = load_floats(g + g_offset + i0) + ((float16)(weight_decay) * load_floats(p + p_offset + i0));
        const float16 t_3 = (float16)(lr) * ((((float16)(beta1) * load_floats(m + m_offset + i0)) + ((float16)(t) * t_2)) / (float16)(c1));
        const float16 t_5 = (float16)(t_4) * t_2;
        const float16 t_6 = sqrt((((float16)(beta2) * load_floats(v + v_offset + i0)) + (t_5 * t_2)) / (float16)(c2));
        const float16 t_7 = t_6 + (float16)(eps);
        const float16 t_8 = load_floats(dv_next + dv_next_offset + i0) + (((((t_3 / t_7) / t_7) * dp_next_value) * ((float16)(0.5f) / t_6)) / (float16)(c2));
        const float16 t_9 = load_floats(dm_next + dm_next_offset + i0) - (((dp_next_value / t_7) * (float16)(lr)) / (float16)(c1));
        const float16 t_10 = ((t_8 * t_5) + ((t_8 * t_2) * (float16)(t_4))) + (t_9 * (float16)(t));
        store_floats(dp_next_value + (t_10 * (float16)(weight_decay)), grad_p + grad_p_offset + i0);
        store_floats(t_10, grad_g + grad_g_offset + i0);
        store_floats(t_9 * (float16)(beta1), grad_m + grad_m_offset + i0);
        store_floats(t_8 * (float16)(beta2), grad_v + grad_v_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const float dp_next_value_2 = dp_next[dp_next_offset + i0];
        const float t_11 = g[g_offset + i0] + (weight_decay * p[p_offset + i0]);
        const float t_12 = t_4 * t_11;
        const float t_13 = sqrt(((beta2 * v[v_offset + i0]) + (t_12 * t_11)) / c2);
        const float t_14 = t_13 + eps;
        const float t_15 = ((((lr * (((beta1 * m[m_offset + i0]) + (t * t_11)) / c1)) / t_14) / t_14) * dp_next_value_2) * (0.5f / t_13);
        const float t_16 = dv_next[dv_next_offset + i0] + (t_15 / c2);
        const float t_17 = dm_next[dm_next_offset + i0] - (((dp_next_value_2 / t_14) * lr) / c1);
        const float t_18 = ((t_16 * t_12) + ((t_16 * t_11) * t_4)) + (t_17 * t);
        grad_p[grad_p_offset + i0] = dp_next_value_2 + (t_18 * weight_decay);
        grad_g[grad_g_offset + i0] = t_18;
        grad_m[grad_m_offset + i0] = t_17 * beta1;
        grad_v[grad_v_offset + i0] = t_16 * beta2;
    }
}

__kernel void adam_update_grad_p_g_m_v_kernel(
    __global float *grad_p,
    __global float *grad_g,
    __global float *grad_m,
    __global float *grad_v,
    __global const float *dp_next,
    __global const float *dv_next,
    __global const float *m,
    __global const float *g,
    __global const float *p,
    __global const float *v,
    __global const float *dm_next,
    const long chunk,
    const long units,
    const long dp_next_offset,
    const long dv_next_offset,
    const float lr,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float weight_decay,
    const long p_offset,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long dm_next_offset,
    const long grad_p_offset,
    const long grad_g_offset,
    const long grad_m_offset,
    const long grad_v_offset) {
    adam_update_grad_p_g_m_v_item(grad_p, grad_g, grad_m, grad_v, dp_next, dv_next, m, g, p, v, dm_next, chunk, units, dp_next_offset, dv_next_offset, lr, beta1, m_offset, g_offset, weight_decay, p_offset, c1, beta2, v_offset, c2, eps, dm_next_offset, grad_p_offset, grad_g_offset, grad_m_offset, grad_v_offset, get_global_id(0));
}
