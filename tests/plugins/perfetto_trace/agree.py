# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""agree.py EVENTS MATCHES: is what read_trace.py reads what expected.py expects? Says nothing when it is.

Standard input has a line a comparison, "FORMAT INSTANTS FLOWS [word...]|FILE|FILE...", all of one trace; EVENTS and MATCHES are
those of expected.py.
"""
import gc
import itertools
import sys

import expected
import read_trace


def difference(foreseen, got):
    """The first one, or None."""
    for number, (a, b) in enumerate(itertools.zip_longest(foreseen, got), 1):
        if a != b:
            return "line %d of %d: %s, expected: %s" % (number, len(foreseen), b, a)
    return None if foreseen else "nothing to expect"


def main():
    gc.disable()  # millions of records, none of which refers to itself
    events, foreseen, failed, compared = expected.records(sys.argv[1]), {}, 0, 0
    for line in sys.stdin:
        way, *files = line.rstrip("\n").split("|")
        form, instants, flows, *_ = kind = way.split()
        kind = tuple(kind[:3])
        if kind not in foreseen:
            foreseen[kind] = list(expected.lines_of(form, instants, events, sys.argv[2] if flows == "yes" else None))
        try:
            wrong = difference(foreseen[kind], list(read_trace.lines_of(form, files)))
        except Exception as error:  # what cannot be read is a difference like others
            wrong = "%s: %s" % (type(error).__name__, error)
        compared += 1
        if wrong:
            failed += 1
            print("%s: %s" % (way, wrong))
    sys.exit(failed > 0 or compared == 0)


main()
