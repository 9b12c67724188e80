__attribute__((always_inline)) float exp_float(float a) {
    return exp_times_float(a, (int)(0));
}

__attribute__((always_inline)) float16 exp_float16(float16 a) {
    return exp_times_float16(a, (int16)(0));
}

// e^a * 2^shift; a shift is for a >= 0.
__attribute__((always_inline)) float exp_times_float(float a, int shift) {
    const float below = (a > 91.0f) ? (float)(91.0f) : a;
    const float x = (below < -104.0f) ? (float)(-176.0594f) : below;
    const float shifted = fma(x, (float)(1.442695f), (float)(12582912.0f));
    const float n = shifted - 12582912.0f;
    const int i = as_int(shifted) - 0x4b400000;
    const float f = fma(n, (float)(-1.42860677e-6f), fma(n, (float)(-0.693145752f), x));
    float p = 0.0013813145f;
    p = fma(p, f, (float)(0.008369419f));
    p = fma(p, f, (float)(0.041668456f));
    p = fma(p, f, (float)(0.16666515f));
    p = fma(p, f, (float)(0.49999994f));
    p = fma(p, f * f, f) + 1.0f;
    return scaled_float(p, i + shift);
}

// e^a * 2^shift; a shift is for a >= 0.
__attribute__((always_inline)) float16 exp_times_float16(float16 a, int16 shift) {
    const float16 below = (a > 91.0f) ? (float16)(91.0f) : a;
    const float16 x = (below < -104.0f) ? (float16)(-176.0594f) : below;
    const float16 shifted = fma(x, (float16)(1.442695f), (float16)(12582912.0f));
    const float16 n = shifted - 12582912.0f;
    const int16 i = as_int16(shifted) - 0x4b400000;
    const float16 f = fma(n, (float16)(-1.42860677e-6f), fma(n, (float16)(-0.693145752f), x));
    float16 p = 0.0013813145f;
    p = fma(p, f, (float16)(0.008369419f));
    p = fma(p, f, (float16)(0.041668456f));
    p = fma(p, f, (float16)(0.16666515f));
    p = fma(p, f, (float16)(0.49999994f));
    p = fma(p, f * f, f) + 1.0f;
    return scaled_float16(p, i + shift);
}

// Neighbours at once, which vload16 and vstore16 may read and write in small pieces.
typedef float16 __attribute__((aligned(4))) any_floats;
float16 load_floats(__global const float *from) {
    return *(__global const any_floats *)from;
}
void store_floats(float16 value, __global float *to) {
    *(__global any_floats *)to = value;
}

// Neighbours at once, which vload8 and vstore8 may read and write in small pieces.
typedef float8 __attribute__((aligned(4))) any_floats_8;
float8 load_floats_8(__global const float *from) {
    return *(__global const any_floats_8 *)from;
}
void store_floats_8(float8 value, __global float *to) {
    *(__global any_floats_8 *)to = value;
}

