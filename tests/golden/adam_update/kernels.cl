// adam_update (kernels_dsl/optimizer.netcl)
//     p_next[i0] = p[i0] - lr * ((beta1 * m[i0]
//         + (1 - beta1) * (g[i0] + weight_decay * p[i0])) / c1) / (sqrt((beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])) / c2) + eps)
//     m_next[i0] = beta1 * m[i0] + (1 - beta1) * (g[i0] + weight_decay * p[i0])
//     v_next[i0] = beta2 * v[i0] + (1 - beta2) * (g[i0] + weight_decay * p[i0]) * (g[i0] + weight_decay * p[i0])
__attribute__((noinline)) void adam_update__item(
    __global const float *p_,
    __global const float *m_,
    __global const float *g_,
    __global const float *v_,
    __global float *p_next_,
    __global float *m_next_,
    __global float *v_next_,
    const long units,
    const long chunk,
    const long p_offset_,
    const float lr_,
    const float beta1_,
    const long m_offset_,
    const float n1_beta1_,
    const long g_offset_,
    const float weight_decay_,
    const float c1_,
    const float beta2_,
    const long v_offset_,
    const float n1_beta2_,
    const float c2_,
    const float eps_,
    const long p_next_offset_,
    const long m_next_offset_,
    const long v_next_offset_,
    const long item) {
    const long begin = item * chunk;
    const long count = min(chunk, units - begin);
    const long vectors = count >> 4;
    for (long vector = 0; vector < vectors; ++vector) {
        const long start = begin + (vector * 16L);
        const float16 p_value_ = load_floats(p_ + p_offset_ + start);
        const float16 m_value_ = load_floats(m_ + m_offset_ + start);
        const float16 g_value_ = load_floats(g_ + g_offset_ + start);
        const float16 value = g_value_ + ((float16)(weight_decay_) * p_value_);
        const float16 value_2 = ((float16)(beta1_) * m_value_) + ((float16)(n1_beta1_) * value);
        const float16 v_value_ = load_floats(v_ + v_offset_ + start);
        const float16 value_3 = ((float16)(beta2_) * v_value_) + (((float16)(n1_beta2_) * value) * value);
        const float16 value_4 = p_value_ - (((float16)(lr_) * (value_2 / (float16)(c1_))) / (sqrt(value_3 / (float16)(c2_)) + (float16)(eps_)));
        store_floats(value_4, p_next_ + p_next_offset_ + start);
        store_floats(value_2, m_next_ + m_next_offset_ + start);
        store_floats(value_3, v_next_ + v_next_offset_ + start);
    }
    for (long left = 0; left < (count & 15L); ++left) {
        const long i0_ = (begin + (vectors * 16L)) + left;
        const float p_value_2_ = p_[p_offset_ + i0_];
        const float value_5 = g_[g_offset_ + i0_] + (weight_decay_ * p_value_2_);
        const float value_6 = (beta1_ * m_[m_offset_ + i0_]) + (n1_beta1_ * value_5);
        const float value_7 = (beta2_ * v_[v_offset_ + i0_]) + ((n1_beta2_ * value_5) * value_5);
        const float value_8 = p_value_2_ - ((lr_ * (value_6 / c1_)) / (sqrt(value_7 / c2_) + eps_));
        p_next_[p_next_offset_ + i0_] = value_8;
        m_next_[m_next_offset_ + i0_] = value_6;
        v_next_[v_next_offset_ + i0_] = value_7;
    }
}

__kernel void adam_update__kernel(
    __global const float *p_,
    __global const float *m_,
    __global const float *g_,
    __global const float *v_,
    __global float *p_next_,
    __global float *m_next_,
    __global float *v_next_,
    const long units,
    const long chunk,
    const long p_offset_,
    const float lr_,
    const float beta1_,
    const long m_offset_,
    const float n1_beta1_,
    const long g_offset_,
    const float weight_decay_,
    const float c1_,
    const float beta2_,
    const long v_offset_,
    const float n1_beta2_,
    const float c2_,
    const float eps_,
    const long p_next_offset_,
    const long m_next_offset_,
    const long v_next_offset_) {
    adam_update__item(p_, m_, g_, v_, p_next_, m_next_, v_next_, units, chunk, p_offset_, lr_, beta1_, m_offset_, n1_beta1_, g_offset_, weight_decay_, c1_, beta2_, v_offset_, n1_beta2_, c2_, eps_, p_next_offset_, m_next_offset_, v_next_offset_, get_global_id(0));
}
