/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* touch LOCATIONS BYTES ROUNDS: what memory alone costs a program that goes round many locations.
 *
 * Each location has so many bytes; a visit reads and writes all lines of the cache among them, once. Visits go from one
 * location to the next, `ROUNDS` times round all of them. Prints ns of CPU time a visit for lines that are touched in a
 * row, as in a long column; in a mixed order, as in many short columns and tables; and in the same one, but each is
 * found by what the one before says, as in lists. What many locations take beyond few (16, say) is the price of memory
 * that has left the cache: nothing that works on so many bytes of a location at a time takes less. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINE = 64, WORDS = LINE / sizeof(uint64_t), MOST = 1 << 16 };
static uint32_t row[MOST], mixed[MOST];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void mix(uint32_t lines)
{
    uint32_t random = 1;

    for (uint32_t i = 0; i < lines; i++)
        row[i] = mixed[i] = i;
    for (uint32_t i = lines; i > 1; i--) {
        random = random * 1664525u + 1013904223u;
        const uint32_t k = (uint32_t)((uint64_t)random * i >> 32), last = mixed[i - 1];
        mixed[i - 1] = mixed[k];
        mixed[k] = last;
    }
}

static void visit(volatile uint64_t *at, uint32_t lines, const uint32_t *order)
{
    for (uint32_t i = 0; i < lines; i++)
        at[order[i] * (size_t)WORDS + 1]++;
}

/* The first word of a line is the number of the next one. */
static void follow(volatile uint64_t *at, uint32_t lines)
{
    uint64_t k = mixed[0];

    for (uint32_t i = 0; i < lines; i++) {
        at[k * WORDS + 1]++;
        k = at[k * WORDS];
    }
}

int main(int argc, char **argv)
{
    static const char *const order[] = {"in a row", "mixed", "each by the one before"};
    const size_t locations = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
    const size_t wanted = (argc == 4 ? strtoul(argv[2], NULL, 10) : 0) / LINE;
    const uint32_t lines = (uint32_t)(wanted < 1 ? 1 : wanted < MOST ? wanted : MOST);
    const unsigned long rounds = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    uint64_t *memory = locations > 0 ? calloc(locations, lines * LINE) : NULL;

    if (!memory || rounds == 0) {
        fputs("usage: touch LOCATIONS BYTES ROUNDS\n", stderr);
        return 2;
    }
    mix(lines);
    for (size_t l = 0; l < locations; l++)
        for (uint32_t i = 0; i < lines; i++)
            memory[(l * lines + mixed[i]) * WORDS] = mixed[(i + 1) % lines];
    printf("%zu locations, %u lines each, ns a visit:", locations, lines);
    for (int how = 0; how < 3; how++) {
        const double begin = now();
        for (unsigned long r = 0; r < rounds; r++)
            for (size_t l = 0; l < locations; l++)
                if (how == 2)
                    follow(memory + l * lines * WORDS, lines);
                else
                    visit(memory + l * lines * WORDS, lines, how == 0 ? row : mixed);
        printf("%s %s %.0f", how > 0 ? "," : "", order[how], (now() - begin) / ((double)rounds * (double)locations));
    }
    putchar('\n');
    free(memory);
    return 0;
}
