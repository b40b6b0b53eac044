/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-top: a live view of a trace in the terminal: what each process does, what they wait for, how fast it comes.
 *
 * A tcflow that this program starts reads the trace, and its filter `live` says what there is to see, several times a
 * second. The terminal is given back on every way out, by signals as well. */
#include "framework/base/error.h"
#include "tools/shared/files.h"
#include "top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char program_name[] = "tcflow-top";

struct options {
    double speed; /* < 0: not given */
    const char *window, *tcflow;
    struct names settings;
};

static volatile sig_atomic_t ended_by;

static void note_signal(int signal_)
{
    ended_by = signal_;
}

/* ------------------------------------------------------------------------------------------------------- options -- */

static tcf_status take_speed(void *to, const char *what, const char *value)
{
    char *end;
    *(double *)to = strtod(value, &end);
    if (end == value || *end || !(*(double *)to >= 0) || *(double *)to > 1e9)
        return error_usage("%s '%s': expected how many seconds of the trace pass in one, like 1 or 0.5; 0: no limit",
                           what, value);
    return TCF_OK;
}

#define AT(member) .offset = offsetof(struct options, member)
static const option_row rows[] = {
    {0, "speed", "N", "seconds of the trace that pass in one, at most (a file: 1; a stream: 0, as fast as it comes)",
     AT(speed), .take = take_speed},
    {0, "window", "TIME", "the last seconds that shares and waits are of (10s)", TCF_STRING, AT(window)},
    {'o', NULL, "SECTION.KEY=VALUE", "sets a key of the pipeline (tcflow -c top --show-ini)", AT(settings),
     .take = take_name},
    {0, "tcflow", "PROGRAM", "the tcflow that reads the trace", TCF_STRING, AT(tcflow)},
    {.help = ""},
};
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above =
        "Usage: tcflow-top [options] TRACE\n"
        "\n"
        "Shows what the processes of a trace do while it comes in: a stream (-, tcp:PORT, ...), or a trace that is\n"
        "there, at the speed at which it was recorded.\n"
        "\n",
    .below = "\n"
             "Keys: q ends it, s sorts by rank, MPI, waits, p holds the view, arrows and pages move it.\n"
             "Exit status: 0 done, 1 the trace could not be read, 2 usage, 128 + n ended by signal n.\n",
};

static bool is_stream(const char *input)
{
    struct stat st;
    static const char *const begins[] = {"tcp:", "unix:", "stream:"};
    for (size_t i = 0; i < TCF_COUNT(begins); i++)
        if (strncmp(input, begins[i], strlen(begins[i])) == 0)
            return true;
    return strcmp(input, "-") == 0 || (stat(input, &st) == 0 && S_ISFIFO(st.st_mode));
}

/* -c top -i INPUT -o ...; free_arguments() frees them. */
static char **arguments_for(const struct options *o, const char *input)
{
    char **to = allocate(2ul * o->settings.n + 16, sizeof *to);
    size_t n = 0;
    to[n++] = format_text("%s", "tcflow");
    for (const char *const *word = (const char *const[]){"-q", "-c", "top", "--no-progress", "-i", NULL}; *word; word++)
        to[n++] = format_text("%s", *word);
    to[n++] = format_text("%s", input);
    const double speed = o->speed >= 0 ? o->speed : is_stream(input) ? 0 : 1;
    to[n++] = format_text("-o");
    to[n++] = format_text("live.speed=%.9g", speed);
    if (o->window) {
        to[n++] = format_text("-o");
        to[n++] = format_text("live.window=%s", o->window);
    }
    for (uint32_t i = 0; i < o->settings.n; i++) {
        to[n++] = format_text("-o");
        to[n++] = format_text("%s", o->settings.at[i]);
    }
    return to;
}

static void free_arguments(char **arguments)
{
    for (char **a = arguments; *a; a++)
        free(*a);
    free(arguments);
}

/* --------------------------------------------------------------------------------------------------------- rates -- */

static double machine_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What there was at some time, a second ago or so. */
struct before {
    double at, now;
    uint64_t events, messages, bytes;
};

