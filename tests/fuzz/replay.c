/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * replay FIRST RUNS [FILE...]: a fuzz target without libFuzzer: the inputs in these files, then RUNS random ones from
 * seed FIRST on.
 *
 * Aborts where the target does, behind a line that names the file, or the seed. For builds of any kind, those with
 * sanitizers among them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 20000 }; /* what run.sh lets the largest inputs grow to */
static uint8_t input[MOST];

/* Targets that change inputs by frames ask libFuzzer for a change within one; nobody asks here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data, (void)size, (void)max_size;
    abort();
}

static void replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");

    if (!in) {
        perror(path);
        exit(1);
    }
    const size_t n = fread(input, 1, sizeof input, in);
    fclose(in);
    fprintf(stderr, "file %s\n", path);
    LLVMFuzzerTestOneInput(input, n);
}

static void replay_seed(uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    const size_t n = 24 + (size_t)(seed * 37 % 600);

    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        input[i] = (uint8_t)(state >> 56);
    }
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    LLVMFuzzerTestOneInput(input, n);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: replay FIRST RUNS [FILE...]\n");
        return 2;
    }
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 3; i < argc; i++)
        replay_file(argv[i]);
    const uint64_t first = strtoull(argv[1], NULL, 10), runs = strtoull(argv[2], NULL, 10);
    for (uint64_t k = 0; k < runs; k++)
        replay_seed(first + k);
    return 0;
}
