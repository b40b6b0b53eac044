/* What a report is made of, for those that render it: report.c (text, CSV, JSON) and database.c. Nobody else includes
 * this. */
#ifndef TCFLOW_FRAMEWORK_REPORT_TABLES_H
#define TCFLOW_FRAMEWORK_REPORT_TABLES_H

#include "report.h"

/* With strings of our own. */
struct column {
    const char *name, *unit, *help;
    int type; /* tcf_cell_type, without TCF_CELL_DETAIL */
    int detail;
};

struct tcf_table {
    report *owner;
    struct tcf_table *next;
    char *name, *title;
    struct column *columns;
    uint32_t n_columns;
    tcf_cell *cells; /* n_rows x n_columns; texts are our own */
    size_t n_rows, capacity;
};

struct report {
    char *instance, *output;
    int format, overwrite;
    int out_of_memory; /* a row got lost; report_finish() fails */
    tcf_table *first, **last;
};

/* "text", "int", ...: by type. */
extern const char *const report_type_names[];

#endif
