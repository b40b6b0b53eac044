/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The encoding that all files of an OTF2 archive share, for what reads and what writes them.
 *
 * Derived from files, as the format isn't documented. A record is a byte with its type, its length (a byte, or 255 and
 * 8 bytes) and that many bytes. Numbers of 32 and 64 bits are stored as the count of their significant bytes and these
 * bytes; the count 255 stands for "undefined". Timestamps and 16-bit numbers are stored in full. */
#ifndef TCFLOW_PRIVATE_OTF2_FORMAT_H
#define TCFLOW_PRIVATE_OTF2_FORMAT_H

#include <tcflow/events.h>

/* Types of records that are neither events nor definitions. */
enum {
    END_OF_CHUNK = 0,
    END_OF_BUFFER = 1,
    END_OF_FILE = 2,
    CHUNK_HEADER = 3,
    TIMESTAMP = 5,
    ATTRIBUTE_LIST = 6,
    FIRST_EVENT = 10 /* of kind 1 */
};

/* Types of records in the definition files of locations. */
enum { MAPPING_TABLE = 5, CLOCK_OFFSET = 6 };

enum { LIST_BYTES = 5, ATTRIBUTE_BYTES = 15 }; /* the most that an attribute list takes, and each attribute in it */

enum { LITTLE_ENDIAN_FILE = 0x42, BIG_ENDIAN_FILE = 0x23, HEADER_BYTES = 18, TIMESTAMP_BYTES = 9 };

/* Ten kinds of events with a single number are stored without their length. */
static inline int has_no_length(unsigned kind)
{
    switch (kind) {
    case TCF_ENTER:
    case TCF_LEAVE:
    case TCF_MPI_ISEND_COMPLETE:
    case TCF_MPI_IRECV_REQUEST:
    case TCF_MPI_REQUEST_TEST:
    case TCF_MPI_REQUEST_CANCELLED:
    case TCF_OMP_FORK:
    case TCF_OMP_TASK_CREATE:
    case TCF_OMP_TASK_SWITCH:
    case TCF_OMP_TASK_COMPLETE:
        return 1;
    default:
        return 0;
    }
}

#endif