// Division that rounds down; 0 where b is 0.
long floor_div_long(long a, long b) {
    if (b == 0) return 0;
    if (((ulong)(a | b) >> 32) == 0) return (uint)a / (uint)b;
    if (b == -1) return (long)(0 - (ulong)a);
    const long quotient = a / b;
    return ((a % b != 0) && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

int fold_all_int16(int16 v) {
    const int8 v8 = v.lo & v.hi;
    const int4 v4 = v8.lo & v8.hi;
    const int2 v2 = v4.lo & v4.hi;
    const int v1 = v2.lo & v2.hi;
    return v1 != 0;
}

int fold_any_int16(int16 v) {
    const int8 v8 = v.lo | v.hi;
    const int4 v4 = v8.lo | v8.hi;
    const int2 v2 = v4.lo | v4.hi;
    const int v1 = v2.lo | v2.hi;
    return v1 != 0;
}

float fold_max_float16(float16 v) {
    const float8 v8 = ((v.lo > v.hi) | (v.lo != v.lo)) ? v.lo : v.hi;
    const float4 v4 = ((v8.lo > v8.hi) | (v8.lo != v8.lo)) ? v8.lo : v8.hi;
    const float2 v2 = ((v4.lo > v4.hi) | (v4.lo != v4.lo)) ? v4.lo : v4.hi;
    const float v1 = ((v2.lo > v2.hi) || (v2.lo != v2.lo)) ? v2.lo : v2.hi;
    return v1;
}

float fold_sum_float16(float16 v) {
    const float8 v8 = v.lo + v.hi;
    const float4 v4 = v8.lo + v8.hi;
    const float2 v2 = v4.lo + v4.hi;
    const float v1 = v2.lo + v2.hi;
    return v1;
}

__attribute__((noinline)) void half_tile_float32_8x32_global(
    const float *left_rows,
    __global const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float16 sum_0a_half_tile;
    float16 sum_1a_half_tile;
    float16 sum_2a_half_tile;
    float16 sum_3a_half_tile;
    float16 sum_4a_half_tile;
    float16 sum_5a_half_tile;
    float16 sum_6a_half_tile;
    float16 sum_7a_half_tile;
    sum_0a_half_tile = (float16)(0.0f);
    sum_1a_half_tile = (float16)(0.0f);
    sum_2a_half_tile = (float16)(0.0f);
    sum_3a_half_tile = (float16)(0.0f);
    sum_4a_half_tile = (float16)(0.0f);
    sum_5a_half_tile = (float16)(0.0f);
    sum_6a_half_tile = (float16)(0.0f);
    sum_7a_half_tile = (float16)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float16 column_a = load_floats(right_columns + columns + (step_of_tile * 32L));
        sum_0a_half_tile = fma((float16)(left_rows[rows + (step_of_tile * 8L)]), column_a, sum_0a_half_tile);
        sum_1a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 1L]), column_a, sum_1a_half_tile);
        sum_2a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 2L]), column_a, sum_2a_half_tile);
        sum_3a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 3L]), column_a, sum_3a_half_tile);
        sum_4a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 4L]), column_a, sum_4a_half_tile);
        sum_5a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 5L]), column_a, sum_5a_half_tile);
        sum_6a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 6L]), column_a, sum_6a_half_tile);
        sum_7a_half_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 7L]), column_a, sum_7a_half_tile);
    }
    if (before == 0L) {
        store_private_floats(sum_0a_half_tile, tile_sums + sums);
        store_private_floats(sum_1a_half_tile, tile_sums + sums + 32L);
        store_private_floats(sum_2a_half_tile, tile_sums + sums + 64L);
        store_private_floats(sum_3a_half_tile, tile_sums + sums + 96L);
        store_private_floats(sum_4a_half_tile, tile_sums + sums + 128L);
        store_private_floats(sum_5a_half_tile, tile_sums + sums + 160L);
        store_private_floats(sum_6a_half_tile, tile_sums + sums + 192L);
        store_private_floats(sum_7a_half_tile, tile_sums + sums + 224L);
    }
    if (before != 0L) {
        store_private_floats(load_private_floats(tile_sums + sums) + sum_0a_half_tile, tile_sums + sums);
        store_private_floats(load_private_floats(tile_sums + sums + 32L) + sum_1a_half_tile, tile_sums + sums + 32L);
        store_private_floats(load_private_floats(tile_sums + sums + 64L) + sum_2a_half_tile, tile_sums + sums + 64L);
        store_private_floats(load_private_floats(tile_sums + sums + 96L) + sum_3a_half_tile, tile_sums + sums + 96L);
        store_private_floats(load_private_floats(tile_sums + sums + 128L) + sum_4a_half_tile, tile_sums + sums + 128L);
        store_private_floats(load_private_floats(tile_sums + sums + 160L) + sum_5a_half_tile, tile_sums + sums + 160L);
        store_private_floats(load_private_floats(tile_sums + sums + 192L) + sum_6a_half_tile, tile_sums + sums + 192L);
        store_private_floats(load_private_floats(tile_sums + sums + 224L) + sum_7a_half_tile, tile_sums + sums + 224L);
    }
}

__attribute__((noinline)) void half_tile_float32_8x32_in_place(
    __global const float *left_rows,
    const long *row_begins,
    const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float16 sum_0a_half_tile;
    float16 sum_1a_half_tile;
    float16 sum_2a_half_tile;
    float16 sum_3a_half_tile;
    float16 sum_4a_half_tile;
    float16 sum_5a_half_tile;
    float16 sum_6a_half_tile;
    float16 sum_7a_half_tile;
    sum_0a_half_tile = (float16)(0.0f);
    sum_1a_half_tile = (float16)(0.0f);
    sum_2a_half_tile = (float16)(0.0f);
    sum_3a_half_tile = (float16)(0.0f);
    sum_4a_half_tile = (float16)(0.0f);
    sum_5a_half_tile = (float16)(0.0f);
    sum_6a_half_tile = (float16)(0.0f);
    sum_7a_half_tile = (float16)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float16 column_a = load_private_floats(right_columns + columns + (step_of_tile * 32L));
        sum_0a_half_tile = fma((float16)(left_rows[row_begins[rows] + (first + step_of_tile)]), column_a, sum_0a_half_tile);
        sum_1a_half_tile = fma((float16)(left_rows[row_begins[rows + 1L] + (first + step_of_tile)]), column_a, sum_1a_half_tile);
        sum_2a_half_tile = fma((float16)(left_rows[row_begins[rows + 2L] + (first + step_of_tile)]), column_a, sum_2a_half_tile);
        sum_3a_half_tile = fma((float16)(left_rows[row_begins[rows + 3L] + (first + step_of_tile)]), column_a, sum_3a_half_tile);
        sum_4a_half_tile = fma((float16)(left_rows[row_begins[rows + 4L] + (first + step_of_tile)]), column_a, sum_4a_half_tile);
        sum_5a_half_tile = fma((float16)(left_rows[row_begins[rows + 5L] + (first + step_of_tile)]), column_a, sum_5a_half_tile);
        sum_6a_half_tile = fma((float16)(left_rows[row_begins[rows + 6L] + (first + step_of_tile)]), column_a, sum_6a_half_tile);
        sum_7a_half_tile = fma((float16)(left_rows[row_begins[rows + 7L] + (first + step_of_tile)]), column_a, sum_7a_half_tile);
    }
    if (before == 0L) {
        store_private_floats(sum_0a_half_tile, tile_sums + sums);
        store_private_floats(sum_1a_half_tile, tile_sums + sums + 32L);
        store_private_floats(sum_2a_half_tile, tile_sums + sums + 64L);
        store_private_floats(sum_3a_half_tile, tile_sums + sums + 96L);
        store_private_floats(sum_4a_half_tile, tile_sums + sums + 128L);
        store_private_floats(sum_5a_half_tile, tile_sums + sums + 160L);
        store_private_floats(sum_6a_half_tile, tile_sums + sums + 192L);
        store_private_floats(sum_7a_half_tile, tile_sums + sums + 224L);
    }
    if (before != 0L) {
        store_private_floats(load_private_floats(tile_sums + sums) + sum_0a_half_tile, tile_sums + sums);
        store_private_floats(load_private_floats(tile_sums + sums + 32L) + sum_1a_half_tile, tile_sums + sums + 32L);
        store_private_floats(load_private_floats(tile_sums + sums + 64L) + sum_2a_half_tile, tile_sums + sums + 64L);
        store_private_floats(load_private_floats(tile_sums + sums + 96L) + sum_3a_half_tile, tile_sums + sums + 96L);
        store_private_floats(load_private_floats(tile_sums + sums + 128L) + sum_4a_half_tile, tile_sums + sums + 128L);
        store_private_floats(load_private_floats(tile_sums + sums + 160L) + sum_5a_half_tile, tile_sums + sums + 160L);
        store_private_floats(load_private_floats(tile_sums + sums + 192L) + sum_6a_half_tile, tile_sums + sums + 192L);
        store_private_floats(load_private_floats(tile_sums + sums + 224L) + sum_7a_half_tile, tile_sums + sums + 224L);
    }
}

