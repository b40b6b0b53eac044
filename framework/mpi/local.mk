# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

mpi_sources = \
	framework/mpi/batches.c \
	framework/mpi/inbox.c \
	framework/mpi/node.c \
	framework/mpi/notes.c \
	framework/mpi/rest.c \
	framework/mpi/sleep.c \
	framework/mpi/table.c \
	framework/mpi/tcflow_mpi.c \
	framework/mpi/world.c \
	framework/mpi/world.h
if HAVE_MPI
bin_PROGRAMS += tcflow-mpi
tcflow_mpi_SOURCES = $(command_sources) $(mpi_sources)
tcflow_mpi_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tcflow_mpi_LDADD = libtcflow_core.la $(MPI_LIBS)
endif
