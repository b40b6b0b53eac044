/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The section for the filter overhead: where it comes from as comments, then its parameters. */
#include "calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <private/terminal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void check_output(const struct options *o)
{
    struct stat info;
    if (o->output && !o->force && lstat(o->output, &info) == 0)
        usage("'%s' exists; --force replaces it", o->output);
    for (uint32_t i = 0; i < o->n_sources; i++)
        if (o->source[i].archive)
            spare_input(o->output, o->source[i].archive);
    if (o->own)
        spare_input(o->output, o->own);
    if (o->check)
        spare_input(o->output, o->check);
}

/* ------------------------------------------------------------------------------------------------------ comments -- */

/* A comment of any length, in lines that tcflow's reader takes. */
static void comment(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void comment(FILE *out, const char *format, ...)
{
    char text[PATH_BYTES + 400], shown[180];
    size_t column = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputc(';', out);
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column > 0 && column + n > 110) {
            fputs("\n;  ", out);
            column = 2;
        }
        putc(' ', out);
        snprintf(shown, sizeof shown, "%.*s", (int)n, word);
        tcf_terminal_put(out, shown, "");
        column += n + 1;
        word += n + strspn(word + n, " ");
    }
    fputc('\n', out);
}

/* The value of the first line of a file that starts with KEY. */
static void look_up(const char *path, const char *key, char *to, size_t bytes)
{
    char line[512];
    FILE *file = open_if_there(path);
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(to, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
        break;
    }
    close_whole(file, path);
}

static void write_machine(FILE *out, const struct copying *c)
{
    char host[256] = "unknown", cpu[256] = "unknown", date[64] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "unknown");
    look_up("/proc/cpuinfo", "model name", cpu, sizeof cpu);
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm);
    fprintf(out, "; What recording an event and copying a message cost, by tcflow-calibrate " PACKAGE_VERSION "\n;\n");
    comment(out, "Date: %s", date);
    comment(out, "Host: %s", host);
    comment(out, "CPU: %s, %ld of them, last level of cache %" PRIu64 " KiB", cpu, sysconf(_SC_NPROCESSORS_ONLN),
            c->cache >> 10);
}

static void write_sources(FILE *out, const struct options *o, const struct rows *rows, const struct model *m)
{
    bool from = false;
    comment(out, "Made by %s", o->command);
    for (uint32_t i = 0; i < o->n_sources; i++) {
        const struct trace *t = &rows->trace[i];
        comment(out,
                "Trace: %s, %" PRIu64 " events of %" PRIu64 " locations, clock of %" PRIu64
                " Hz that advances in steps of %g ns",
                o->source[i].command ? "of --run" : t->path, t->events, t->locations, t->resolution, 1e9 * t->step);
        from |= o->source[i].from;
    }
    if (m->run[0])
        comment(out, "Method: %s", m->run);
    else if (from)
        comment(out,
                "Method: ESTIMATED FROM A TRACE ALONE: the shortest distances between events, percentile %d of the "
                "quickest region. They have the work of the program in them, so these are upper bounds of the "
                "overhead; a run of empty calls (--run) tells more.",
                o->percentile);
    for (uint32_t i = 0; i < m->n_warnings; i++)
        comment(out, "Note: %s", m->warning[i]);
}

static void write_percentiles(FILE *out, const struct model *m)
{
    if (m->n_costs == 0)
        return;
    fputs(";\n; Distances [ns]: kind, number, shortest, percentiles 1, 5, 25, 50, 75, 95, 99, longest, mean, mean "
          "without interruptions\n",
          out);
    for (uint32_t i = 0; i < m->n_costs; i++) {
        const struct row *r = m->cost[i].row;
        fprintf(out, ";   %-22s %9" PRIu64, r->kind, r->samples);
        for (size_t p = 0; p < N_TIMES; p++)
            fprintf(out, " %.5g", 1e9 * r->times[p]);
        fputc('\n', out);
    }
    fputs(";\n", out);
    for (uint32_t i = 0; i < m->n_costs; i++)
        comment(out, "%s: %s", m->cost[i].kind, m->cost[i].how);
}