float16 load_floats_apart(__global const float *from, long step) {
    __asm__("" : "+r"(from));  // else a loop around this keeps an address for each lane
    float16 found;
    found.s0 = from[0];
    found.s1 = from[step];
    found.s2 = from[2 * step];
    found.s3 = from[3 * step];
    from += 4 * step; found.s4 = from[0];
    found.s5 = from[step];
    found.s6 = from[2 * step];
    found.s7 = from[3 * step];
    from += 4 * step; found.s8 = from[0];
    found.s9 = from[step];
    found.sa = from[2 * step];
    found.sb = from[3 * step];
    from += 4 * step; found.sc = from[0];
    found.sd = from[step];
    found.se = from[2 * step];
    found.sf = from[3 * step];
    return found;
}

__attribute__((always_inline)) float16 load_floats_at(__global const float *from, long16 at) {
    float16 found;
    found.s0 = from[at.s0];
    found.s1 = from[at.s1];
    found.s2 = from[at.s2];
    found.s3 = from[at.s3];
    found.s4 = from[at.s4];
    found.s5 = from[at.s5];
    found.s6 = from[at.s6];
    found.s7 = from[at.s7];
    found.s8 = from[at.s8];
    found.s9 = from[at.s9];
    found.sa = from[at.sa];
    found.sb = from[at.sb];
    found.sc = from[at.sc];
    found.sd = from[at.sd];
    found.se = from[at.se];
    found.sf = from[at.sf];
    return found;
}

__attribute__((always_inline)) float log_float(float a) {
    const int normal = (a >= 1.17549435e-38f) & (a < INFINITY);
    if ((normal == 0)) return log_of_any_float(a);
    return log_of_normal_float(a, (float)(0.0f));
}

__attribute__((always_inline)) float16 log_float16(float16 a) {
    const int16 normal = (a >= 1.17549435e-38f) & (a < INFINITY);
    if (fold_any_int16(normal == 0)) return log_of_any_float16(a);
    return log_of_normal_float16(a, (float16)(0.0f));
}

// The same of zeros, infinities, NaN, numbers below the normal ones and negative ones.
__attribute__((always_inline)) float log_of_any_float(float a) {
    const int tiny = a < 1.17549435e-38f;
    const float normal = tiny ? a * 8388608.0f : a;
    const float result = log_of_normal_float(normal, tiny ? (float)(-23.0f) : (float)(0.0f));
    const float outside = (a == 0.0f) ? (float)(-INFINITY) : ((a < 0.0f) ? (float)(NAN) : a);
    return ((a > 0.0f) & (a < INFINITY)) ? result : outside;
}

// The same of zeros, infinities, NaN, numbers below the normal ones and negative ones.
__attribute__((always_inline)) float16 log_of_any_float16(float16 a) {
    const int16 tiny = a < 1.17549435e-38f;
    const float16 normal = tiny ? a * 8388608.0f : a;
    const float16 result = log_of_normal_float16(normal, tiny ? (float16)(-23.0f) : (float16)(0.0f));
    const float16 outside = (a == 0.0f) ? (float16)(-INFINITY) : ((a < 0.0f) ? (float16)(NAN) : a);
    return ((a > 0.0f) & (a < INFINITY)) ? result : outside;
}

// log(a * 2^shift) for a normal number a > 0.
__attribute__((always_inline)) float log_of_normal_float(float a, float shift) {
    const int exponent = (as_int(a) - 0x3f400000) & (int)(0xff800000);
    const float m = as_float(as_int(a) - exponent) - 1.0f;
    const float i = fma(convert_float(exponent), (float)(1.1920929e-7f), shift);
    return fma(i, (float)(0.693147182f), m + log_rest_float(m));
}

// log(a * 2^shift) for a normal number a > 0.
__attribute__((always_inline)) float16 log_of_normal_float16(float16 a, float16 shift) {
    const int16 exponent = (as_int16(a) - 0x3f400000) & (int16)(0xff800000);
    const float16 m = as_float16(as_int16(a) - exponent) - 1.0f;
    const float16 i = fma(convert_float16(exponent), (float16)(1.1920929e-7f), shift);
    return fma(i, (float16)(0.693147182f), m + log_rest_float16(m));
}

