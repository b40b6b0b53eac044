/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* otf2_write: writes an OTF2 archive.
 *
 * Event files and the definition files of locations are written by the direct writer, or by libotf2; libotf2 writes all
 * other files. It would keep all chunks of a file in memory; the memory callbacks here refuse a second chunk, so that
 * it flushes each full one. Definitions are written at the end, when the numbers of events are known. The archive is
 * written into PATH.incomplete and renamed when it is complete. A run that fails or is interrupted closes it as far as
 * it can and leaves it there.
 *
 * In domains each instance writes the files of its own locations, by the direct writer. The first one has the archive,
 * and writes all else at the end. */
#define _GNU_SOURCE /* asprintf */
#include "otf2_write.h"

#include <errno.h>
#include <private/extent_host.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some versions of libotf2 deprecate compression, which users may still ask for. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { COMPRESSION_NONE, COMPRESSION_ZLIB };
enum { WRITER_AUTO, WRITER_DIRECT, WRITER_LIBOTF2 };
enum { MANY_LOCATIONS = 64 }; /* with more, chunks have the smallest size */

static const tcf_param params[] = {
    TCF_PARAM(struct conf, path, TCF_OUTPUT_PATH, NULL, "Folder of the archive; its anchor file is traces.otf2 in it."),
    TCF_PARAM(struct conf, overwrite, TCF_BOOL, "no", "Replace an archive that exists already."),
    TCF_PARAM(struct conf, compression, TCF_ENUM, "none", "Compress the event files, where libotf2 offers it.",
              .choices = "none|zlib"),
    TCF_PARAM(struct conf, chunk, TCF_SIZE, "0",
              "Size of the chunks of event files, from 256KiB on, which libotf2 holds one of for each location that it "
              "reads or writes. 0: 1MiB, or 256KiB for more than 64 locations.",
              .min = "0", .max = "16MiB"),
    TCF_PARAM(struct conf, clock_offsets, TCF_BOOL, "yes",
              "Write the clock offsets of the input, which readers add to timestamps; no for timestamps that are "
              "corrected. Behind a filter that makes all clocks one (presync), none are written in any case."),
    TCF_PARAM(struct conf, trace_id, TCF_ENUM, "keep",
              "Trace identifier of the archive: the input's, or one of its own.", .choices = "keep|new"),
    TCF_PARAM(
        struct conf, writer, TCF_ENUM, "auto",
        "What writes event files: direct, or libotf2, which compression needs. Their files are the same, byte for "
        "byte; auto takes direct wherever it can.",
        .choices = "auto|direct|libotf2"),
};

/* ----------------------------------------------------------------------------------- memory of libotf2's writers -- */

/* The one chunk of a writer. libotf2 gets it again after each flush. */
struct chunk {
    int in_use;
    _Alignas(max_align_t) unsigned char memory[];
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes)
{
    struct chunk *c = *buffer;

    (void)data, (void)type, (void)location;
    if (c && c->in_use)
        return NULL; /* libotf2 flushes, frees all chunks and asks again */
    if (c == NULL)
        c = *buffer = malloc(sizeof *c + bytes + 8); /* 8: the end mark of a full chunk is a byte behind it */
    if (c == NULL)
        return NULL;
    c->in_use = 1;
    return c->memory;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    struct chunk *c = *buffer;

    (void)data, (void)type, (void)location;
    if (c)
        c->in_use = 0;
    if (!final)
        return;
    free(c);
    *buffer = NULL;
}

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* libotf2 keeps pointers to these. With a post-flush callback it would add BUFFER_FLUSH records to the trace. */
static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = pre_flush, .otf2_post_flush = NULL};
static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate, .otf2_free_all = free_all};

/* --------------------------------------------------------------------------------------------------------- start -- */

static OTF2_ErrorCode say_nothing(void *data, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static tcf_status check_zlib(tcf_self *self)
{
    char folder[] = "/tmp/tcflow-XXXXXX";

    if (mkdtemp(folder) == NULL)
        return TCF_OK; /* open_archive() fails if libotf2 cannot compress */
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(say_nothing, NULL);
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, "probe", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_ZLIB);
    if (archive)
        OTF2_Archive_Close(archive);
    OTF2_Error_RegisterCallback(before, NULL);
    rmdir(folder);
    return archive
               ? TCF_OK
               : self->host->fail(self, "compression = zlib: this build of libotf2 cannot compress; use compression = "
                                        "none");
}

