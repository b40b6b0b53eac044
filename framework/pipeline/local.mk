# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/pipeline/agree.c \
	framework/pipeline/agree.h \
	framework/pipeline/backlog.c \
	framework/pipeline/build.c \
	framework/pipeline/calls.c \
	framework/pipeline/chain.c \
	framework/pipeline/confine.c \
	framework/pipeline/confine.h \
	framework/pipeline/decide.c \
	framework/pipeline/decide.h \
	framework/pipeline/domain.c \
	framework/pipeline/domain_absorb.c \
	framework/pipeline/domain_threads.c \
	framework/pipeline/domains.c \
	framework/pipeline/domains.h \
	framework/pipeline/formats.c \
	framework/pipeline/formats.h \
	framework/pipeline/found.c \
	framework/pipeline/found.h \
	framework/pipeline/host.c \
	framework/pipeline/memory.c \
	framework/pipeline/notes.c \
	framework/pipeline/observer.c \
	framework/pipeline/observer.h \
	framework/pipeline/pack.c \
	framework/pipeline/pack.h \
	framework/pipeline/parameters.c \
	framework/pipeline/parameters.h \
	framework/pipeline/partition.c \
	framework/pipeline/peers.h \
	framework/pipeline/processes.c \
	framework/pipeline/processes.h \
	framework/pipeline/push.c \
	framework/pipeline/reclaim.c \
	framework/pipeline/reports.c \
	framework/pipeline/reports.h \
	framework/pipeline/run.c \
	framework/pipeline/run_report.c \
	framework/pipeline/run_report.h \
	framework/pipeline/segment_stage.c \
	framework/pipeline/session.c \
	framework/pipeline/session.h \
	framework/pipeline/session_internal.h \
	framework/pipeline/stages.c \
	framework/pipeline/stages.h \
	framework/pipeline/survey.c \
	framework/pipeline/survey.h \
	framework/pipeline/between_threads.c \
	framework/pipeline/between_threads.h \
	framework/pipeline/verify.c \
	framework/pipeline/verify.h