// log(1 + m) without its linear term, for -1/4 <= m <= 1/2.
__attribute__((always_inline)) float log_rest_float(float m) {
    float p = -0.04507480189204216f;
    p = fma(p, m, (float)(0.10463022440671921f));
    p = fma(p, m, (float)(-0.13161194324493408f));
    p = fma(p, m, (float)(0.14478394389152527f));
    p = fma(p, m, (float)(-0.1664731204509735f));
    p = fma(p, m, (float)(0.19990861415863037f));
    p = fma(p, m, (float)(-0.2500009536743164f));
    p = fma(p, m, (float)(0.3333345055580139f));
    p = fma(p, m, (float)(-0.5f));
    return p * (m * m);
}

// log(1 + m) without its linear term, for -1/4 <= m <= 1/2.
__attribute__((always_inline)) float16 log_rest_float16(float16 m) {
    float16 p = -0.04507480189204216f;
    p = fma(p, m, (float16)(0.10463022440671921f));
    p = fma(p, m, (float16)(-0.13161194324493408f));
    p = fma(p, m, (float16)(0.14478394389152527f));
    p = fma(p, m, (float16)(-0.1664731204509735f));
    p = fma(p, m, (float16)(0.19990861415863037f));
    p = fma(p, m, (float16)(-0.2500009536743164f));
    p = fma(p, m, (float16)(0.3333345055580139f));
    p = fma(p, m, (float16)(-0.5f));
    return p * (m * m);
}

// The smaller one, NaN if one is NaN (fmin would hide it).
float16 minimum_float16(float16 a, float16 b) {
    return ((a < b) | (a != a)) ? a : b;
}

// The rest of `floor_div`: it has the sign of b; 0 where b is 0.
long mod_long(long a, long b) {
    return (b == 0 || b == -1) ? 0 : a - floor_div_long(a, b) * b;
}

// NaN if there was one. By bits: a literal under a condition may become a masked read, which some CPUs are slow at.
float or_nan_float(float value, int nan) {
    return as_float(as_int(value) | (-(int)(nan != 0) & (int)0x7fc00000));
}

// Neighbours at once, which vload16 and vstore16 may read and write in small pieces.
typedef float16 __attribute__((aligned(4))) any_private_floats;
float16 load_private_floats(__private const float *from) {
    return *(__private const any_private_floats *)from;
}
void store_private_floats(float16 value, __private float *to) {
    *(__private any_private_floats *)to = value;
}

// Neighbours at once, which vload8 and vstore8 may read and write in small pieces.
typedef float8 __attribute__((aligned(4))) any_private_floats_8;
float8 load_private_floats_8(__private const float *from) {
    return *(__private const any_private_floats_8 *)from;
}
void store_private_floats_8(float8 value, __private float *to) {
    *(__private any_private_floats_8 *)to = value;
}

__attribute__((noinline)) void quarter_tile_float32_8x32_global(
    const float *left_rows,
    __global const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float8 sum_0a_quarter_tile;
    float8 sum_1a_quarter_tile;
    float8 sum_2a_quarter_tile;
    float8 sum_3a_quarter_tile;
    float8 sum_4a_quarter_tile;
    float8 sum_5a_quarter_tile;
    float8 sum_6a_quarter_tile;
    float8 sum_7a_quarter_tile;
    sum_0a_quarter_tile = (float8)(0.0f);
    sum_1a_quarter_tile = (float8)(0.0f);
    sum_2a_quarter_tile = (float8)(0.0f);
    sum_3a_quarter_tile = (float8)(0.0f);
    sum_4a_quarter_tile = (float8)(0.0f);
    sum_5a_quarter_tile = (float8)(0.0f);
    sum_6a_quarter_tile = (float8)(0.0f);
    sum_7a_quarter_tile = (float8)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float8 column_a = load_floats_8(right_columns + columns + (step_of_tile * 32L));
        sum_0a_quarter_tile = fma((float8)(left_rows[rows + (step_of_tile * 8L)]), column_a, sum_0a_quarter_tile);
        sum_1a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 1L]), column_a, sum_1a_quarter_tile);
        sum_2a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 2L]), column_a, sum_2a_quarter_tile);
        sum_3a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 3L]), column_a, sum_3a_quarter_tile);
        sum_4a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 4L]), column_a, sum_4a_quarter_tile);
        sum_5a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 5L]), column_a, sum_5a_quarter_tile);
        sum_6a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 6L]), column_a, sum_6a_quarter_tile);
        sum_7a_quarter_tile = fma((float8)(left_rows[(rows + (step_of_tile * 8L)) + 7L]), column_a, sum_7a_quarter_tile);
    }
    if (before == 0L) {
        store_private_floats_8(sum_0a_quarter_tile, tile_sums + sums);
        store_private_floats_8(sum_1a_quarter_tile, tile_sums + sums + 32L);
        store_private_floats_8(sum_2a_quarter_tile, tile_sums + sums + 64L);
        store_private_floats_8(sum_3a_quarter_tile, tile_sums + sums + 96L);
        store_private_floats_8(sum_4a_quarter_tile, tile_sums + sums + 128L);
        store_private_floats_8(sum_5a_quarter_tile, tile_sums + sums + 160L);
        store_private_floats_8(sum_6a_quarter_tile, tile_sums + sums + 192L);
        store_private_floats_8(sum_7a_quarter_tile, tile_sums + sums + 224L);
    }
    if (before != 0L) {
        store_private_floats_8(load_private_floats_8(tile_sums + sums) + sum_0a_quarter_tile, tile_sums + sums);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 32L) + sum_1a_quarter_tile, tile_sums + sums + 32L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 64L) + sum_2a_quarter_tile, tile_sums + sums + 64L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 96L) + sum_3a_quarter_tile, tile_sums + sums + 96L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 128L) + sum_4a_quarter_tile, tile_sums + sums + 128L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 160L) + sum_5a_quarter_tile, tile_sums + sums + 160L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 192L) + sum_6a_quarter_tile, tile_sums + sums + 192L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 224L) + sum_7a_quarter_tile, tile_sums + sums + 224L);
    }
}