static int takes_libotf2(const struct conf *conf)
{
    return conf->writer == WRITER_LIBOTF2 || conf->compression == COMPRESSION_ZLIB;
}

static tcf_status otf2_write_init(tcf_self *self)
{
    struct conf const *conf = self->conf;

    if (conf->chunk != 0 && (conf->chunk < OTF2_CHUNK_SIZE_MIN || conf->chunk > OTF2_CHUNK_SIZE_MAX))
        return self->host->fail(self, "chunk = %llu bytes: 256KiB to 16MiB are possible",
                                (unsigned long long)conf->chunk);
    if (conf->compression == COMPRESSION_ZLIB && conf->writer == WRITER_DIRECT)
        return self->host->fail(self, "compression = zlib: writer = direct doesn't compress; use writer = auto");
    if (conf->compression == COMPRESSION_ZLIB && check_zlib(self) != TCF_OK)
        return TCF_ERROR;
    if (takes_libotf2(conf))
        self->can &= ~(uint32_t)TCF_CAN_DOMAINS;
    (void)tcf_handles_host_of(self); /* the reader leaves some of the files that may be open */
    return tcf_output_host_of(self)->check_archive("path", conf->path, conf->overwrite);
}

static uint64_t event_chunk(const tcf_self *self)
{
    const struct conf *conf = self->conf;

    if (conf->chunk != 0)
        return conf->chunk;
    return self->defs->n_locations > MANY_LOCATIONS ? OTF2_CHUNK_SIZE_MIN : OTF2_CHUNK_SIZE_EVENTS_DEFAULT;
}

static tcf_status start_events(tcf_self *self)
{
    struct state *state = self->state;
    const struct event_writer *events = takes_libotf2(self->conf) ? &library_writer : &direct_writer;

    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        state->n_own += self->host->has(self, i) != 0;
    if (events->start(self, event_chunk(self)) != TCF_OK)
        return TCF_ERROR;
    state->events = events;
    return TCF_OK;
}

static tcf_status open_archive(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;

    state->archive =
        OTF2_Archive_Open(state->folder.name, "traces", OTF2_FILEMODE_WRITE, event_chunk(self),
                          definition_chunk(self->defs), OTF2_SUBSTRATE_POSIX,
                          conf->compression == COMPRESSION_ZLIB ? OTF2_COMPRESSION_ZLIB : OTF2_COMPRESSION_NONE);
    if (state->archive == NULL)
        return self->host->fail(self, "an archive cannot be created in '%s'", state->folder.name);
    OTF2_ErrorCode code = OTF2_Archive_SetSerialCollectiveCallbacks(state->archive);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetFlushCallbacks(state->archive, &flush_callbacks, NULL);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetMemoryCallbacks(state->archive, &memory_callbacks, NULL);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_OpenEvtFiles(state->archive);
    state->event_files_open = code == OTF2_SUCCESS;
    if (code != OTF2_SUCCESS)
        return self->host->fail(self, "'%s': %s", state->folder.name, broken(self, code));
    return start_events(self);
}

static tcf_status join_archive(tcf_self *self)
{
    struct state *state = self->state;
    size_t bytes;
    const char *folder = tcf_domains_host_of(self)->left(self, &bytes);

    state->folder = (tcf_output){.fd = -1, .name = folder ? strdup(folder) : NULL};
    return state->folder.name ? start_events(self) : self->host->fail(self, "out of memory");
}

/* Offsets stay right where a filter has hardly moved times. This filter does not know that, so it only warns. */
static void warn_of_offsets(const tcf_self *self)
{
    const struct conf *conf = self->conf;

    if (conf->clock_offsets && self->changed & TCF_WRITES_TIME && tcf_offsets_wait(self))
        self->host->log(self, TCF_LOG_WARNING,
                        "times were changed in front, and readers will add the input's clock offsets to "
                        "them: put presync in front of what changes times, or set clock_offsets = no");
}

