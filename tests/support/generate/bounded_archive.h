/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * An OTF2 archive for writing whose event writers never hold more than a fixed number of chunks.
 *
 * libotf2 keeps what is written to a location in memory (up to 128 MiB a writer) unless the memory
 * callbacks refuse a further chunk and the flush callback says flush. Both are set here. The
 * post-flush callback stays NULL: with one, libotf2 adds BUFFER_FLUSH events of its own.
 * What cannot be bounded from here are the 4 MiB that libotf2 puts before every file that it writes.
 * For the tests' generators and bare benchmark programs; needs nothing but libotf2. */
#ifndef TCFLOW_TESTS_BOUNDED_ARCHIVE_H
#define TCFLOW_TESTS_BOUNDED_ARCHIVE_H

#include <otf2/otf2.h>

/*
 * Opens DIRECTORY/traces.otf2 for writing, event files included. CHUNK_BYTES is the size of an event
 * chunk, 256 KiB to 16 MiB; a writer holds two of them at most.
 * Returns NULL after a message on stderr. Close with bounded_archive_close(). */
OTF2_Archive *bounded_archive_open(const char *directory, uint64_t chunk_bytes);

/* Closes the event files and the archive. Returns 0, or -1 when libotf2 reported an error. */
int bounded_archive_close(OTF2_Archive *archive);

#endif
