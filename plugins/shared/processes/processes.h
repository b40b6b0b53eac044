/* Which locations are one process, and which world rank it has. For filters that sum up by process, and for those to whom
 * a user says ranks.
 *
 * A process is a location group, all of its threads and streams together, those streams of accelerators too that have groups
 * of their own which say that it created them (tcf_process_of()). Where MPI's list of processes has several
 * locations of one group (threads as ranks: AMPI, MPC), each of these is a process of its own, and so is the rest of
 * the group, of which nobody knows whose it is (doc/matching.md, "Members"). Locations without a group are one, too. A
 * world rank is a position in MPI's list.
 */
#ifndef TCFLOW_PLUGINS_PROCESSES_H
#define TCFLOW_PLUGINS_PROCESSES_H

#include <tcflow/filter.h>

typedef struct process_info {
    uint32_t group;    /* location group; TCF_NONE: none, the locations are of none */
    uint32_t location; /* the one that stands for it: MPI's, else its first one */
    uint32_t rank;     /* TCF_NONE: none */
    uint8_t is_rest;   /* of a group with several ranks: it has none of them */
} process_info;

typedef struct process_table {
    process_info *at;  /* [n] by location group, then rank, the rest behind; each has a location */
    uint32_t *of;      /* by location: its process */
    uint32_t *rank;    /* by location: world rank of its process, or its own where it has no group; TCF_NONE: none */
    uint32_t n, ranks; /* ranks: length of MPI's list */
} process_table;

/* Zeroed at first. -1: out of memory. */
int processes_find(process_table *p, const tcf_definitions *defs);
void processes_free(process_table *p);

/* What tables say of a process: world rank or -1, id of the location group or 2^32 - 1, its name. */
tcf_cell process_rank_cell(const process_table *p, uint32_t process);
tcf_cell process_id_cell(const process_table *p, const tcf_definitions *defs, uint32_t process);
tcf_cell process_name_cell(const process_table *p, const tcf_definitions *defs, uint32_t process);

#define PROCESS_RANK_COLUMN {"rank", TCF_CELL_INT, NULL, "World rank of the process; -1: none"}
#define PROCESS_ID_COLUMN(name) {name, TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"}
#define PROCESS_NAME_COLUMN {"process", TCF_CELL_TEXT, NULL, "Name of the location group"}

#endif