static void write_copying(FILE *out, const struct options *o, const struct copying *c)
{
    if (c->n == 0)
        return;
    fprintf(out, ";\n; Copying [ns]: size, warm: shortest and median, cold: shortest and median%s\n",
            o->copy == COPY_MPI ? ", a quarter of an MPI round trip: the same" : "");
    for (uint32_t i = 0; i < c->n; i++) {
        fprintf(out, ";   %9" PRIu64, c->size[i]);
        for (int how = COPY_WARM; how <= (o->copy == COPY_MPI ? COPY_MPI : COPY_COLD); how++)
            fprintf(out, "  %.5g %.5g", 1e9 * c->time[how][i].least, 1e9 * c->time[how][i].median);
        fputc('\n', out);
    }
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

/* As the filter reads them. */
struct text {
    char of[32];
};

/* Without an exponent. */
static struct text duration(double seconds)
{
    struct text t;
    double ns = 1e9 * seconds;
    if (ns < 1e5)
        snprintf(t.of, sizeof t.of, "%.*fns", ns < 100 ? 2 : 1, ns);
    else
        snprintf(t.of, sizeof t.of, "%.2fus", ns / 1e3);
    return t;
}

static struct text size_text(uint64_t size)
{
    struct text t;
    int shift = size >= 1 << 20 ? 20 : size >= 1 << 10 ? 10 : 0;
    snprintf(t.of, sizeof t.of, "%" PRIu64 "%s", size >> shift, shift == 20 ? "MiB" : shift == 10 ? "KiB" : "");
    return t;
}

static void write_parameter(FILE *out, const char *name, double seconds)
{
    if (seconds >= 0)
        fprintf(out, "%s = %s\n", name, duration(seconds).of);
}

static void write_overheads(FILE *out, const struct model *m)
{
    if (m->event < 0) {
        comment(out, "No overhead was measured: --run or --from does that.");
        return;
    }
    write_parameter(out, "event", m->event);
    if (m->n_costs > 0)
        fprintf(out, "kinds =");
    for (uint32_t i = 0; i < m->n_costs; i++)
        fprintf(out, "%s%s:%s", i % 4 == 0 ? "\n    " : " ", m->cost[i].kind, duration(m->cost[i].seconds).of);
    if (m->n_costs > 0)
        fputc('\n', out);
    if (m->attribute_how[0])
        comment(out, "%s", m->attribute_how);
    write_parameter(out, "attribute", m->attribute);
    if (m->metric_how[0])
        comment(out, "%s", m->metric_how);
    write_parameter(out, "metric_value", m->metric_value);
}

/* Medians; a larger message never takes less than a smaller one. */
static void write_copy(FILE *out, const struct options *o, const struct copying *c)
{
    double most = 0;
    if (c->n == 0)
        return;
    fprintf(out, "copy =");
    for (uint32_t i = 0; i < c->n; i++) {
        most = fmax(most, c->time[o->copy][i].median);
        most = fmax(most, 1e-11); /* what is written is more than 0 */
        fprintf(out, "%s%s:%s", i % 6 == 0 ? "\n    " : " ", size_text(c->size[i]).of, duration(most).of);
    }
    fputc('\n', out);
}

void write_constants(const char *path, const struct options *o, const struct model *m, const struct copying *c)
{
    FILE *out = fopen(path, "w");
    if (!out)
        fail("cannot write '%s': %s", path, strerror(errno));
    fprintf(out, "[pipeline]\n[overhead]\n");
    write_parameter(out, "attribute", m->attribute);
    write_parameter(out, "metric_value", m->metric_value);
    write_copy(out, o, c);
    const int is_whole = ferror(out) == 0;
    if (fclose(out) != 0 || !is_whole)
        fail("cannot write '%s': %s", path, strerror(errno));
}

/* --------------------------------------------------------------------------------------------------------- files -- */

void write_section(const struct options *o, const struct rows *rows, const struct model *m, const struct copying *c)
{
    tcf_output file;
    FILE *out = o->output ? open_output(o->output, &file) : stdout;
    write_machine(out, c);
    write_sources(out, o, rows, m);
    write_percentiles(out, m);
    write_copying(out, o, c);
    fprintf(out, "\n[overhead]\n");
    write_overheads(out, m);
    write_copy(out, o, c);
    if (o->output)
        complete_output(&file, out, o->force);
    else if (fflush(out) != 0 || ferror(out))
        fail("cannot write standard output: %s", strerror(errno));
}
