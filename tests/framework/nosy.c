/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter that tries, in end(), what it has no business with, and reports what the system answers. `input` and
 * `output` are its own; what NOSY names in the environment isn't. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tcflow/filter.h>
#include <unistd.h>

struct conf {
    const char *input, *output, *needs;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, input, TCF_INPUT_PATH, "", "A file that it reads"),
    TCF_PARAM(struct conf, output, TCF_OUTPUT_PATH, "", "A file that it writes"),
    TCF_PARAM(struct conf, needs, TCF_STRING, "", "A file that it reads, too, without saying that this is a path"),
};

static const char *answer(int failed)
{
    return failed ? strerrorname_np(errno) : "done";
}

static void try_open(const tcf_self *self, const char *what, const char *path, int flags)
{
    const int fd = open(path, flags | O_CLOEXEC, 0600);

    self->host->log(self, TCF_LOG_WARNING, "%s: %s", what, answer(fd < 0));
    if (fd >= 0)
        close(fd);
}

static int run_true(void)
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        syscall(231, errno == EPERM ? 77 : 78); /* exit_group: without the handlers of the process */
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static tcf_status nosy_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static tcf_status nosy_end(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const char *others = getenv("NOSY");
    char path[4096], temporary[4096];
    int file;

    if (conf->input && *conf->input)
        try_open(self, "its input", conf->input, O_RDONLY);
    if (conf->input && *conf->input)
        try_open(self, "its input, to write", conf->input, O_WRONLY);
    if (conf->output && *conf->output)
        try_open(self, "its output", conf->output, O_WRONLY | O_CREAT);
    try_open(self, "another file", others, O_RDONLY);
    try_open(self, "another file, to write", others, O_WRONLY);
    snprintf(path, sizeof path, "%s.new", others);
    try_open(self, "a new file", path, O_WRONLY | O_CREAT);
    self->host->log(self, TCF_LOG_WARNING, "the mode of a file: %s", answer(chmod(others, 0644) != 0));
    self->host->log(self, TCF_LOG_WARNING, "removal: %s", answer(unlink(others) != 0));
    try_open(self, "the users", "/etc/shadow", O_RDONLY);
    try_open(self, "the memory", "/proc/self/mem", O_RDWR);
    snprintf(temporary, sizeof temporary, "%s/nosy.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    const int fd = mkstemp(temporary);
    self->host->log(self, TCF_LOG_WARNING, "a temporary file: %s", answer(fd < 0));
    if (fd >= 0)
        unlink(temporary);
    self->host->log(self, TCF_LOG_WARNING, "a program: %d", run_true());
    self->host->log(self, TCF_LOG_WARNING, "a socket: %s", answer(socket(AF_INET, SOCK_STREAM, 0) < 0));
    self->host->log(self, TCF_LOG_WARNING, "shared memory: %s", answer(shmget(IPC_PRIVATE, 1, 0600) < 0));
    self->host->log(self, TCF_LOG_WARNING, "typing: %s", answer(ioctl(STDIN_FILENO, TIOCSTI, "x") != 0));
    self->host->log(self, TCF_LOG_WARNING, "a signal: %s", answer(kill(getppid(), 0) != 0));
    if (conf->needs && *conf->needs && (file = open(conf->needs, O_RDONLY | O_CLOEXEC)) < 0)
        return self->host->fail(self, "cannot open '%s': %s", conf->needs, strerror(errno));
    if (conf->needs && *conf->needs)
        close(file);
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "nosy",
    .version = "1",
    .summary = "Looks where it should not",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .slice = nosy_slice,
    .end = nosy_end,
};
