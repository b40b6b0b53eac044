# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/causality/channels.c \
	framework/causality/exchange.c \
	framework/causality/exchange.h \
	framework/causality/exchange_arrivals.c \
	framework/causality/exchange_channels.c \
	framework/causality/exchange_instances.c \
	framework/causality/exchange_internal.h \
	framework/causality/exchange_letters.c \
	framework/causality/exchange_members.c \
	framework/causality/exchange_messages.c \
	framework/causality/follow.c \
	framework/causality/letters.c \
	framework/causality/letters.h \
	framework/causality/match.c \
	framework/causality/match.h \
	framework/causality/match_collectives.c \
	framework/causality/match_internal.h \
	framework/causality/match_kept.c \
	framework/causality/match_messages.c \
	framework/causality/match_posts.c \
	framework/causality/match_threads.c \
	framework/causality/next_times.h \
	framework/causality/postings.c \
	framework/causality/posts.c \
	framework/causality/schedule.c \
	framework/causality/schedule.h \
	framework/causality/schedule_heap.c \
	framework/causality/schedule_internal.h \
	framework/causality/schedule_lanes.c
