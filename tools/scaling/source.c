/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Lines of the program's source below --source. A file of the trace is the one whose path ends like its own, by as many
 * folders as possible. Only names that are found below the folder are compared, and symbolic links are not followed, so
 * that no name in a trace leads anywhere else. */
#include "page_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AROUND = 4, MOST_ENTRIES = 1000000, MOST_COLUMNS = 300 };

/* The best file of a cause so far. */
struct source {
    char *path;
    uint32_t score, equals; /* other files as good */
    bool all_searched;      /* else there were too many files */
};

/* Where the last part of a path that ends before `end` begins. */
static const char *last_part(const char *path, const char *end)
{
    while (end > path && end[-1] != '/')
        end--;
    return end;
}

/* How many of their last parts are the same, twice; and one more where that is all of `below`. */
static uint32_t common_tail(const char *below, const char *wanted)
{
    const char *a = below + strlen(below), *b = wanted + strlen(wanted);
    uint32_t score = 0;
    for (;; score += 2) {
        const char *x = last_part(below, a), *y = last_part(wanted, b);
        if (x == a || a - x != b - y || memcmp(x, y, (size_t)(a - x)) != 0)
            return score;
        if (x == below || y == wanted)
            return score + 2 + (x == below);
        a = x - 1;
        b = y - 1;
    }
}

static void compare_file(const struct study *s, struct source *found, const char *path, const char *below)
{
    for (uint32_t i = 0; i < s->n_causes; i++) {
        struct source *f = &found[i];
        uint32_t score = common_tail(below, s->vertex[s->cause[i].vertex].file);
        if (score == 0 || score < f->score)
            continue;
        if (score == f->score) {
            f->equals++;
            continue;
        }
        free(f->path);
        *f = (struct source){.path = format_text("%s", path), .score = score};
    }
}

struct source *find_sources(const struct study *s)
{
    const char *folder = s->options->source;
    if (!folder)
        return NULL;
    char *root[] = {format_text("%s/.", folder), NULL}; /* the folder itself may be a link */
    size_t begin = strlen(root[0]) + 1;
    struct source *found = allocate(s->n_causes + 1u, sizeof *found);
    FTS *tree = fts_open(root, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry = NULL;
    uint32_t n = 0;
    if (!tree)
        fail("--source '%s': %s", folder, strerror(errno));
    while (n++ < MOST_ENTRIES && (entry = fts_read(tree)))
        if (entry->fts_info == FTS_F)
            compare_file(s, found, entry->fts_path, entry->fts_path + begin);
    for (uint32_t i = 0; i < s->n_causes; i++)
        found[i].all_searched = !entry;
    fts_close(tree);
    free(root[0]);
    return found;
}

/* Writes the lines around `line`; false: the file ends before it. */
static bool put_lines(FILE *out, FILE *file, uint32_t line)
{
    uint32_t number = 1, column = 0, begun = 0, first = line > AROUND ? line - AROUND : 1;
    char text[MOST_COLUMNS + 8];
    int c;
    do {
        c = getc(file);
        if (c != '\n' && c != EOF) {
            if (column < MOST_COLUMNS)
                text[column++] = c == '\0' || c == '\r' ? ' ' : (char)c;
            else if (column == MOST_COLUMNS)
                strcpy(text + column++, " ...");
            continue;
        }
        if (number >= first && (c == '\n' || column > 0)) {
            fputs(begun++ ? "" : "<pre>", out);
            text[column <= MOST_COLUMNS ? column : MOST_COLUMNS + 4] = '\0';
            fprintf(out, number == line ? "<mark>%6" PRIu32 "  " : "%6" PRIu32 "  ", number);
            page_text(out, text);
            fputs(number == line ? "</mark>\n" : "\n", out);
        }
        number += c == '\n' || column > 0;
        column = 0;
    } while (c != EOF && number <= line + AROUND);
    fputs(begun ? "</pre>" : "", out);
    return number > line;
}

static void put_file(FILE *out, const char *path, const char *shown, uint32_t line)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    fputs(file ? "<figure class=\"source\"><figcaption>" : "<p class=\"none\">", out);
    page_text(out, shown);
    if (!file) {
        if (fd >= 0)
            close(fd);
        fprintf(out, " cannot be read: %s.</p>\n", fd < 0 ? strerror(errno) : "no regular file");
        return;
    }
    fputs("</figcaption>", out);
    if (!put_lines(out, file, line))
        fprintf(out, "<p class=\"none\">The file has no line %" PRIu32 ": is it another version?</p>", line);
    fputs("</figure>\n", out);
    fclose(file);
}

void put_source(FILE *out, const struct study *s, const struct source *found, uint32_t cause)
{
    const struct vertex *v = &s->vertex[s->cause[cause].vertex];
    const struct source *f = &found[cause];
    if (*v->file && v->line && f->path && f->equals == 0) {
        put_file(out, f->path, f->path + strlen(s->options->source) + strlen("/./"), v->line);
        return;
    }
    fputs("<p class=\"none\">No source: ", out);
    if (!*v->file || !v->line) {
        fputs("the trace does not tell file and line.", out);
    } else {
        page_text(out, v->file);
        if (f->path)
            fprintf(out, " may be any of %" PRIu32 " files", f->equals + 1);
        else
            fputs(" was not found", out);
        fputs(" below ", out);
        page_text(out, s->options->source);
        fputs(f->all_searched ? "." : ", which has too many files for a whole search.", out);
    }
    fputs("</p>\n", out);
}
