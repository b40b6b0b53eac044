/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-top: what its parts share: the command line and the keys (main.c), the tcflow that reads the trace (reader.c),
 * what that says (shot.c), the terminal (screen.c). */
#ifndef TCFLOW_TOP_H
#define TCFLOW_TOP_H

#include "tools/shared/program.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---------------------------------------------------------------------------------------------------------- shot -- */

enum { NAME_BYTES = 128, MOST_WAITS = 128, MOST_PROCESSES = 1 << 20 };

struct process {
    int64_t rank;               /* -1: none */
    char does;                  /* as the filter `live` has it */
    double communicates, waits; /* % of the last seconds */
    uint64_t events;
    char name[NAME_BYTES], region[NAME_BYTES];
};

struct waits {
    double seconds;
    uint64_t count;
    char title[NAME_BYTES];
};

/* What the trace has come to: one output of `live`. */
struct shot {
    double now, window; /* s */
    uint64_t events, messages, bytes, in_flight;
    struct process *processes; /* [capacity] */
    uint32_t n, capacity;
    struct waits waits[MOST_WAITS];
    uint32_t n_waits;
    bool over;
};

/* Takes a line, without its end. Returns whether the shot is complete; the next line then begins a new one. */
bool shot_line(struct shot *s, char *line);
/* Copies a shot, with its processes. */
void shot_copy(struct shot *to, const struct shot *from);

/* -------------------------------------------------------------------------------------------------------- reader -- */

enum { SAID_BYTES = 4096 };

struct reader {
    pid_t child;    /* 0: it has ended */
    int from, said; /* its standard output, and error; -1: closed */
    int status;     /* of waitpid(), once it has ended */
    struct shot coming;
    char line[4 * NAME_BYTES], text[SAID_BYTES]; /* text: the end of what it has said */
    size_t line_bytes, text_bytes;
};

/* Starts tcflow with these arguments behind its name; NULL ends them. */
void reader_start(struct reader *r, const char *tcflow, char **arguments, bool reads_input);
/* Reads what has come. Returns whether `shot` is a new one. */
bool reader_take(struct reader *r, struct shot *shot);
/* Ends tcflow if it runs, and waits for it. */
void reader_stop(struct reader *r);

/* -------------------------------------------------------------------------------------------------------- screen -- */

enum sorting { BY_RANK, BY_COMMUNICATION, BY_WAITS, SORTINGS };

struct view {
    const char *title, *state;
    enum sorting sorting;
    uint32_t first; /* of the rows of processes */
    double per_second, messages_per_second, bytes_per_second,
        pace; /* by the machine's clock; pace: of the trace's time */
};

/* Takes the terminal. screen_end() gives it back as it was; again it does nothing. */
void screen_begin(void);
void screen_end(void);
/* Draws all of it. Returns how many rows of processes fit. */
uint32_t screen_draw(const struct view *v, const struct shot *s);
/* A key that was pressed; 0: none. Letters are themselves, others are KEYS. */
enum keys { PRESSED_UP = 1000, PRESSED_DOWN, PRESSED_PAGE_UP, PRESSED_PAGE_DOWN, PRESSED_HOME };
int screen_key(void);
int screen_input(void); /* the file descriptor of keys */

#endif
