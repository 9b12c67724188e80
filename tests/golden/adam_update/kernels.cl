// adam_update (kernels_dsl/optimizer.netcl)
//     p_next[i0] = p[i0] - lr * ((beta1 * m[i0]
//         + (1 - beta1) * (g[i0] + weight_decay * p[i0])) / c1) / (sqrt((beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])) / c2) + eps)
//     m_next[i0] = beta1 * m[i0] + (1 - beta1) * (g[i0] + weight_decay * p[i0])
//     v_next[i0] = beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])
__attribute__((noinline)) void adam_update__item(
    __global float *p_next_,
    __global float *m_next_,
    __global float *v_next_,
    __global const float *p_,
    __global const float *m_,
    __global const float *g_,
    __global const float *v_,
    const long chunk,
    const long units,
    const long p_offset_,
    const float lr_,
    const float beta1_,
    const long m_offset_,
    const long g_offset_,
    const float weight_decay_,
    const float c1_,
    const float beta2_,
    const long v_offset_,
    const float c2_,
    const float eps_,
    const long p_next_offset_,
    const long m_next_offset_,
    const long v_next_offset_,
    const long item) {
    const float t = 1.0f - beta1_;
    const float t_4 = 1.0f - beta2_;
    long i0_ = item * chunk;
    const long end = min(i0_ + chunk, units);
    for (; i0_ + 16 <= end; i0_ += 16) {
        const float16 p_value_ = load_floats(p_ + p_offset_ + i0_);
        const float16 t_2 = load_floats(g_ + g_offset_ + i0_) + ((float16)(weight_decay_) * p_value_);
        const float16 t_3 = ((float16)(beta1_) * load_floats(m_ + m_offset_ + i0_)) + ((float16)(t) * t_2);
        const float16 t_5 = ((float16)(beta2_) * load_floats(v_ + v_offset_ + i0_)) + (((float16)(t_4) * t_2) * t_2);
        const float16 t_6 = p_value_ - (((float16)(lr_) * (t_3 / (float16)(c1_))) / (sqrt(t_5 / (float16)(c2_)) + (float16)(eps_)));
        store_floats(t_6, p_next_ + p_next_offset_ + i0_);
        store_floats(t_3, m_next_ + m_next_offset_ + i0_);
        store_floats(t_5, v_next_ + v_next_offset_ + i0_);
    }
    for (; i0_ < end; ++i0_) {
        const float p_value_2_ = p_[p_offset_ + i0_];
        const float t_7 = g_[g_offset_ + i0_] + (weight_decay_ * p_value_2_);
        const float t_8 = (beta1_ * m_[m_offset_ + i0_]) + (t * t_7);
        const float t_9 = (beta2_ * v_[v_offset_ + i0_]) + ((t_4 * t_7) * t_7);
        p_next_[p_next_offset_ + i0_] = p_value_2_ - ((lr_ * (t_8 / c1_)) / (sqrt(t_9 / c2_) + eps_));
        m_next_[m_next_offset_ + i0_] = t_8;
        v_next_[v_next_offset_ + i0_] = t_9;
    }
}

__kernel void adam_update__kernel(
    __global float *p_next_,
    __global float *m_next_,
    __global float *v_next_,
    __global const float *p_,
    __global const float *m_,
    __global const float *g_,
    __global const float *v_,
    const long chunk,
    const long units,
    const long p_offset_,
    const float lr_,
    const float beta1_,
    const long m_offset_,
    const long g_offset_,
    const float weight_decay_,
    const float c1_,
    const float beta2_,
    const long v_offset_,
    const float c2_,
    const float eps_,
    const long p_next_offset_,
    const long m_next_offset_,
    const long v_next_offset_) {
    adam_update__item(p_next_, m_next_, v_next_, p_, m_, g_, v_, chunk, units, p_offset_, lr_, beta1_, m_offset_, g_offset_, weight_decay_, c1_, beta2_, v_offset_, c2_, eps_, p_next_offset_, m_next_offset_, v_next_offset_, get_global_id(0));
}