__attribute__((noinline)) void quarter_tile_float32_8x32_in_place(
    __global const float *left_rows,
    const long *row_begins,
    const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float8 sum_0a_quarter_tile;
    float8 sum_1a_quarter_tile;
    float8 sum_2a_quarter_tile;
    float8 sum_3a_quarter_tile;
    float8 sum_4a_quarter_tile;
    float8 sum_5a_quarter_tile;
    float8 sum_6a_quarter_tile;
    float8 sum_7a_quarter_tile;
    sum_0a_quarter_tile = (float8)(0.0f);
    sum_1a_quarter_tile = (float8)(0.0f);
    sum_2a_quarter_tile = (float8)(0.0f);
    sum_3a_quarter_tile = (float8)(0.0f);
    sum_4a_quarter_tile = (float8)(0.0f);
    sum_5a_quarter_tile = (float8)(0.0f);
    sum_6a_quarter_tile = (float8)(0.0f);
    sum_7a_quarter_tile = (float8)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float8 column_a = load_private_floats_8(right_columns + columns + (step_of_tile * 32L));
        sum_0a_quarter_tile = fma((float8)(left_rows[row_begins[rows] + (first + step_of_tile)]), column_a, sum_0a_quarter_tile);
        sum_1a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 1L] + (first + step_of_tile)]), column_a, sum_1a_quarter_tile);
        sum_2a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 2L] + (first + step_of_tile)]), column_a, sum_2a_quarter_tile);
        sum_3a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 3L] + (first + step_of_tile)]), column_a, sum_3a_quarter_tile);
        sum_4a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 4L] + (first + step_of_tile)]), column_a, sum_4a_quarter_tile);
        sum_5a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 5L] + (first + step_of_tile)]), column_a, sum_5a_quarter_tile);
        sum_6a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 6L] + (first + step_of_tile)]), column_a, sum_6a_quarter_tile);
        sum_7a_quarter_tile = fma((float8)(left_rows[row_begins[rows + 7L] + (first + step_of_tile)]), column_a, sum_7a_quarter_tile);
    }
    if (before == 0L) {
        store_private_floats_8(sum_0a_quarter_tile, tile_sums + sums);
        store_private_floats_8(sum_1a_quarter_tile, tile_sums + sums + 32L);
        store_private_floats_8(sum_2a_quarter_tile, tile_sums + sums + 64L);
        store_private_floats_8(sum_3a_quarter_tile, tile_sums + sums + 96L);
        store_private_floats_8(sum_4a_quarter_tile, tile_sums + sums + 128L);
        store_private_floats_8(sum_5a_quarter_tile, tile_sums + sums + 160L);
        store_private_floats_8(sum_6a_quarter_tile, tile_sums + sums + 192L);
        store_private_floats_8(sum_7a_quarter_tile, tile_sums + sums + 224L);
    }
    if (before != 0L) {
        store_private_floats_8(load_private_floats_8(tile_sums + sums) + sum_0a_quarter_tile, tile_sums + sums);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 32L) + sum_1a_quarter_tile, tile_sums + sums + 32L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 64L) + sum_2a_quarter_tile, tile_sums + sums + 64L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 96L) + sum_3a_quarter_tile, tile_sums + sums + 96L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 128L) + sum_4a_quarter_tile, tile_sums + sums + 128L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 160L) + sum_5a_quarter_tile, tile_sums + sums + 160L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 192L) + sum_6a_quarter_tile, tile_sums + sums + 192L);
        store_private_floats_8(load_private_floats_8(tile_sums + sums + 224L) + sum_7a_quarter_tile, tile_sums + sums + 224L);
    }
}

// p * 2^i for p near 1, in two steps, so that results below the normal numbers are rounded once.
__attribute__((always_inline)) float scaled_float(float p, int i) {
    const int half_i = i >> 1;
    return p * as_float((half_i + 127) << 23) * as_float((i - half_i + 127) << 23);
}

// p * 2^i for p near 1, in two steps, so that results below the normal numbers are rounded once.
__attribute__((always_inline)) float16 scaled_float16(float16 p, int16 i) {
    const int16 half_i = i >> 1;
    return p * as_float16((half_i + 127) << 23) * as_float16((i - half_i + 127) << 23);
}

