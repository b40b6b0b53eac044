/*
 * The command `oracle`: one subcommand for each question that a test may ask about a trace. Exit status 0 done,
 * 1 the answer is no (order) or the trace cannot be read, 2 usage.
 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *command, *trace, *file, *given_up, *classes;
    uint64_t lookahead, mu;
    bool linear;
};

static int usage(void)
{
    fputs("usage: oracle match|violations|profile|health|dump TRACE [options]\n"
          "       oracle order TRACE FILE [options]\n"
          "  --linear           times after linear interpolation of the clock offsets (libotf2's)\n"
          "  --lookahead N      events between a posting and its completion (4096)\n"
          "  --mu TICKS         violations: minimum delay (0)\n"
          "  --given-up FILE    order: edges that need not hold\n"
          "  --edges CLASS,...  order: check these classes only\n", stderr);
    return 2;
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool parse(struct options *o, int argc, char **argv)
{
    const char **positional[] = {&o->command, &o->trace, &o->file};
    size_t n = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool takes_value = true, ok = true;
        if (!strcmp(argv[i], "--lookahead"))
            ok = parse_number(value, &o->lookahead);
        else if (!strcmp(argv[i], "--mu"))
            ok = parse_number(value, &o->mu);
        else if (!strcmp(argv[i], "--given-up"))
            ok = (o->given_up = value) != NULL;
        else if (!strcmp(argv[i], "--edges"))
            ok = (o->classes = value) != NULL;
        else
            takes_value = false;
        if (!ok)
            return false;
        if (takes_value)
            i++;
        else if (!strcmp(argv[i], "--linear"))
            o->linear = true;
        else if (!strncmp(argv[i], "--", 2) || n == sizeof positional / sizeof *positional)
            return false;
        else
            *positional[n++] = argv[i];
    }
    return o->command && o->trace && !strcmp(o->command, "order") == (o->file != NULL);
}

/* Commands that need the matching; -1 when the command is none of them. */
static int run_matched(const struct options *o, const struct o_trace *trace)
{
    struct o_matching *m = o_match(trace, o->lookahead);
    int status = 0;
    if (!strcmp(o->command, "match"))
        o_print_match(m);
    else if (!strcmp(o->command, "violations"))
        o_print_violations(m, o->mu);
    else if (!strcmp(o->command, "health"))
        o_print_health(m);
    else
        status = o_check_order(m, o->file, o->given_up, o->classes);
    o_match_free(m);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const commands[] = {"match", "violations", "health", "order", "profile", "dump"};
    struct options o = {.lookahead = 4096};
    size_t command = 0, n = sizeof commands / sizeof *commands;
    if (!parse(&o, argc, argv))
        return usage();
    while (command < n && strcmp(commands[command], o.command))
        command++;
    if (command == n)
        return usage();
    struct o_trace *trace = o_load(o.trace, o.linear);
    if (!trace)
        return 1;
    int status = 0;
    if (!strcmp(o.command, "profile"))
        o_print_profile(trace);
    else if (!strcmp(o.command, "dump"))
        o_print_dump(trace);
    else
        status = run_matched(&o, trace);
    o_unload(trace);
    return status;
}
