# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Below $(docdir)/examples, in the folders that they have here.
nobase_dist_doc_DATA = \
	examples/compensate.ini \
	examples/copy.ini \
	examples/correct.ini \
	examples/database.ini \
	examples/merge.sh \
	examples/query.py \
	examples/report.ini \
	examples/scaling.ini \
	examples/read-stream.py \
	examples/causes.ini \
	examples/waits.ini \
	examples/trace/README.md \
	examples/trace/halo.c \
	examples/trace/traces.otf2 \
	examples/trace/traces.def \
	examples/trace/traces/0.def \
	examples/trace/traces/0.evt \
	examples/trace/traces/536870911.def \
	examples/trace/traces/536870911.evt \
	examples/trace/traces/1073741822.def \
	examples/trace/traces/1073741822.evt \
	examples/trace/traces/1610612733.def \
	examples/trace/traces/1610612733.evt
