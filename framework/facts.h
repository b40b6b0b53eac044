/* What the database of a run holds besides the filters' tables. */
#ifndef TCFLOW_FRAMEWORK_FACTS_H
#define TCFLOW_FRAMEWORK_FACTS_H

#include "stages.h"

/* The reports that survive a survey, for the database. */
tcf_status facts_keep_reports(pipeline *survey);
void facts_delete_kept(pipeline *p);
/* Writes [pipeline] database, if there is one, from the reports of all filters that have ended. */
tcf_status facts_write_database(pipeline *p);

#endif
