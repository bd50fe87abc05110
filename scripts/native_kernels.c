// Five kernels of the suite as a programmer writes them for the processor, to measure beside their shaders (native_peers.py).
//
//     native_kernels CASE FOLDER MILLISECONDS
//
// FOLDER is the case as `brolga bench --export` writes it. Runs for about so long, and prints the least processor time of a run and the
// greatest difference to what is expected. The algorithms are those of the shaders. Loops over eight items at once are written out with
// vector types where compilers do not find them.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef float vf __attribute__((ext_vector_type(8)));
typedef int32_t vi __attribute__((ext_vector_type(8)));
typedef uint32_t vu __attribute__((ext_vector_type(8), aligned(4)));

// A function of its own, so that listings show which instructions are a kernel's.
#define KERNEL __attribute__((noinline)) static void

struct buffer {
    void *data;
    size_t size;
};

static vf pick(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }

static vu turned(vu x, int by) { return x << by | x >> (32 - by); }

static void quarter(vu s[16], int a, int b, int c, int d) {
    s[a] += s[b], s[d] = turned(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = turned(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = turned(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = turned(s[b] ^ s[c], 7);
}

static void transpose(vu s[8]) {
    vu t[8];
    for (int n = 0; n < 8; n += 2) {
        t[n] = __builtin_shufflevector(s[n], s[n + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[n + 1] = __builtin_shufflevector(s[n], s[n + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int n = 0; n < 8; n += 4)
        for (int k = 0; k < 2; ++k) {
            s[n + k] = __builtin_shufflevector(t[n + k], t[n + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            s[n + k + 2] = __builtin_shufflevector(t[n + k], t[n + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int n = 0; n < 4; ++n) {
        t[n] = __builtin_shufflevector(s[n], s[n + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[n + 4] = __builtin_shufflevector(s[n], s[n + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(s, t, sizeof t);
}

KERNEL chacha(const uint32_t *constants, const uint32_t *restrict plain, uint32_t *restrict cipher, size_t blocks) {
    const uint32_t begin[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    const vu lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t block = 0; block < blocks; block += 8) {
        vu first[16], s[16];
        for (int n = 0; n < 16; ++n) first[n] = n < 4 ? begin[n] : constants[n - 4];
        first[12] += (uint32_t)block + lanes;
        memcpy(s, first, sizeof s);
        for (int round = 0; round < 10; ++round) {
            quarter(s, 0, 4, 8, 12), quarter(s, 1, 5, 9, 13), quarter(s, 2, 6, 10, 14), quarter(s, 3, 7, 11, 15);
            quarter(s, 0, 5, 10, 15), quarter(s, 1, 6, 11, 12), quarter(s, 2, 7, 8, 13), quarter(s, 3, 4, 9, 14);
        }
        for (int n = 0; n < 16; ++n) s[n] += first[n];
        transpose(s), transpose(s + 8);
        for (int n = 0; n < 16; ++n) {
            size_t at = (block + n % 8) * 16 + n / 8 * 8;
            *(vu *)(cipher + at) = *(const vu *)(plain + at) ^ s[n];
        }
    }
}

KERNEL kmeans(const float *restrict points, const float *restrict centres, uint32_t *restrict clusters, size_t count) {
    enum { BLOCK = 64 };
    for (size_t block = 0; block < count; block += BLOCK) {
        float place[4][BLOCK], least[BLOCK];
        uint32_t cluster[BLOCK] = {0};
        for (int q = 0; q < BLOCK; ++q) {
            for (int axis = 0; axis < 4; ++axis) place[axis][q] = points[4 * (block + q) + axis];
            least[q] = 1e30f;
        }
        for (uint32_t n = 0; n < 32; ++n) {
            const float *centre = centres + 4 * n;
            for (int q = 0; q < BLOCK; ++q) {
                float x = place[0][q] - centre[0], y = place[1][q] - centre[1], z = place[2][q] - centre[2], w = place[3][q] - centre[3];
                float distance = x * x + y * y + z * z + w * w;
                cluster[q] = distance < least[q] ? n : cluster[q];
                least[q] = distance < least[q] ? distance : least[q];
            }
        }
        memcpy(clusters + block, cluster, sizeof cluster);
    }
}

struct v3 {
    vf x, y, z;
};
static struct v3 cross(struct v3 a, struct v3 b) {
    return (struct v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vf dot(struct v3 a, struct v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct v3 spread(const float *of) { return (struct v3){of[0], of[1], of[2]}; }
static int any(vi mask) { return __builtin_reduce_or(mask) != 0; }

KERNEL rays(const float *restrict rays, const float *restrict triangles, float *restrict hits, size_t count) {
    for (size_t first = 0; first < count; first += 8) {
        struct v3 start, way;
        vf nearest;
        for (int q = 0; q < 8; ++q) {
            const float *ray = rays + 8 * (first + q);
            start.x[q] = ray[0], start.y[q] = ray[1], start.z[q] = ray[2], nearest[q] = ray[3];
            way.x[q] = ray[4], way.y[q] = ray[5], way.z[q] = ray[6];
        }
        vi is_hit = 0;
        for (int n = 0; n < 256; ++n) {
            struct v3 corner = spread(triangles + 12 * n), side = spread(triangles + 12 * n + 4), other = spread(triangles + 12 * n + 8);
            struct v3 p = cross(way, other);
            vf area = dot(side, p);
            vi mask = area > 0;
            if (!any(mask)) continue;
            struct v3 from = {start.x - corner.x, start.y - corner.y, start.z - corner.z};
            vf u = dot(from, p);
            mask &= (u >= 0) & (u <= area);
            if (!any(mask)) continue;
            struct v3 q = cross(from, side);
            vf v = dot(way, q);
            mask &= (v >= 0) & (u + v <= area);
            if (!any(mask)) continue;
            vf t = dot(other, q) / area;
            mask &= (t > 0) & (t < nearest);
            nearest = pick(mask, t, nearest);
            is_hit |= mask;
        }
        nearest = pick(is_hit, nearest, 0);
        memcpy(hits + first, &nearest, sizeof nearest);
    }
}

KERNEL sobel(const float *restrict grey, float *restrict edges, int side) {
    for (int y = 0; y < side; ++y) {
        const float *a = grey + side * (y > 0 ? y - 1 : 0), *b = grey + side * y, *c = grey + side * (y < side - 1 ? y + 1 : y);
        for (int x = 0; x < side; x += x == 0 ? side - 1 : 1) {
            int l = x > 0 ? x - 1 : 0, r = x < side - 1 ? x + 1 : x;
            float across = a[r] + 2 * b[r] + c[r] - a[l] - 2 * b[l] - c[l], down = c[l] + 2 * c[x] + c[r] - a[l] - 2 * a[x] - a[r];
            edges[side * y + x] = sqrtf(across * across + down * down);
        }
        for (int x = 1; x < side - 1; ++x) {
            float across = a[x + 1] + 2 * b[x + 1] + c[x + 1] - a[x - 1] - 2 * b[x - 1] - c[x - 1];
            float down = c[x - 1] + 2 * c[x] + c[x + 1] - a[x - 1] - 2 * a[x] - a[x + 1];
            edges[side * y + x] = sqrtf(across * across + down * down);
        }
    }
}

KERNEL bisect(const uint32_t *restrict keys, const uint32_t *restrict sorted, uint32_t *restrict places, uint32_t of, size_t count) {
    enum { BLOCK = 32 };
    for (size_t block = 0; block < count; block += BLOCK) {
        uint32_t low[BLOCK] = {0}, key[BLOCK];
        memcpy(key, keys + block, sizeof key);
        // All keys have as many numbers left, so that steps need no condition.
        for (uint32_t left = of; left > 0;) {
            uint32_t half = (left + 1) / 2;
            for (int q = 0; q < BLOCK; ++q) low[q] += sorted[low[q] + half - 1] < key[q] ? half : 0;
            left -= half;
        }
        memcpy(places + block, low, sizeof low);
    }
}

static struct buffer read(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return (struct buffer){0};
    fseek(file, 0, SEEK_END);
    struct buffer read = {.size = ftell(file)};
    rewind(file);
    read.data = aligned_alloc(64, (read.size + 127) / 64 * 64);
    if (fread(read.data, 1, read.size, file) != read.size) exit(2);
    fclose(file);
    return read;
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *name = arguments[1], *folder = arguments[2];
    struct buffer a = read(folder, "t0.bin"), b = read(folder, "t1.bin"), c = read(folder, "b0.bin"), want = read(folder, "u0.expected.bin");
    if (!a.data || !want.data) return 2;
    void *out = aligned_alloc(64, want.size);
    size_t words = want.size / 4;
    double least = 1e30, end = milliseconds() + atof(arguments[3]);
    while (milliseconds() < end) {
        double start = milliseconds();
        if (!strcmp(name, "chacha")) chacha(c.data, a.data, out, want.size / 64);
        else if (!strcmp(name, "kmeans")) kmeans(a.data, b.data, out, words);
        else if (!strcmp(name, "rays")) rays(a.data, b.data, out, words);
        else if (!strcmp(name, "sobel")) sobel(a.data, out, (int)sqrt((double)words));
        else if (!strcmp(name, "bisect")) bisect(a.data, b.data, out, *(uint32_t *)c.data, words);
        else return 2;
        double taken = milliseconds() - start;
        if (taken < least) least = taken;
    }
    // Floats are compared where the model's are: relative to the value, or to a tenth of 1.
    double worst = 0;
    int is_float = !strcmp(name, "rays") || !strcmp(name, "sobel");
    for (size_t n = 0; n < words; ++n) {
        if (is_float) {
            double x = ((float *)out)[n], y = ((float *)want.data)[n];
            worst = fmax(worst, fabs(x - y) / fmax(fabs(y), 0.1));
        } else if (((uint32_t *)out)[n] != ((uint32_t *)want.data)[n]) {
            worst = 1;
        }
    }
    printf("%.6f %g\n", least, worst);
    return 0;
}