void store_floats_apart(float16 value, __global float *to, long step) {
    __asm__("" : "+r"(to));  // else a loop around this keeps an address for each lane
    to[0] = value.s0;
    to[step] = value.s1;
    to[2 * step] = value.s2;
    to[3 * step] = value.s3;
    to += 4 * step; to[0] = value.s4;
    to[step] = value.s5;
    to[2 * step] = value.s6;
    to[3 * step] = value.s7;
    to += 4 * step; to[0] = value.s8;
    to[step] = value.s9;
    to[2 * step] = value.sa;
    to[3 * step] = value.sb;
    to += 4 * step; to[0] = value.sc;
    to[step] = value.sd;
    to[2 * step] = value.se;
    to[3 * step] = value.sf;
}

// Those of sixteen values that the mask has, so far apart.
void store_floats_where(float16 value, int16 mask, __global float *to, long step) {
    float lanes[16];
    int there[16];
    vstore16(value, 0, lanes);
    vstore16(mask, 0, there);
    for (long lane = 0; lane < 16; ++lane) {
        if (there[lane]) to[lane * step] = lanes[lane];
    }
}

void store_longs_apart(long16 value, __global long *to, long step) {
    __asm__("" : "+r"(to));  // else a loop around this keeps an address for each lane
    to[0] = value.s0;
    to[step] = value.s1;
    to[2 * step] = value.s2;
    to[3 * step] = value.s3;
    to += 4 * step; to[0] = value.s4;
    to[step] = value.s5;
    to[2 * step] = value.s6;
    to[3 * step] = value.s7;
    to += 4 * step; to[0] = value.s8;
    to[step] = value.s9;
    to[2 * step] = value.sa;
    to[3 * step] = value.sb;
    to += 4 * step; to[0] = value.sc;
    to[step] = value.sd;
    to[2 * step] = value.se;
    to[3 * step] = value.sf;
}

__attribute__((noinline)) void tile_float32_8x32_global(
    const float *left_rows,
    __global const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float16 sum_0a_tile;
    float16 sum_0b_tile;
    float16 sum_1a_tile;
    float16 sum_1b_tile;
    float16 sum_2a_tile;
    float16 sum_2b_tile;
    float16 sum_3a_tile;
    float16 sum_3b_tile;
    float16 sum_4a_tile;
    float16 sum_4b_tile;
    float16 sum_5a_tile;
    float16 sum_5b_tile;
    float16 sum_6a_tile;
    float16 sum_6b_tile;
    float16 sum_7a_tile;
    float16 sum_7b_tile;
    sum_0a_tile = (float16)(0.0f);
    sum_0b_tile = (float16)(0.0f);
    sum_1a_tile = (float16)(0.0f);
    sum_1b_tile = (float16)(0.0f);
    sum_2a_tile = (float16)(0.0f);
    sum_2b_tile = (float16)(0.0f);
    sum_3a_tile = (float16)(0.0f);
    sum_3b_tile = (float16)(0.0f);
    sum_4a_tile = (float16)(0.0f);
    sum_4b_tile = (float16)(0.0f);
    sum_5a_tile = (float16)(0.0f);
    sum_5b_tile = (float16)(0.0f);
    sum_6a_tile = (float16)(0.0f);
    sum_6b_tile = (float16)(0.0f);
    sum_7a_tile = (float16)(0.0f);
    sum_7b_tile = (float16)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float16 column_a = load_floats(right_columns + columns + (step_of_tile * 32L));
        const float16 column_b = load_floats(right_columns + (columns + (step_of_tile * 32L)) + 16L);
        sum_0a_tile = fma((float16)(left_rows[rows + (step_of_tile * 8L)]), column_a, sum_0a_tile);
        sum_0b_tile = fma((float16)(left_rows[rows + (step_of_tile * 8L)]), column_b, sum_0b_tile);
        sum_1a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 1L]), column_a, sum_1a_tile);
        sum_1b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 1L]), column_b, sum_1b_tile);
        sum_2a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 2L]), column_a, sum_2a_tile);
        sum_2b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 2L]), column_b, sum_2b_tile);
        sum_3a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 3L]), column_a, sum_3a_tile);
        sum_3b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 3L]), column_b, sum_3b_tile);
        sum_4a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 4L]), column_a, sum_4a_tile);
        sum_4b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 4L]), column_b, sum_4b_tile);
        sum_5a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 5L]), column_a, sum_5a_tile);
        sum_5b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 5L]), column_b, sum_5b_tile);
        sum_6a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 6L]), column_a, sum_6a_tile);
        sum_6b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 6L]), column_b, sum_6b_tile);
        sum_7a_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 7L]), column_a, sum_7a_tile);
        sum_7b_tile = fma((float16)(left_rows[(rows + (step_of_tile * 8L)) + 7L]), column_b, sum_7b_tile);
    }
    if (before == 0L) {
        store_private_floats(sum_0a_tile, tile_sums + sums);
        store_private_floats(sum_0b_tile, tile_sums + sums + 16L);
        store_private_floats(sum_1a_tile, tile_sums + sums + 32L);
        store_private_floats(sum_1b_tile, tile_sums + sums + 48L);
        store_private_floats(sum_2a_tile, tile_sums + sums + 64L);
        store_private_floats(sum_2b_tile, tile_sums + sums + 80L);
        store_private_floats(sum_3a_tile, tile_sums + sums + 96L);
        store_private_floats(sum_3b_tile, tile_sums + sums + 112L);
        store_private_floats(sum_4a_tile, tile_sums + sums + 128L);
        store_private_floats(sum_4b_tile, tile_sums + sums + 144L);
        store_private_floats(sum_5a_tile, tile_sums + sums + 160L);
        store_private_floats(sum_5b_tile, tile_sums + sums + 176L);
        store_private_floats(sum_6a_tile, tile_sums + sums + 192L);
        store_private_floats(sum_6b_tile, tile_sums + sums + 208L);
        store_private_floats(sum_7a_tile, tile_sums + sums + 224L);
        store_private_floats(sum_7b_tile, tile_sums + sums + 240L);
    }
    if (before != 0L) {
        store_private_floats(load_private_floats(tile_sums + sums) + sum_0a_tile, tile_sums + sums);
        store_private_floats(load_private_floats(tile_sums + sums + 16L) + sum_0b_tile, tile_sums + sums + 16L);
        store_private_floats(load_private_floats(tile_sums + sums + 32L) + sum_1a_tile, tile_sums + sums + 32L);
        store_private_floats(load_private_floats(tile_sums + sums + 48L) + sum_1b_tile, tile_sums + sums + 48L);
        store_private_floats(load_private_floats(tile_sums + sums + 64L) + sum_2a_tile, tile_sums + sums + 64L);
        store_private_floats(load_private_floats(tile_sums + sums + 80L) + sum_2b_tile, tile_sums + sums + 80L);
        store_private_floats(load_private_floats(tile_sums + sums + 96L) + sum_3a_tile, tile_sums + sums + 96L);
        store_private_floats(load_private_floats(tile_sums + sums + 112L) + sum_3b_tile, tile_sums + sums + 112L);
        store_private_floats(load_private_floats(tile_sums + sums + 128L) + sum_4a_tile, tile_sums + sums + 128L);
        store_private_floats(load_private_floats(tile_sums + sums + 144L) + sum_4b_tile, tile_sums + sums + 144L);
        store_private_floats(load_private_floats(tile_sums + sums + 160L) + sum_5a_tile, tile_sums + sums + 160L);
        store_private_floats(load_private_floats(tile_sums + sums + 176L) + sum_5b_tile, tile_sums + sums + 176L);
        store_private_floats(load_private_floats(tile_sums + sums + 192L) + sum_6a_tile, tile_sums + sums + 192L);
        store_private_floats(load_private_floats(tile_sums + sums + 208L) + sum_6b_tile, tile_sums + sums + 208L);
        store_private_floats(load_private_floats(tile_sums + sums + 224L) + sum_7a_tile, tile_sums + sums + 224L);
        store_private_floats(load_private_floats(tile_sums + sums + 240L) + sum_7b_tile, tile_sums + sums + 240L);
    }
}

