/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of otf2_write share: otf2_write.c (the filter), write_events.c, write_definitions.c, anchor.c (the
 * trace identifier), broken.c (failures of libotf2), and target.c (the folder, and its final name). */
#ifndef OTF2_WRITE_H
#define OTF2_WRITE_H

#include <otf2/otf2.h>
#include <private/output_host.h>

struct conf {
    const char *path;
    int overwrite;
    int compression; /* none, zlib */
    uint64_t chunk;
    int clock_offsets;
    int trace_id;
};

enum { TRACE_ID_KEEP, TRACE_ID_NEW };

struct state {
    OTF2_Archive *archive;
    tcf_output folder; /* locked as long as it is written */
    int event_files_open;
    int broken;  /* libotf2 could not write, and must not be called again */
    int partial; /* the run ended early */
    uint32_t snapshots;
    uint64_t dropped; /* markers, snapshots and thumbnails that could not be mapped */
};

struct location {
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint32_t *strings; /* ids of a ProgramBegin's arguments */
    uint64_t events;
    uint64_t first_time, last_time;
};

/* A filter that only voids the clock offsets leaves every event as it was. */
static inline int is_changed(const tcf_self *self)
{
    return (self->changed & ~(uint32_t)TCF_WRITES_CLOCK) != 0;
}

/* broken.c. The reason why libotf2 failed; the archive counts as broken from then on. */
const char *broken(const tcf_self *self, OTF2_ErrorCode code);
/* TCF_OK, or the error that `what` cannot be written. */
tcf_status written(const tcf_self *self, OTF2_ErrorCode code, const char *what);

/* write_events.c */
tcf_status write_events(const tcf_self *self, struct location *l, const tcf_slice *s);
tcf_status write_snapshots(tcf_self *self, uint32_t location);

/* write_definitions.c */
tcf_status write_anchor(const tcf_self *self);
/* Writes the properties that filters in front have set. */
void write_new_properties(const tcf_self *self);
tcf_status write_local_definitions(const tcf_self *self);
tcf_status write_global_definitions(const tcf_self *self);
/* The size of a chunk that the largest definition fits into. */
uint64_t definition_chunk(const tcf_definitions *defs);

/* anchor.c. Replaces the trace identifier that libotf2 drew. */
tcf_status anchor_set_trace_id(const tcf_self *self, uint64_t wanted);

/* target.c. It does not call libotf2. */
tcf_status target_check(const tcf_self *self);
tcf_status target_prepare(const tcf_self *self);
tcf_status target_complete(const tcf_self *self);

#endif