static tcf_status otf2_write_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;

    warn_of_offsets(self);
    if (conf->writer == WRITER_AUTO && takes_libotf2(conf))
        self->host->log(self, TCF_LOG_INFO, "event files are written by libotf2, as compression = zlib asks for it");
    if (self->checking)
        return TCF_OK;
    if (is_further(self))
        return join_archive(self);
    if (tcf_output_host_of(self)->open_folder("path", conf->path, &((struct state *)self->state)->folder) != TCF_OK)
        return TCF_ERROR;
    if (open_archive(self) != TCF_OK)
        return TCF_ERROR;
    const char *folder = ((const struct state *)self->state)->folder.name;
    tcf_domains_host_of(self)->leave(self, folder, strlen(folder) + 1);
    return write_anchor(self);
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static tcf_status open_event_file(const tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);

    l->has_file = l->is_open = 1;
    return ((const struct state *)self->state)->events->open(self, location);
}

static tcf_status close_event_file(const tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);
    int was_open = l->is_open;

    l->is_open = 0;
    return was_open ? ((const struct state *)self->state)->events->close(self, location) : TCF_OK;
}

static tcf_status otf2_write_slice(tcf_self *self, tcf_slice *s)
{
    struct location *l = tcf_location_state(self, s->location);

    if (!l->is_open && open_event_file(self, s->location) != TCF_OK)
        return TCF_ERROR;
    if (l->events == 0 && s->n > 0)
        l->first_time = s->time[0];
    return ((const struct state *)self->state)->events->write(self, s);
}

enum seen { MISSING, THERE, UNSEEN };

static enum seen look_for(const tcf_self *self, const char *path)
{
    if (access(path, F_OK) == 0)
        return THERE;
    if (!tcf_error_is_passing(errno))
        return MISSING;
    self->host->fail(self, "cannot look for '%s': %s", path, strerror(errno));
    return UNSEEN;
}

/* Did the location have an event file in the input? So it is taken where the input is no archive, or isn't there. */
static enum seen had_event_file(const tcf_self *self, uint32_t location)
{
    const char *archive = self->defs->archive, *dot = strrchr(archive, '.');
    int stem = dot ? (int)(dot - archive) : (int)strlen(archive);
    char path[4096];

    if (tcf_location_at(self->defs, location)->events > 0 || !dot || strcmp(dot, ".otf2") != 0)
        return THERE;
    const enum seen input = look_for(self, archive);
    if (input != THERE)
        return input == MISSING ? THERE : UNSEEN;
    snprintf(path, sizeof path, "%.*s/%llu.evt", stem, archive,
             (unsigned long long)tcf_location_at(self->defs, location)->id);
    return look_for(self, path);
}

/* A location without events gets the file that it had. */
static tcf_status open_empty_file(const tcf_self *self, uint32_t location)
{
    const enum seen had = had_event_file(self, location);

    return had == THERE ? open_event_file(self, location) : had == MISSING ? TCF_OK : TCF_ERROR;
}

static tcf_status write_local_definitions(tcf_self *self)
{
    struct state *state = self->state;

    if (state->has_local_definitions)
        return TCF_OK;
    state->has_local_definitions = 1;
    return state->events->local_definitions(self);
}

static tcf_status otf2_write_location_end(tcf_self *self, uint32_t location)
{
    const struct location *l = tcf_location_state(self, location);
    struct state *state = self->state;

    if (!l->has_file && open_empty_file(self, location) != TCF_OK)
        return TCF_ERROR;
    if (close_event_file(self, location) != TCF_OK)
        return TCF_ERROR;
    return ++state->n_ended == state->n_own && state->events->is_parallel ? write_local_definitions(self) : TCF_OK;
}

/* ------------------------------------------------------------------------------------------ markers and the like -- */