__attribute__((noinline)) void tile_float32_8x32_in_place(
    __global const float *left_rows,
    const long *row_begins,
    const float *right_columns,
    float *tile_sums,
    const long rows,
    const long first,
    const long columns,
    const long sums,
    const long steps,
    const long before) {
    float16 sum_0a_tile;
    float16 sum_0b_tile;
    float16 sum_1a_tile;
    float16 sum_1b_tile;
    float16 sum_2a_tile;
    float16 sum_2b_tile;
    float16 sum_3a_tile;
    float16 sum_3b_tile;
    float16 sum_4a_tile;
    float16 sum_4b_tile;
    float16 sum_5a_tile;
    float16 sum_5b_tile;
    float16 sum_6a_tile;
    float16 sum_6b_tile;
    float16 sum_7a_tile;
    float16 sum_7b_tile;
    sum_0a_tile = (float16)(0.0f);
    sum_0b_tile = (float16)(0.0f);
    sum_1a_tile = (float16)(0.0f);
    sum_1b_tile = (float16)(0.0f);
    sum_2a_tile = (float16)(0.0f);
    sum_2b_tile = (float16)(0.0f);
    sum_3a_tile = (float16)(0.0f);
    sum_3b_tile = (float16)(0.0f);
    sum_4a_tile = (float16)(0.0f);
    sum_4b_tile = (float16)(0.0f);
    sum_5a_tile = (float16)(0.0f);
    sum_5b_tile = (float16)(0.0f);
    sum_6a_tile = (float16)(0.0f);
    sum_6b_tile = (float16)(0.0f);
    sum_7a_tile = (float16)(0.0f);
    sum_7b_tile = (float16)(0.0f);
    for (long step_of_tile = 0; step_of_tile < steps; ++step_of_tile) {
        const float16 column_a = load_private_floats(right_columns + columns + (step_of_tile * 32L));
        const float16 column_b = load_private_floats(right_columns + (columns + (step_of_tile * 32L)) + 16L);
        sum_0a_tile = fma((float16)(left_rows[row_begins[rows] + (first + step_of_tile)]), column_a, sum_0a_tile);
        sum_0b_tile = fma((float16)(left_rows[row_begins[rows] + (first + step_of_tile)]), column_b, sum_0b_tile);
        sum_1a_tile = fma((float16)(left_rows[row_begins[rows + 1L] + (first + step_of_tile)]), column_a, sum_1a_tile);
        sum_1b_tile = fma((float16)(left_rows[row_begins[rows + 1L] + (first + step_of_tile)]), column_b, sum_1b_tile);
        sum_2a_tile = fma((float16)(left_rows[row_begins[rows + 2L] + (first + step_of_tile)]), column_a, sum_2a_tile);
        sum_2b_tile = fma((float16)(left_rows[row_begins[rows + 2L] + (first + step_of_tile)]), column_b, sum_2b_tile);
        sum_3a_tile = fma((float16)(left_rows[row_begins[rows + 3L] + (first + step_of_tile)]), column_a, sum_3a_tile);
        sum_3b_tile = fma((float16)(left_rows[row_begins[rows + 3L] + (first + step_of_tile)]), column_b, sum_3b_tile);
        sum_4a_tile = fma((float16)(left_rows[row_begins[rows + 4L] + (first + step_of_tile)]), column_a, sum_4a_tile);
        sum_4b_tile = fma((float16)(left_rows[row_begins[rows + 4L] + (first + step_of_tile)]), column_b, sum_4b_tile);
        sum_5a_tile = fma((float16)(left_rows[row_begins[rows + 5L] + (first + step_of_tile)]), column_a, sum_5a_tile);
        sum_5b_tile = fma((float16)(left_rows[row_begins[rows + 5L] + (first + step_of_tile)]), column_b, sum_5b_tile);
        sum_6a_tile = fma((float16)(left_rows[row_begins[rows + 6L] + (first + step_of_tile)]), column_a, sum_6a_tile);
        sum_6b_tile = fma((float16)(left_rows[row_begins[rows + 6L] + (first + step_of_tile)]), column_b, sum_6b_tile);
        sum_7a_tile = fma((float16)(left_rows[row_begins[rows + 7L] + (first + step_of_tile)]), column_a, sum_7a_tile);
        sum_7b_tile = fma((float16)(left_rows[row_begins[rows + 7L] + (first + step_of_tile)]), column_b, sum_7b_tile);
    }
    if (before == 0L) {
        store_private_floats(sum_0a_tile, tile_sums + sums);
        store_private_floats(sum_0b_tile, tile_sums + sums + 16L);
        store_private_floats(sum_1a_tile, tile_sums + sums + 32L);
        store_private_floats(sum_1b_tile, tile_sums + sums + 48L);
        store_private_floats(sum_2a_tile, tile_sums + sums + 64L);
        store_private_floats(sum_2b_tile, tile_sums + sums + 80L);
        store_private_floats(sum_3a_tile, tile_sums + sums + 96L);
        store_private_floats(sum_3b_tile, tile_sums + sums + 112L);
        store_private_floats(sum_4a_tile, tile_sums + sums + 128L);
        store_private_floats(sum_4b_tile, tile_sums + sums + 144L);
        store_private_floats(sum_5a_tile, tile_sums + sums + 160L);
        store_private_floats(sum_5b_tile, tile_sums + sums + 176L);
        store_private_floats(sum_6a_tile, tile_sums + sums + 192L);
        store_private_floats(sum_6b_tile, tile_sums + sums + 208L);
        store_private_floats(sum_7a_tile, tile_sums + sums + 224L);
        store_private_floats(sum_7b_tile, tile_sums + sums + 240L);
    }
    if (before != 0L) {
        store_private_floats(load_private_floats(tile_sums + sums) + sum_0a_tile, tile_sums + sums);
        store_private_floats(load_private_floats(tile_sums + sums + 16L) + sum_0b_tile, tile_sums + sums + 16L);
        store_private_floats(load_private_floats(tile_sums + sums + 32L) + sum_1a_tile, tile_sums + sums + 32L);
        store_private_floats(load_private_floats(tile_sums + sums + 48L) + sum_1b_tile, tile_sums + sums + 48L);
        store_private_floats(load_private_floats(tile_sums + sums + 64L) + sum_2a_tile, tile_sums + sums + 64L);
        store_private_floats(load_private_floats(tile_sums + sums + 80L) + sum_2b_tile, tile_sums + sums + 80L);
        store_private_floats(load_private_floats(tile_sums + sums + 96L) + sum_3a_tile, tile_sums + sums + 96L);
        store_private_floats(load_private_floats(tile_sums + sums + 112L) + sum_3b_tile, tile_sums + sums + 112L);
        store_private_floats(load_private_floats(tile_sums + sums + 128L) + sum_4a_tile, tile_sums + sums + 128L);
        store_private_floats(load_private_floats(tile_sums + sums + 144L) + sum_4b_tile, tile_sums + sums + 144L);
        store_private_floats(load_private_floats(tile_sums + sums + 160L) + sum_5a_tile, tile_sums + sums + 160L);
        store_private_floats(load_private_floats(tile_sums + sums + 176L) + sum_5b_tile, tile_sums + sums + 176L);
        store_private_floats(load_private_floats(tile_sums + sums + 192L) + sum_6a_tile, tile_sums + sums + 192L);
        store_private_floats(load_private_floats(tile_sums + sums + 208L) + sum_6b_tile, tile_sums + sums + 208L);
        store_private_floats(load_private_floats(tile_sums + sums + 224L) + sum_7a_tile, tile_sums + sums + 224L);
        store_private_floats(load_private_floats(tile_sums + sums + 240L) + sum_7b_tile, tile_sums + sums + 240L);
    }
}

// Neighbours at once, which vload16 and vstore16 may read and write in small pieces.
typedef uchar16 __attribute__((aligned(1))) any_uchars;
uchar16 load_uchars(__global const uchar *from) {
    return *(__global const any_uchars *)from;
}
void store_uchars(uchar16 value, __global uchar *to) {
    *(__global any_uchars *)to = value;
}
