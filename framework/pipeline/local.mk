# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/pipeline/calls.c \
	framework/pipeline/chain.c \
	framework/pipeline/facts.c \
	framework/pipeline/facts.h \
	framework/pipeline/host.c \
	framework/pipeline/notes.c \
	framework/pipeline/parameters.c \
	framework/pipeline/parameters.h \
	framework/pipeline/pipeline.c \
	framework/pipeline/pipeline.h \
	framework/pipeline/push.c \
	framework/pipeline/relieve.c \
	framework/pipeline/run.c \
	framework/pipeline/sinks.c \
	framework/pipeline/sinks.h \
	framework/pipeline/stages.h \
	framework/pipeline/survey.c \
	framework/pipeline/survey.h \
	framework/pipeline/verify.c \
	framework/pipeline/verify.h
