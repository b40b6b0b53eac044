# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""TAP of what is looked at in a page: ok() and equal() for each test, plan() at the end, which ends the program."""
import sys

tests = 0
failed = 0


def ok(good, name, *details):
    global tests, failed
    tests += 1
    failed += not good
    print("%s %d - %s" % ("ok" if good else "not ok", tests, name))
    if not good:
        for line in details:
            print("# " + str(line)[:2000].replace("\n", "\n# "))
    sys.stdout.flush()


def equal(name, got, expected):
    ok(got == expected, name, "got:      %r" % (got,), "expected: %r" % (expected,))


def plan():
    print("1..%d" % tests)
    sys.exit(1 if failed else 0)
