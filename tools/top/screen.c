/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The terminal, by ncurses. All text goes through put(), which cuts it at the right edge and lets nothing pass that a
 * terminal obeys. */
#include "top.h"

#include "framework/base/units.h"
#include <private/scaled.h>
#include <private/terminal.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static SCREEN *screen;
static FILE *terminal;
static bool is_utf8;

void screen_begin(void)
{
    const char *kind = getenv("TERM");
    setlocale(LC_CTYPE, "");
    is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!isatty(STDOUT_FILENO))
        usage("it shows what it finds on a terminal, and standard output is none; for programs there is the filter "
              "'live'");
    if (!(terminal = fopen("/dev/tty", "r+e")))
        fail("the terminal cannot be opened: %s", strerror(errno));
    if (!kind || !*kind || !(screen = newterm(NULL, terminal, terminal)))
        usage("the terminal '%s' is unknown here (TERM)", kind ? kind : "");
    cbreak();
    noecho();
    nonl();
    curs_set(0);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
}

void screen_end(void)
{
    if (!screen)
        return;
    endwin();
    delscreen(screen);
    screen = NULL;
    fclose(terminal);
}

int screen_input(void)
{
    return fileno(terminal);
}

int screen_key(void)
{
    switch (getch()) {
    case ERR:
        return 0;
    case KEY_UP:
        return PRESSED_UP;
    case KEY_DOWN:
        return PRESSED_DOWN;
    case KEY_PPAGE:
        return PRESSED_PAGE_UP;
    case KEY_NPAGE:
        return PRESSED_PAGE_DOWN;
    case KEY_HOME:
        return PRESSED_HOME;
    case 'q':
    case 'Q':
        return 'q';
    case 's':
        return 's';
    case 'p':
    case ' ':
        return 'p';
    default:
        return -1; /* also a change of the terminal's size */
    }
}

/* Writes a line; where it is too long its end is missing. */
static void put(int line, int style, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(int line, int style, const char *format, ...)
{
    char text[1024], shown[1024];
    size_t n = 0;
    int columns = 0;
    va_list arguments;
    if (line < 0 || line >= LINES)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *at = text; *at && columns < COLS && n + 8 < sizeof shown; columns++) {
        uint32_t bad;
        const size_t bytes = tcf_terminal_next(at, &bad);
        if (bad || (bytes > 1 && !is_utf8)) {
            shown[n++] = '?';
        } else {
            memcpy(shown + n, at, bytes);
            n += bytes;
        }
        at += bytes;
    }
    shown[n] = '\0';
    attrset(style);
    mvaddstr(line, 0, shown);
    attrset(A_NORMAL);
    clrtoeol();
}

static const char *word_for(char does)
{
    switch (does) {
    case 'c':
        return "computes";
    case 'm':
        return "MPI";
    case 't':
        return "threads";
    case 'i':
        return "idle";
    case 'o':
        return "outside";
    case 'e':
        return "has ended";
    default:
        return "no event";
    }
}

static const struct shot *sorted_shot;
static enum sorting sorted_by;

static int compare(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct process *x = &sorted_shot->processes[i], *y = &sorted_shot->processes[k];
    const double p = sorted_by == BY_WAITS           ? x->waits
                     : sorted_by == BY_COMMUNICATION ? x->communicates
                                                     : 0,
                 q = sorted_by == BY_WAITS           ? y->waits
                     : sorted_by == BY_COMMUNICATION ? y->communicates
                                                     : 0;
    return p != q ? (p < q) - (p > q) : (i > k) - (i < k);
}

static uint32_t *sort(const struct shot *s, enum sorting by)
{
    uint32_t *order = allocate(s->n + 1ul, sizeof *order);
    for (uint32_t i = 0; i < s->n; i++)
        order[i] = i;
    sorted_shot = s;
    sorted_by = by;
    qsort(order, s->n, sizeof *order, compare);
    return order;
}

static int draw_waits(const struct shot *s, int line, int most)
{
    bool told[MOST_WAITS] = {false};
    char time[TCF_SCALED_BYTES], seconds[TCF_SCALED_BYTES];
    put(line++, A_BOLD, "Waits over the last %s of the trace%s", tcf_scaled_seconds(s->window, time),
        s->n_waits == 0 ? ": none" : "");
    for (int shown = 0; shown < most; shown++) {
        uint32_t largest = MOST_WAITS;
        for (uint32_t i = 0; i < s->n_waits; i++)
            if (!told[i] && (largest == MOST_WAITS || s->waits[i].seconds > s->waits[largest].seconds))
                largest = i;
        if (largest == MOST_WAITS)
            break;
        told[largest] = true;
        const double all = s->window * s->n;
        put(line++, A_NORMAL, "  %5.1f %%  %9s in %-7" PRIu64 " %s",
            all > 0 ? 100 * s->waits[largest].seconds / all : 0, tcf_scaled_seconds(s->waits[largest].seconds, seconds),
            s->waits[largest].count, s->waits[largest].title);
    }
    return line;
}

uint32_t screen_draw(const struct view *v, const struct shot *s)
{
    static const char *const sorted[SORTINGS] = {"rank", "MPI", "waits"};
    char a[TCF_SCALED_BYTES], b[32], c[32], d[TCF_SCALED_BYTES], e[32];
    int line = 0;
    erase();
    put(line++, A_REVERSE, "tcflow top  %s  at %s  %s", v->title, tcf_scaled_seconds(s->now, a), v->state);
    put(line++, A_NORMAL, "%s events, %.3g/s   %s messages, %.3g/s, %s/s   in flight %s   pace %.3g",
        units_grouped(s->events, b), v->per_second, units_grouped(s->messages, c), v->messages_per_second,
        tcf_scaled(v->bytes_per_second, "B", 1024, d), units_grouped(s->in_flight, e), v->pace);
    line = draw_waits(s, line, LINES > 16 ? 6 : LINES > 10 ? 2 : 0);
    put(line++, A_BOLD, "%6s  %-9s  %6s  %6s  %10s  %-24s  %s", "rank", "does", "MPI %", "wait %", "events", "in",
        "process");
    const uint32_t fit = LINES - 1 > line ? (uint32_t)(LINES - 1 - line) : 0;
    uint32_t *order = sort(s, v->sorting);
    for (uint32_t i = 0; i < fit && v->first + i < s->n; i++) {
        const struct process *p = &s->processes[order[v->first + i]];
        char rank[24] = "-";
        if (p->rank >= 0)
            snprintf(rank, sizeof rank, "%" PRId64, p->rank);
        put(line++, A_NORMAL, "%6s  %-9s  %6.1f  %6.1f  %10" PRIu64 "  %-24.24s  %s", rank, word_for(p->does),
            p->communicates, p->waits, p->events, p->region, p->name);
    }
    free(order);
    put(LINES - 1, A_REVERSE,
        "q quit  s sort: %s  p pause  arrows: %" PRIu32 " to %" PRIu32 " of %" PRIu32 " processes", sorted[v->sorting],
        s->n > 0 ? v->first + 1 : 0, v->first + fit < s->n ? v->first + fit : s->n, s->n);
    refresh();
    return fit;
}
