/* The manners of files with results: nothing is replaced unless that is allowed, a file appears under its name when it
 * is complete (until then it is called NAME.incomplete), and what can be told before the first event flows is. */
#ifndef TCFLOW_FRAMEWORK_OUTPUT_H
#define TCFLOW_FRAMEWORK_OUTPUT_H

#include <tcflow/filter.h>

enum { OUTPUT_PATH_BYTES = 4096 };

/* There is something under this name that is no regular file and not to be replaced, but written to. */
int output_is_special(const char *path);
/* Can a file of this name be made? Refuses (tcf_usage()) a folder, an existing file unless `overwrite`, a folder that
 * cannot be written to. `what` names it in messages: "output". Writes nothing. */
tcf_status output_check(const char *what, const char *path, int overwrite);
/* path.incomplete; fails when that is longer than OUTPUT_PATH_BYTES. */
tcf_status output_beside(const char *what, const char *path, char to[OUTPUT_PATH_BYTES]);
/* Gives the complete file `from` its name, without replacing what came into being meanwhile unless that is allowed. */
tcf_status output_publish(const char *what, const char *from, const char *path, int overwrite);

#endif
