# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/validation/scaling/test_scaling_truth.sh \
	tests/validation/scaling/test_scaling_two.sh \
	tests/validation/test_fig1.sh \
	tests/validation/test_recorder.sh

EXTRA_DIST += \
	tests/validation/README.md \
	tests/validation/calls.c \
	tests/validation/common.sh \
	tests/validation/diagnosis/README.md \
	tests/validation/diagnosis/run.sh \
	tests/validation/diagnosis/validate.py \
	tests/validation/empty.c \
	tests/validation/halo.c \
	tests/validation/late_receiver.c \
	tests/validation/mutex.c \
	tests/validation/nonblocking.c \
	tests/validation/pi.c \
	tests/validation/program.h \
	tests/validation/recorder.h \
	tests/validation/recorder_archive.c \
	tests/validation/recorder_functions.c \
	tests/validation/recorder_mpi.c \
	tests/validation/recorder_region.h \
	tests/validation/rooted.c \
	tests/validation/run.sh \
	tests/validation/run_smpi.sh \
	tests/validation/scaling/README.md \
	tests/validation/scaling/cases.py \
	tests/validation/scaling/cases/nekbone.c \
	tests/validation/scaling/cases/sst.c \
	tests/validation/scaling/cases/two.c \
	tests/validation/scaling/cases/zeusmp.c \
	tests/validation/scaling/draw.py \
	tests/validation/scaling/real.sh \
	tests/validation/scaling/run.sh \
	tests/validation/scaling/scaling.h \
	tests/validation/scaling/smpi \
	tests/validation/scaling/validate.py \
	tests/validation/smpi.sh
