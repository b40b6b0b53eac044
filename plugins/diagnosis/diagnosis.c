/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* diagnosis: what costs a program most, in sentences.
 *
 * It looks at no event. In the end it reads the tables of the filters in front of it and applies rules to them; no
 * filter knows of it. Each finding has a cost, who and when, its evidence, and how certain it is. */
#include "diagnosis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- tables -- */

typedef struct row {
    uint64_t rank;
    const char *rule, *sentence, *evidence_table, *evidence_key, *processes, *uncertainty;
    double cost, share, begin, end;
} row;

#define AT(member) TCF_AT(row, member) | TCF_CELL_DETAIL

static const tcf_table_column columns[] = {
    {"rank", AT(rank), NULL, "0: the verdict; 1: the finding that costs most, and so on"},
    {"rule", AT(rule), NULL, "Which rule found it; verdict or nothing with rank 0"},
    {"cost_s", AT(cost), "s", "Time that it costs all processes together"},
    {"share", AT(share), "%", "Of the time of all processes (or threads) in the program"},
    {"sentence", AT(sentence), NULL, "What it is"},
    {"evidence_table", AT(evidence_table), NULL, "The table that shows it, as the database names it"},
    {"evidence_key", AT(evidence_key), NULL, "Its row there, as a condition of SQL"},
    {"begin_s", AT(begin), "s", "Since when, since the start of the trace: of the longest instance, or of all of it"},
    {"end_s", AT(end), "s", "Until when"},
    {"processes", AT(processes), NULL, "Who causes it"},
    {"uncertainty", AT(uncertainty), NULL, "How certain it is, and what is not in it"},
};

static void say_efficiency(const facts *f, char *to, size_t size)
{
    char a[WORD_BYTES], b[WORD_BYTES], c[WORD_BYTES], d[WORD_BYTES], e[WORD_BYTES], balance[WORD_BYTES + 16] = "";
    if (!isnan(f->load_balance))
        snprintf(balance, sizeof balance, "load balance %s, ", words_share(f->load_balance, b));
    if (f->has_efficiency && isnan(f->transfer))
        snprintf(to, size,
                 " Parallel efficiency is %s%s%sin the %s %s; the trace has no messages and collective "
                 "operations, so what is lost by waiting and by transfer is unknown.",
                 words_share(f->parallel, a), *balance ? ": " : ", ", balance, words_time(f->run_time, e),
                 f->run_time < f->whole_run_time ? "between MPI_Init and MPI_Finalize" : "of the run");
    else if (f->has_efficiency)
        snprintf(to, size, " Parallel efficiency is %s: %sserialisation %s, transfer %s, in the %s %s.",
                 words_share(f->parallel, a), balance, words_share(f->serialisation, c), words_share(f->transfer, d),
                 words_time(f->run_time, e),
                 f->run_time < f->whole_run_time ? "between MPI_Init and MPI_Finalize" : "of the run");
    /* Of one process it is 100 % by definition. */
    const size_t used = strlen(to);
    if (f->has_efficiency && f->n <= 1 && f->threads > 1)
        snprintf(to + used, size - used,
                 " There is one process; its %.0f threads are busy %s of the time in which it computes.", f->threads,
                 words_share(f->threads_busy, a));
    else if (f->has_efficiency && f->n <= 1)
        snprintf(to + used, size - used, " There is one process, with one thread.");
    say_iterations(f, to, size);
}

/* The verdict, as a row and as text. */
static row verdict(const facts *f, const findings *found, double least, char sentence[SENTENCE_BYTES])
{
    char efficiency[SENTENCE_BYTES - 128] = ""; /* beside the words in front */
    say_efficiency(f, efficiency, sizeof efficiency);
    if (!f->has_efficiency && !f->has_waits)
        snprintf(sentence, SENTENCE_BYTES,
                 "No filter in front has reported what is judged here: efficiency, wait_states, root_cause.");
    else if (found->n == 0)
        snprintf(sentence, SENTENCE_BYTES,
                 "Nothing stands out: nothing that is looked for costs %.3g %% of the processes' time or more.%s",
                 least, efficiency);
    else
        snprintf(sentence, SENTENCE_BYTES, "%u finding%s.%s", found->n, found->n == 1 ? "" : "s", efficiency);
    return (row){.rule = found->n == 0 ? "nothing" : "verdict",
                 .sentence = sentence,
                 .share = f->has_efficiency ? 100 * (1 - f->parallel) : (double)NAN,
                 .cost = f->has_efficiency ? (1 - f->parallel) * f->process_time : (double)NAN,
                 .evidence_table = f->has_efficiency ? "efficiency_efficiency" : "",
                 .evidence_key = f->has_efficiency ? "scope = 'program'" : "",
                 .processes = "all",
                 .uncertainty = "",
                 .begin = (double)NAN,
                 .end = (double)NAN};
}