struct markers {
    tcf_self *self;
    OTF2_MarkerWriter *writer;
};

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    struct markers *to = data;
    struct state *state = to->self->state;
    OTF2_ErrorCode code;

    if (!m->definition && to->self->changed & TCF_WRITES_TIME) {
        state->dropped++; /* its time cannot be mapped */
        return TCF_OK;
    }
    if (to->writer == NULL)
        to->writer = OTF2_Archive_GetMarkerWriter(state->archive);
    if (to->writer == NULL)
        return written(to->self, OTF2_ERROR_FILE_CAN_NOT_OPEN, "a marker");
    if (m->definition)
        code = OTF2_MarkerWriter_WriteDefMarker(to->writer, m->marker, m->group, m->category, m->severity);
    else
        code =
            OTF2_MarkerWriter_WriteMarker(to->writer, m->time, m->duration, m->marker, m->scope, m->scope_ref, m->text);
    return written(to->self, code, "a marker");
}

static tcf_status each_thumbnail(void *data, const tcf_thumbnail *t)
{
    tcf_self *self = data;
    struct state *state = self->state;

    if (is_changed(self)) {
        state->dropped++;
        return TCF_OK;
    }
    OTF2_ThumbWriter *writer = OTF2_Archive_GetThumbWriter(state->archive, t->name, t->description, t->type,
                                                           t->n_samples, t->n_metrics, t->refs);
    OTF2_ErrorCode code = writer ? OTF2_SUCCESS : OTF2_ERROR_FILE_CAN_NOT_OPEN;
    for (uint32_t i = 0; i < t->n_samples && code == OTF2_SUCCESS; i++)
        code =
            OTF2_ThumbWriter_WriteSample(writer, t->baseline[i], t->n_metrics, t->samples + (uint64_t)i * t->n_metrics);
    return written(self, code, "a thumbnail");
}

static tcf_status all_snapshots(tcf_self *self)
{
    struct state *state = self->state;
    OTF2_ErrorCode code = OTF2_Archive_OpenSnapFiles(state->archive);
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < self->defs->n_locations && status == TCF_OK; i++)
        status = write_snapshots(self, i);
    if (code == OTF2_SUCCESS)
        OTF2_Archive_CloseSnapFiles(state->archive);
    if (state->snapshots > 0)
        OTF2_Archive_SetNumberOfSnapshots(state->archive, state->snapshots);
    return status;
}

/* Snapshots hold positions of events, and thumbnails sum events up, so both are written for an unchanged trace only. */
static tcf_status write_extras(tcf_self *self)
{
    struct state *state = self->state;
    struct markers to = {.self = self};

    if (all_snapshots(self) != TCF_OK)
        return TCF_ERROR;
    tcf_status status = self->host->markers(self, each_marker, &to);
    const OTF2_ErrorCode closed = to.writer ? OTF2_Archive_CloseMarkerWriter(state->archive, to.writer) : OTF2_SUCCESS;
    if (status == TCF_OK)
        status = written(self, closed, "a marker");
    if (status == TCF_OK)
        status = self->host->thumbnails(self, each_thumbnail, self);
    tcf_warn(self, state->dropped,
             "markers, snapshots or thumbnails are left out, since they would not fit the changed events");
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- end -- */

/* Closes the files of this domain's locations, also of a run that failed. */
static tcf_status close_locations(tcf_self *self)
{
    const struct state *state = self->state;
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; self->location && i < self->defs->n_locations && status == TCF_OK; i++) {
        const struct location *l = tcf_location_state(self, i);
        if (!self->host->has(self, i))
            continue;
        if (state->partial && !l->has_file)
            status = open_empty_file(self, i); /* readers expect the file */
        if (status == TCF_OK)
            status = close_event_file(self, i);
    }
    if (status == TCF_OK && state->event_files_open)
        OTF2_Archive_CloseEvtFiles(state->archive);
    return status == TCF_OK ? write_local_definitions(self) : status;
}

static OTF2_ErrorCode keep_first(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    OTF2_ErrorCode *first = data;

    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (*first == OTF2_SUCCESS && code > OTF2_SUCCESS) /* below it are warnings */
        *first = code;
    return code;
}

/* libotf2 writes thumbnails when it closes the archive, and leaves out of its answer what goes wrong there. */
static OTF2_ErrorCode close_whole(OTF2_Archive *archive)
{
    OTF2_ErrorCode first = OTF2_SUCCESS;
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep_first, &first);
    const OTF2_ErrorCode code = OTF2_Archive_Close(archive);

    OTF2_Error_RegisterCallback(before, NULL);
    return code == OTF2_SUCCESS ? first : code;
}

