# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/source/foreign/define.c \
	framework/source/foreign/foreign_internal.h \
	framework/source/foreign/foreign_source.c \
	framework/source/foreign/foreign_source.h \
	framework/source/foreign/gather.c \
	framework/source/foreign/pairs.c \
	framework/source/foreign/settle.c \
	framework/source/foreign/sort.c \
	framework/source/foreign/sort.h \
	framework/source/foreign/temporary.c \
	framework/source/foreign/temporary.h \
	framework/source/merge/merge_archives.c \
	framework/source/merge/merge_definitions.c \
	framework/source/merge/merge_events.c \
	framework/source/merge/merge_extras.c \
	framework/source/merge/merge_internal.h \
	framework/source/open.c \
	framework/source/open.h \
	framework/source/merge/merge_names.c \
	framework/source/merge/merge_owners.c \
	framework/source/merge/merge_records.c \
	framework/source/merge/merge_same.c \
	framework/source/merge/merge_source.c \
	framework/source/merge/merge_unite.h \
	framework/source/otf2/otf2_bytes.h \
	framework/source/otf2/otf2_damage.c \
	framework/source/otf2/otf2_decode.c \
	framework/source/otf2/otf2_direct.c \
	framework/source/otf2/otf2_definitions.c \
	framework/source/otf2/otf2_error.c \
	framework/source/otf2/otf2_events.c \
	framework/source/otf2/otf2_extras.c \
	framework/source/otf2/otf2_file.c \
	framework/source/otf2/otf2_file.h \
	framework/source/otf2/otf2_internal.h \
	framework/source/otf2/otf2_library.c \
	framework/source/otf2/otf2_local.c \
	framework/source/otf2/otf2_open.c \
	framework/source/otf2/otf2_side_files.c \
	framework/source/otf2/otf2_source.c \
	framework/source/otf2/otf2_source.h \
	framework/source/stream/stream_accept.c \
	framework/source/stream/stream_definitions.c \
	framework/source/stream/stream_edges.c \
	framework/source/stream/stream_extras.c \
	framework/source/stream/stream_frames.c \
	framework/source/stream/stream_group.c \
	framework/source/stream/stream_input.c \
	framework/source/stream/stream_intake.c \
	framework/source/stream/stream_internal.h \
	framework/source/stream/stream_source.c \
	framework/source/stream/stream_source.h \
	framework/source/stream/stream_window.c