static void report(tcf_self *self, const facts *f, const findings *found)
{
    const conf *c = self->conf;
    const tcf_results_host *results = tcf_results_host_of(self);
    tcf_table *t = TCF_TABLE(self, "diagnosis", "What costs most", columns);
    char sentence[SENTENCE_BYTES], text[2 * SENTENCE_BYTES + 64];
    const row first = verdict(f, found, c->least, sentence);
    tcf_row(self, t, &first);
    results->say(self, sentence);
    for (uint32_t i = 0; i < found->n; i++) {
        const finding *x = &found->at[i];
        tcf_row(self, t,
                &(row){.rank = i + 1ul,
                       .rule = x->rule,
                       .sentence = x->sentence,
                       .cost = x->cost,
                       .share = 100 * x->share,
                       .evidence_table = x->evidence_table,
                       .evidence_key = x->evidence_key,
                       .processes = x->processes,
                       .uncertainty = x->uncertainty,
                       .begin = x->begin,
                       .end = x->end});
        snprintf(text, sizeof text, "%u. %s", i + 1, x->sentence);
        if (c->top == 0 || i < c->top)
            results->say(self, text);
    }
    if (c->top != 0 && found->n > c->top) {
        snprintf(text, sizeof text, "%u more: -o %s.top=0, or all of them with -o %s.format=json",
                 found->n - (uint32_t)c->top, self->name, self->name);
        results->say(self, text);
    }
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status init(tcf_self *self)
{
    tcf_results_host_of(self)->lead(self);
    return TCF_OK;
}

static tcf_status pass(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

/* Findings are made of tables, which the first domain has. */
static tcf_status nothing(tcf_self *self, tcf_pack *pack)
{
    (void)self;
    (void)pack;
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    facts f;
    findings *found = calloc(1, sizeof *found);
    const int failed = facts_take(&f, self) != 0 || !found;
    if (!failed) {
        rules_apply(&f, found);
        report(self, &f, found);
    }
    facts_free(&f);
    free(found);
    return failed ? self->host->fail(self, "out of memory for the diagnosis") : TCF_OK;
}

static const tcf_param params[] = {
    TCF_PARAM(conf, least, TCF_DOUBLE, "5", "What costs less of the processes' time is no finding", .min = "0",
              .max = "100", .unit = "%"),
    TCF_PARAM(conf, start, TCF_DOUBLE, "10", "MPI_Init and MPI_Finalize are a finding from this share of the run on",
              .min = "0", .max = "100", .unit = "%"),
    TCF_PARAM(conf, top, TCF_INT, "3", "So many findings as text; 0: all. Files have all", .min = "0", .max = "32"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "diagnosis",
    .version = "1.0",
    .summary = "What costs a program most, in sentences: findings ranked by cost, with cause, time and evidence",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "Reads the tables that the filters in front of it in the chain have reported (efficiency, wait_states, "
        "root_cause with by_location = yes, load_imbalance, profile, message_histogram), and applies rules: waits by "
        "what they are, load imbalance by process, by node, growing, in bursts, by a serial part or files, pipelines, "
        "threads and locks, transfer of data, small messages, the start of the program. What none of these filters "
        "reports is not judged. The largest finding comes first; a cost is told once.\n"
        "\n"
        "Waits that are shorter on average than the clocks are uncertain are no finding. Where nothing costs `least` "
        "or more, nothing stands out.\n"
        "\n"
        "As text on standard output the report is the first one. The plugin's README.md has all rules with their "
        "thresholds and the reasons for them.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .location_more = 120,
    .can = TCF_CAN_REPORT | TCF_CAN_SKIP_NON_EDGES | TCF_CAN_DOMAINS,
    .slice = pass,
    .init = init,
    .pack = nothing,
    .absorb = nothing,
    .end = end,
};
