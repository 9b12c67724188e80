// How many NaN and Inf there are among size elements of x from offset on, and where the first of each is (see census.py).
// BITS is the type of an element's bits, ALL all of them but the sign, INFINITE those of infinity; NaN lies above.
kernel void census(global const BITS *x, long offset, long size, global int *found, int slot)
{
    found += 4 * slot;
    for (long start = get_global_id(0) * (long)BLOCK; start < size; start += get_global_size(0) * (long)BLOCK) {
        global const BITS *block = x + offset + start;
        const int length = min((long)BLOCK, size - start);
        BITS largest = 0;
        for (int i = 0; i < length; i++)
            largest = max(largest, (BITS)(block[i] & ALL));
        if (largest >= INFINITE)
            for (int i = 0; i < length; i++) {
                const BITS bits = block[i] & ALL;
                if (bits >= INFINITE) {
                    const int which = bits == INFINITE;
                    atomic_inc(found + which);
                    atomic_max(found + 2 + which, (int)(LARGEST - start - i));
                }
            }
    }
}
