/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the command reports about a run; see summary.h. */
#include "summary.h"

#include "framework/base/error.h"
#include "framework/base/json.h"
#include "framework/base/resources.h"
#include "framework/base/units.h"
#include "framework/pipeline/parameters.h"

#include <inttypes.h>
#include <private/scaled.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------------ progress -- */

static const char *time_left(double seconds, char to[32])
{
    if (seconds >= 359999)
        snprintf(to, 32, "days");
    else if (seconds >= 3600)
        snprintf(to, 32, "%d:%02d h", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    else if (seconds >= 60)
        snprintf(to, 32, "%d:%02d min", (int)(seconds / 60), (int)seconds % 60);
    else
        snprintf(to, 32, "%d s", (int)(seconds + 0.5));
    return to;
}

static const char *bar(double done)
{
    static const char full[] = "[##########]", parts = sizeof full - 3;
    static const char *const bars[] = {"[..........]",
                                       "[#.........]",
                                       "[##........]",
                                       "[###.......]",
                                       "[####......]",
                                       "[#####.....]",
                                       "[######....]",
                                       "[#######...]",
                                       "[########..]",
                                       "[#########.]",
                                       full};
    const double at = done * parts;

    return bars[at > 0 && at < parts ? (size_t)at : at > 0 ? (size_t)parts : 0];
}

void show_progress(void *data, const session_progress *p)
{
    progress *own = data;
    double t = now_seconds();
    char line[320], events[32], left[32], amount[TCF_SCALED_BYTES], rest[80] = "";

    if (own->pass != p->pass) { /* each pass has a rate of its own, and is shown */
        own->began = own->pass == 0 ? t : own->began;
        own->started = t;
        own->last = t - own->every;
        own->pass = p->pass;
    }
    if (t - own->last < own->every)
        return;
    const double elapsed = t - own->started;
    own->last = t;
    own->shown = 1;
    if (p->total_bytes > 0 && p->bytes > 0 && p->bytes <= p->total_bytes) {
        /* All passes read the same; what is left of the later ones is as fast as all so far. */
        const double done = ((double)p->bytes / (double)p->total_bytes + p->pass - 1) / p->n_passes;
        snprintf(rest, sizeof rest, "%s %3.0f %%, %s left, ", bar(done), done * 100,
                 time_left((t - own->began) * (1 - done) / done, left));
    }
    snprintf(line, sizeof line, "%u/%u %s%s events, %.2f million/s, %s: %s", p->pass, p->n_passes, rest,
             units_grouped(p->events, events), elapsed > 0 ? (double)p->events / elapsed / 1e6 : 0.0,
             tcf_scaled((double)peak_bytes(), "B", 1024, amount), p->stage);
    if (own->width > sizeof "tcflow: " && own->width - sizeof "tcflow: " < sizeof line)
        line[own->width - sizeof "tcflow: "] = '\0'; /* a line that breaks could not be replaced by the next one */
    error_status_line(line);
}

/* ------------------------------------------------------------------------------------------------------- summary -- */

static const tcf_location *lost_location(const session_summary *s, const source_loss *loss)
{
    return s->definitions && loss->location < s->definitions->n_locations ? &s->definitions->locations[loss->location]
                                                                          : NULL;
}

void tell_losses(const session_summary *s, int unread)
{
    char events[32];

    for (uint32_t i = 0; i < s->n_losses; i++) {
        const source_loss *loss = &s->losses[i];
        const tcf_location *at = lost_location(s, loss);
        int definitions = loss->last_good == SOURCE_LOST_DEFINITIONS;
        error_log(TCF_LOG_ERROR, "location %" PRIu64 "%s%s%s: lost %s%s in '%s': %s", at ? at->id : loss->location,
                  at && at->name ? " '" : "", at && at->name ? at->name : "", at && at->name ? "'" : "",
                  definitions ? "its local definitions (its events may refer to the wrong things)"
                              : "what follows event ",
                  definitions ? "" : units_grouped(loss->last_good, events), loss->file ? loss->file : "?",
                  loss->reason ? loss->reason : "damaged");
    }
    for (size_t i = 0; i < s->n_notes && !unread; i++)
        error_log(s->notes[i].harmless ? TCF_LOG_INFO : TCF_LOG_WARNING, "%s: %s", s->notes[i].text,
                  units_grouped(s->notes[i].count, events));
}

void summary_text(const session_summary *s)
{
    char events[32], locations[32];

    fprintf(stderr, "tcflow: %s events of %s locations in %.3f s (%.2f million/s), %.3f s of CPU time\n",
            units_grouped(s->events, events), units_grouped(s->locations, locations), s->seconds,
            s->seconds > 0 ? (double)s->events / s->seconds / 1e6 : 0.0, s->cpu_seconds);
    fprintf(stderr, "tcflow: %.1f MiB of memory at most; slices of %" PRIu32 " events\n",
            (double)s->peak_bytes / 1048576, s->slice_events);
    if (*s->plan)
        fprintf(stderr, "tcflow: %s\n", s->plan);
}

static void parameter_json(void *data, const parameter *x)
{
    int *n = data;
    const char *const of[][2] = {{"place", x->place}, {"instance", x->instance}, {"filter", x->filter}, {"key", x->key},
                                 {"value", x->value}, {"origin", x->origin},     {"type", x->type}};

    fputs((*n)++ ? ", {" : "{", stderr);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        fprintf(stderr, "%s\"%s\": ", i ? ", " : "", of[i][0]);
        json_string(stderr, of[i][1]);
    }
    putc('}', stderr);
}

