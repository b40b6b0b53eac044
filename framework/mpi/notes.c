/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Short messages that have come: what each of them says is kept until somebody looks. */
#include "world.h"

#include <string.h>

void notes_take_report(world *w, uint32_t from, const note *report)
{
    memcpy(&w->how[w->first[from]], report->how, report->n * sizeof *report->how);
    w->counts[from][0] = report->sent;
    w->counts[from][1] = report->received;
    w->rests[from] = 1;
    decide_moved(&w->decided, (int)report->has_moved);
    if (w->asking > 0 && report->number == w->asking)
        w->n_answers++;
}

static void take_note(world *w, uint32_t from, const note *what)
{
    switch ((note_kind)what->kind) {
    case NOTE_RESTS:
        notes_take_report(w, from, what);
        break;
    case NOTE_ASK:
        w->question = what->number;
        break;
    case NOTE_VERDICT:
        *w->verdict = *what;
        w->has_verdict = 1;
        break;
    case NOTE_STOP:
        w->stopped = 1;
        break;
    case NOTE_PROGRESS:
    default:
        w->progress[from] = what->progress;
    }
}

void notes_take(world *w)
{
    MPI_Status status;
    int come, bytes;

    while (sleep_may_have_notes(w)) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->notes, &come, &status);
        if (!come)
            return;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        MPI_Recv(w->report, bytes, MPI_BYTE, status.MPI_SOURCE, TAG, w->notes, MPI_STATUS_IGNORE);
        w->n_notes++;
        w->notes_received[status.MPI_SOURCE]++;
        take_note(w, (uint32_t)status.MPI_SOURCE, w->report);
    }
}