/* Closes all files and writes the definitions, so that readers can open the archive. */
static tcf_status close_archive(tcf_self *self)
{
    struct state *state = self->state;

    if (close_locations(self) != TCF_OK || write_global_definitions(self) != TCF_OK)
        return TCF_ERROR;
    OTF2_ErrorCode code = close_whole(state->archive);
    state->archive = NULL;
    if (code != OTF2_SUCCESS)
        return self->host->fail(self, "the archive '%s' cannot be closed: %s", state->folder.name, broken(self, code));
    if (state->partial || ((const struct conf *)self->conf)->trace_id != TRACE_ID_KEEP)
        return TCF_OK;
    return anchor_set_trace_id(self, self->defs->trace_id);
}

static tcf_status otf2_write_end(tcf_self *self)
{
    const struct state *state = self->state;
    tcf_status status = write_extras(self);

    write_new_properties(self);
    if (status == TCF_OK)
        status = close_archive(self);
    return status != TCF_OK ? status
                            : tcf_output_host_of(self)->publish_archive("path", &state->folder,
                                                                        ((const struct conf *)self->conf)->overwrite,
                                                                        state->events == &library_writer);
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status otf2_write_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put_locations(self, pack, TCF_MEMBERS(struct location, events, last_time));
    return TCF_OK;
}

static tcf_status otf2_write_absorb(tcf_self *self, tcf_pack *pack)
{
    self->host->take_locations(self, pack, TCF_MEMBERS(struct location, events, last_time));
    return TCF_OK;
}

/* How far a domain has come, of a run that fails. */
struct left {
    uint32_t location;
    int broken;
    uint64_t events, first_time, last_time;
};

/* Of a run that fails: the first domain is to know how far this one has come. */
static void give_up(tcf_self *self)
{
    const struct state *state = self->state;

    if (!state->broken)
        close_locations(self);
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        const struct left row = {i, state->broken, l->events, l->first_time, l->last_time};
        if (self->host->has(self, i))
            tcf_domains_host_of(self)->leave(self, &row, sizeof row);
    }
}

/* The first domain: how far the others have come. */
static void take_left(tcf_self *self)
{
    struct state *state = self->state;
    size_t bytes;
    const struct left *row = tcf_domains_host_of(self)->left(self, &bytes);

    for (size_t i = 0; i < bytes / sizeof *row; i++) {
        struct location *l = tcf_location_state(self, row[i].location);
        state->broken |= row[i].broken;
        *l = (struct location){.events = row[i].events, .first_time = row[i].first_time, .last_time = row[i].last_time};
    }
}

static void otf2_write_fini(tcf_self *self, int complete)
{
    struct state *state = self->state;

    state->partial = !complete;
    if (!complete && state->events && !is_further(self))
        take_left(self);
    if (state->archive && state->events && !state->broken)
        close_archive(self);
    if (!complete && state->events && is_further(self))
        give_up(self);
    if (state->events)
        state->events->stop(self);
    for (uint32_t i = 0; self->location && i < self->defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        OTF2_AttributeList_Delete(l->attributes);
        free(l->strings);
    }
    if (state->folder.name && state->folder.fd >= 0)
        close(state->folder.fd);
    free(state->folder.name);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "otf2_write",
    .version = "1.0",
    .summary = "Writes an OTF2 archive",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "Writes what it sees into a new OTF2 archive: events, definitions, clock offsets, properties, and where no "
        "filter before it changes anything also markers, snapshots and thumbnails. Mapping tables have been applied "
        "and are not written again; definitions of single locations that repeat global ones under ids of their own "
        "are left out, and counted in a warning. The archive stands under PATH.incomplete until it is complete.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .location_more = 8192,
    .can = TCF_CAN_DOMAINS,
    .init = otf2_write_init,
    .begin = otf2_write_begin,
    .slice = otf2_write_slice,
    .location_end = otf2_write_location_end,
    .end = otf2_write_end,
    .fini = otf2_write_fini,
    .pack = otf2_write_pack,
    .absorb = otf2_write_absorb,
};