void summary_json(const session *p, const session_summary *s, const char *status)
{
    FILE *out = stderr;

    fprintf(out, "{\"status\": \"%s\", \"events\": %" PRIu64 ", \"locations\": %" PRIu64 ", \"seconds\": ", status,
            s->events, s->locations);
    json_double(out, s->seconds);
    fputs(", \"cpu_seconds\": ", out);
    json_double(out, s->cpu_seconds);
    fputs(", \"domains\": [", out);
    for (uint32_t i = 0; i < s->n_domains; i++) {
        const session_domain *d = &s->domains[i];
        fprintf(out, "%s{\"locations\": %" PRIu64 ", \"events\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": ",
                i ? ", " : "", d->locations, d->events, d->bytes);
        json_double(out, d->seconds);
        putc('}', out);
    }
    fprintf(out,
            "], \"peak_bytes\": %" PRIu64 ", \"memory_limit\": %" PRIu64 ", \"slice_events\": %" PRIu32
            ", \"notes\": [",
            s->peak_bytes, s->memory_limit, s->slice_events);
    for (size_t i = 0; i < s->n_notes; i++) {
        fputs(i ? ", {\"key\": " : "{\"key\": ", out);
        json_string(out, s->notes[i].key);
        fputs(", \"text\": ", out);
        json_string(out, s->notes[i].text);
        fprintf(out, ", \"count\": %" PRIu64 "}", s->notes[i].count);
    }
    fputs("], \"losses\": [", out);
    for (uint32_t i = 0; i < s->n_losses; i++) {
        const source_loss *loss = &s->losses[i];
        const tcf_location *at = lost_location(s, loss);
        fprintf(out, "%s{\"location\": %" PRIu64 ", \"name\": ", i ? ", " : "", at ? at->id : loss->location);
        json_string(out, at ? at->name : NULL);
        if (loss->last_good == SOURCE_LOST_DEFINITIONS)
            fputs(", \"last_good\": null, \"file\": ", out);
        else
            fprintf(out, ", \"last_good\": %" PRIu64 ", \"file\": ", loss->last_good);
        json_string(out, loss->file);
        fputs(", \"reason\": ", out);
        json_string(out, loss->reason);
        putc('}', out);
    }
    int n = 0;
    fputs("], \"parameters\": [", out);
    (void)parameters_each(p, parameter_json, &n); /* a failure here must not change the result of the run */
    fputs("]}\n", out);
}
