/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of otf2_write share: otf2_write.c (the filter), its writers of event files direct.c (with encode.c and
 * waiting.c) and write_events.c (libotf2's, and snapshots), write_definitions.c, anchor.c (the trace identifier), and
 * broken.c (failures). */
#ifndef OTF2_WRITE_H
#define OTF2_WRITE_H

#include "waiting.h"

#include <otf2/otf2.h>
#include <private/domains_host.h>
#include <private/handles_host.h>
#include <private/output_host.h>
#include <private/roles.h>

struct conf {
    const char *path;
    int overwrite;
    int compression; /* none, zlib */
    uint64_t chunk;
    int clock_offsets;
    int trace_id;
    int writer;
};

enum { TRACE_ID_KEEP, TRACE_ID_NEW };

/* A way to write event files and the definition files of locations. */
struct event_writer {
    const char *name;
    int is_parallel; /* each domain has one, for its locations */
    tcf_status (*start)(const tcf_self *self, uint64_t chunk);
    tcf_status (*open)(const tcf_self *self, uint32_t location);
    tcf_status (*write)(const tcf_self *self, const tcf_slice *s);
    tcf_status (*close)(const tcf_self *self, uint32_t location);
    tcf_status (*local_definitions)(const tcf_self *self); /* behind all close() */
    void (*stop)(const tcf_self *self);
};
extern const struct event_writer direct_writer, library_writer;

/* What the direct writer has for all locations. */
struct files {
    const tcf_handles_host *host;
    tcf_handles handles;
    const char *suffix; /* of the files that are being written */
    uint64_t chunk;
    uint32_t location; /* whose bytes are in the buffer; its offset is that of their end */
    uint8_t *bytes;
    uint64_t n, capacity; /* without ENCODE_SLACK */
    waiting waiting;      /* what comes in front of what is in the buffer */
    uint8_t *piece;       /* of it, to be written */
};

struct state {
    OTF2_Archive *archive;
    tcf_output folder;                 /* locked as long as it is written */
    const struct event_writer *events; /* NULL: not started */
    struct files files;
    int event_files_open;
    int broken;  /* something could not be written, and nothing is written any more: libotf2 must not be called again */
    int partial; /* the run ended early */
    uint32_t n_own, n_ended;   /* locations of this domain: all, and those that have ended */
    int has_local_definitions; /* their definition files are written */
    uint32_t snapshots;
    uint64_t dropped; /* markers, snapshots and thumbnails that could not be mapped */
};

struct location {
    uint64_t events;
    uint64_t first_time, last_time;
    int has_file, is_open; /* its event file */
    /* The direct writer's. */
    uint32_t handle; /* see tcf_handles_host */
    uint64_t offset; /* where its file ends, what waits and what is still in the buffer included */
    /* libotf2's writer's. */
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint32_t *strings; /* ids of a ProgramBegin's arguments */
};

/* A filter that only voids the clock offsets leaves every event as it was. */
static inline int is_changed(const tcf_self *self)
{
    return (self->changed & ~(uint32_t)TCF_WRITES_CLOCK) != 0;
}

/* The archive's id of a reference. */
static inline uint64_t archive_id(const tcf_definitions *defs, int role, uint64_t value)
{
    if (role == ROLE_PLAIN)
        return value;
    return tcf_id(defs, (tcf_ref_kind)role, (uint32_t)value, role == ROLE_IO_PARADIGM ? UINT8_MAX : UINT32_MAX);
}

/* broken.c. The reason why libotf2 failed; the archive counts as broken from then on. */
const char *broken(const tcf_self *self, OTF2_ErrorCode code);
/* TCF_OK, or the error that `what` cannot be written. */
tcf_status written(const tcf_self *self, OTF2_ErrorCode code, const char *what);
/* The error that event i can't be written, for its time is before that of the last one, or for this reason. */
tcf_status event_not_written(const tcf_self *self, const tcf_slice *s, uint32_t i, uint64_t last_time,
                             const char *reason);
/* The error that the location's event file can't be opened or completed by libotf2. */
tcf_status no_event_file(const tcf_self *self, uint32_t location, const char *what, OTF2_ErrorCode code);

/* write_events.c */
tcf_status write_snapshots(tcf_self *self, uint32_t location);

/* A domain but the first writes files of locations alone; the archive is the first one's. */
static inline int is_further(const tcf_self *self)
{
    return !tcf_domains_host_of(self)->is_first(self);
}

/* write_definitions.c */
tcf_status write_anchor(const tcf_self *self);
/* Writes the properties that filters in front have set. */
void write_new_properties(const tcf_self *self);
/* By libotf2. */
tcf_status library_local_definitions(const tcf_self *self);
/* How many clock offsets of the location are written. */
uint32_t n_clock_offsets(const tcf_self *self, uint32_t location);
tcf_status write_global_definitions(const tcf_self *self);
/* The size of a chunk that the largest definition fits into. */
uint64_t definition_chunk(const tcf_definitions *defs);

/* anchor.c. Replaces the trace identifier that libotf2 drew. */
tcf_status anchor_set_trace_id(const tcf_self *self, uint64_t wanted);

#endif