static void find_rates(struct view *v, struct before *b, const struct shot *s)
{
    const double is = machine_time(), passed = is - b->at;
    if (passed < 1 && !s->over)
        return;
    if (b->at > 0 && passed > 0) {
        v->per_second = (double)(s->events - b->events) / passed;
        v->messages_per_second = (double)(s->messages - b->messages) / passed;
        v->bytes_per_second = (double)(s->bytes - b->bytes) / passed;
        v->pace = (s->now - b->now) / passed;
    }
    *b = (struct before){is, s->now, s->events, s->messages, s->bytes};
}

/* ---------------------------------------------------------------------------------------------------------- loop -- */

static bool has_failed(const struct reader *r)
{
    return r->child == 0 && !(WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0);
}

/* Moves the view; the last row stays on the screen. */
static void scroll_to(struct view *v, int64_t first, uint32_t n, uint32_t fit)
{
    const int64_t most = n > fit ? (int64_t)n - fit : 0;
    v->first = (uint32_t)(first < 0 ? 0 : first > most ? most : first);
}

/* Returns whether the user goes on. */
static bool take_keys(struct view *v, bool *paused, uint32_t n, uint32_t fit)
{
    for (int key; (key = screen_key()) != 0;) {
        if (key == 'q')
            return false;
        if (key == 's')
            v->sorting = (enum sorting)((v->sorting + 1) % SORTINGS);
        if (key == 'p')
            *paused = !*paused;
        const int64_t by = key == PRESSED_UP          ? -1
                           : key == PRESSED_DOWN      ? 1
                           : key == PRESSED_PAGE_UP   ? -(int64_t)fit
                           : key == PRESSED_PAGE_DOWN ? (int64_t)fit
                                                      : 0;
        scroll_to(v, key == PRESSED_HOME ? 0 : v->first + by, n, fit);
    }
    return true;
}

static void view_until_end(struct reader *r, const char *title)
{
    struct view v = {.title = title};
    struct before before = {0};
    struct shot latest = {0}, shown = {0};
    uint32_t fit = 0;
    bool paused = false, begun = false;
    before.at = machine_time();
    while (!ended_by) {
        struct pollfd files[] = {{screen_input(), POLLIN, 0}, {r->from, POLLIN, 0}, {r->said, POLLIN, 0}};
        if (poll(files, 3, 500) > 0 && files[0].revents & (POLLHUP | POLLERR | POLLNVAL))
            break; /* the terminal has gone */
        const bool fresh = reader_take(r, &latest);
        begun |= fresh;
        if (fresh && !paused)
            find_rates(&v, &before, &latest);
        if (!take_keys(&v, &paused, shown.n, fit) || (!begun && has_failed(r)))
            break;
        if (!paused)
            shot_copy(&shown, &latest);
        v.state = has_failed(r) ? "(it failed: q says why)"
                  : paused      ? "(held: p)"
                  : latest.over ? "(the trace is over)"
                                : "";
        fit = screen_draw(&v, &shown);
    }
    free(latest.processes);
    free(shown.processes);
}

int main(int argc, char **argv)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct options o = {.speed = -1};
    char tcflow[PATH_BYTES];
    struct reader r;
    const int first = take_options(&table, &o, argc, argv);
    if (argc - first != 1)
        usage(argc == first ? "no trace: tcflow top TRACE, or - for a stream" : "one trace is shown, and there are %d",
              argc - first);
    find_tcflow(o.tcflow, tcflow);
    screen_begin();
    before_last_words = screen_end; /* they would go with the view */
    atexit(screen_end);
    for (size_t i = 0; i < TCF_COUNT(ending); i++)
        sigaction(ending[i], &(struct sigaction){.sa_handler = note_signal}, NULL);
    signal(SIGPIPE, SIG_IGN);
    char **arguments = arguments_for(&o, argv[first]);
    reader_start(&r, tcflow, arguments, strcmp(argv[first], "-") == 0);
    free_arguments(arguments);
    view_until_end(&r, argv[first]);
    const bool failed = has_failed(&r);
    reader_stop(&r);
    screen_end();
    if (ended_by) {
        signal(ended_by, SIG_DFL);
        return 128 + ended_by;
    }
    if (failed) {
        while (r.text_bytes > 0 && r.text[r.text_bytes - 1] == '\n')
            r.text_bytes--;
        r.text[r.text_bytes] = '\0';
        say("", r.text_bytes > 0 ? r.text : "tcflow ended without a word");
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}
