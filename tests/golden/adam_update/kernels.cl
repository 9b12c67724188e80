// adam_update (kernels_dsl/optimizer.netcl)
//     p_next[i0] = a function of g, m, p, v
//     m_next[i0] = beta1 * m[i0] + (1 - beta1) * (decoupled > 0 ? g[i0] : g[i0] + weight_decay * p[i0])
//     v_next[i0] = beta2 * v[i0]
//         + (1 - beta2) * (decoupled > 0 ? g[i0] : g[i0] + weight_decay * p[i0]) * (decoupled > 0 ? g[i0] : g[i0] + weight_decay * p[i0])
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
    const float decoupled,
    const long p_offset,
    const float lr,
    const float weight_decay,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long p_next_offset,
    const long m_next_offset,
    const long v_next_offset,
    const long item) {
    const int is = decoupled > 0.0f;
    const float t = 1.0f - (lr * weight_decay);
    const float t_2 = 1.0f - beta1;
    const float t_5 = 1.0f - beta2;
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 p_value = load_floats(p + p_offset + i0);
        const float16 g_value = load_floats(g + g_offset + i0);
        const float16 t_3 = is ? g_value : (g_value + ((float16)(weight_decay) * p_value));
        const float16 t_4 = ((float16)(beta1) * load_floats(m + m_offset + i0)) + ((float16)(t_2) * t_3);
        const float16 t_6 = ((float16)(beta2) * load_floats(v + v_offset + i0)) + (((float16)(t_5) * t_3) * t_3);
        const float16 t_7 = (is ? (p_value * (float16)(t)) : p_value) - (((float16)(lr) * (t_4 / (float16)(c1))) / (sqrt(t_6 / (float16)(c2)) + (float16)(eps)));
        store_floats(t_7, p_next + p_next_offset + i0);
        store_floats(t_4, m_next + m_next_offset + i0);
        store_floats(t_6, v_next + v_next_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const float p_value_2 = p[p_offset + i0];
        const float g_value_2 = g[g_offset + i0];
        const float t_8 = is ? g_value_2 : (g_value_2 + (weight_decay * p_value_2));
        const float t_9 = (beta1 * m[m_offset + i0]) + (t_2 * t_8);
        const float t_10 = (beta2 * v[v_offset + i0]) + ((t_5 * t_8) * t_8);
        p_next[p_next_offset + i0] = (is ? (p_value_2 * t) : p_value_2) - ((lr * (t_9 / c1)) / (sqrt(t_10 / c2) + eps));
        m_next[m_next_offset + i0] = t_9;
        v_next[v_next_offset + i0] = t_10;
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
    const float decoupled,
    const long p_offset,
    const float lr,
    const float weight_decay,
    const float beta1,
    const long m_offset,
    const long g_offset,
    const float c1,
    const float beta2,
    const long v_offset,
    const float c2,
    const float eps,
    const long p_next_offset,
    const long m_next_offset,
    const long v_next_offset) {
    adam_update_item(p_next, m_next, v_next, p, m, g, v, chunk, units, decoupled, p_offset, lr, weight_decay, beta1, m_offset, g_offset, c1, beta2, v_offset, c2, eps, p_next_offset, m_next_offset, v_next_offset, get_global_id(0));
}


// adam_update_grad_p_g_m_v (kernels_dsl/optimizer.netcl)
//     grad_p[i0] = a function of dm_next, dp_next, dv_next, g, m, p, v
//     grad_g[i0] = a function of dm_next, dp_next, dv_next, g, m, p, v
//     grad_m[i0] = (dm_next[i0] - dp_next[i0] / (sqrt((beta2 * v[i0]
//         + (1 - beta2) * (decoupled > 0 ? g[i0] : g[i0] + weight_decay * p[i0]) * (decoupled > 0 ? g[i0] : g[i0] + weight_decay * p[i0])) / c2) + eps) * lr / c1) * beta1
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
    const float decoupled,
    const long dp_next_offset,
    const float lr,
    const float weight_decay,
    const long dv_next_offset,
    const float beta1,
    const long m_offset,
    const long g_offset,
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
    const int is = decoupled > 0.0f;
    const float t = 1.0f - (lr * weight_decay);
    const float t_2 = 1.0f - beta1;
    const float t_5 = 1.0f - beta2;
    long i0 = item * chunk;
    const long end = min(i0 + chunk, units);
    for (; i0 + 16 <= end; i0 += 16) {
        const float16 dp_next_value = load_floats(dp_next + dp_next_offset + i0);
        const float16 g_value = load_floats(g + g_offset + i0);
        const float16 t_3 = is ? g_value : (g_value + ((float16)(weight_decay) * load_floats(p + p_offset + i0)));
        const float16 t_4 = (float16)(lr) * ((((float16)(beta1) * load_floats(m + m_offset + i0)) + ((float16)(t_2) * t_3)) / (float16)(c1));
        const float16 t_6 = (float16)(t_5) * t_3;
        const float16 t_7 = sqrt((((float16)(beta2) * load_floats(v + v_offset + i0)) + (t_6 * t_3)) / (float16)(c2));
        const float16 t_8 = t_7 + (float16)(eps);
        const float16 t_9 = load_floats(dv_next + dv_next_offset + i0) + (((((t_4 / t_8) / t_8) * dp_next_value) * ((float16)(0.5f) / t_7)) / (float16)(c2));
        const float16 t_10 = load_floats(dm_next + dm_next_offset + i0) - (((dp_next_value / t_8) * (float16)(lr)) / (float16)(c1));
        const float16 t_11 = ((t_9 * t_6) + ((t_9 * t_3) * (float16)(t_5))) + (t_10 * (float16)(t_2));
        store_floats(is ? (dp_next_value * (float16)(t)) : ((t_11 * (float16)(weight_decay)) + dp_next_value), grad_p + grad_p_offset + i0);
        store_floats(t_11, grad_g + grad_g_offset + i0);
        store_floats(t_10 * (float16)(beta1), grad_m + grad_m_offset + i0);
        store_floats(t_9 * (float16)(beta2), grad_v + grad_v_offset + i0);
    }
    for (; i0 < end; ++i0) {
        const float dp_next_value_2 = dp_next[dp_next_offset + i0];
        const float g_value_2 = g[g_offset + i0];
        const float t_12 = is ? g_value_2 : (g_value_2 + (weight_decay * p[p_offset + i0]));
        const float t_13 = t_5 * t_12;
        const float t_14 = sqrt(((beta2 * v[v_offset + i0]) + (t_13 * t_12)) / c2);
        const float t_15 = t_14 + eps;
        const float t_16 = ((((lr * (((beta1 * m[m_offset + i0]) + (t_2 * t_12)) / c1)) / t_15) / t_15) * dp_next_value_2) * (0.5f / t_14);
        const float t_17 = dv_next[dv_next_offset + i0] + (t_16 / c2);
        const float t_18 = dm_next[dm_next_offset + i0] - (((dp_next_value_2 / t_15) * lr) / c1);
        const float t_19 = ((t_17 * t_13) + ((t_17 * t_12) * t_5)) + (t_18 * t_2);
        grad_p[grad_p_offset + i0] = is ? (dp_next_value_2 * t) : ((t_19 * weight_decay) + dp_next_value_2);
        grad_g[grad_g_offset + i0] = t_19;
        grad_m[grad_m_offset + i0] = t_18 * beta1;
        grad_v[grad_v_offset + i0] = t_17 * beta2;
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
    const float decoupled,
    const long dp_next_offset,
    const float lr,
    const float weight_decay,
    const long dv_next_offset,
    const float beta1,
    const long m_offset,
    const long g_offset,
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
    adam_update_grad_p_g_m_v_item(grad_p, grad_g, grad_m, grad_v, dp_next, dv_next, m, g, p, v, dm_next, chunk, units, decoupled, dp_next_offset, lr, weight_decay, dv_next_offset, beta1, m_offset, g_offset, p_offset, c1, beta2, v_offset, c2, eps, dm_next_offset, grad_p_offset, grad_g_offset, grad_m_offset, grad_v_offset, get_global_id(0));
}
