# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What `select` must leave of a trace, computed from the whole of it. Reads "oracle dump", prints lines of the same form
# without the events' numbers. What is selected comes as variables, lists of words with a blank around each:
#
#     from, to          ticks, "" for none; balance: regions that are open there are entered and left
#     locations         ids to keep, "" for all
#     kinds             that go
#     regions, contexts ids of those that go
#     comms, wins       ids of those that go, with what belongs to their requests
#     partners          COMM:RANK of the messages that go

function listed(list, word)
{
    return index(list, " " word " ") > 0
}

# a < b, for numbers of any length: awk's have 53 bits.
function less(a, b)
{
    return length(a) != length(b) ? length(a) < length(b) : (a "") < (b "")
}

function value(text, key)
{
    if (!match(" " text " ", " " key "=[^ ]* "))
        return "none"
    return substr(" " text " ", RSTART + length(key) + 2, RLENGTH - length(key) - 3)
}

# Enter and leave of ordinary regions and of calling contexts.
function is_enter(k)
{
    return k == "ENTER" || k == "CALLING_CONTEXT_ENTER"
}
function is_leave(k)
{
    return k == "LEAVE" || k == "CALLING_CONTEXT_LEAVE"
}
function of_context(k)
{
    return k ~ /^CALLING_CONTEXT/
}
function region_goes(e)
{
    return of_context(kind[e]) ? listed(contexts, value(rest[e], "callingContext")) \
                               : listed(regions, value(rest[e], "region"))
}

function comm_goes(e,    comm, rank)
{
    comm = value(rest[e], "communicator")
    if (comm == "none")
        comm = value(rest[e], "threadTeam")
    if (comm == "none")
        return listed(wins, value(rest[e], "win"))
    if (listed(comms, comm))
        return 1
    rank = value(rest[e], kind[e] ~ /SEND$/ ? "receiver" : "sender")
    return kind[e] ~ /^MPI_(I?SEND|I?RECV)$/ && listed(partners, comm ":" rank)
}

# Requests: a posting whose record doesn't name a communicator goes with its completion.
function post(e, key)
{
    posted[key] = e
    followers[key] = " " e
}
function complete(e, key,    i, n, part)
{
    if (!(key in posted))
        return
    if (!keep[e] && e - posted[key] <= 4096) {
        n = split(followers[key], part, " ")
        for (i = 1; i <= n; i++)
            keep[part[i]] = 0
    }
    delete posted[key]
}

function request(e,    k, id)
{
    k = kind[e]
    id = value(rest[e], "requestID")
    if (k == "MPI_ISEND") {
        if (comm_goes(e))
            gone[id] = 1
        else
            delete gone[id]
    } else if (k == "MPI_ISEND_COMPLETE" || k == "MPI_REQUEST_CANCELLED") {
        if (id in gone)
            keep[e] = 0
        delete gone[id]
        if (k == "MPI_REQUEST_CANCELLED") {
            delete posted["IRECV " id]
            delete posted["NBC " id]
        }
    } else if (k == "MPI_REQUEST_TEST") {
        if (("IRECV " id) in posted)
            followers["IRECV " id] = followers["IRECV " id] " " e
        else if (("NBC " id) in posted)
            followers["NBC " id] = followers["NBC " id] " " e
        else if (id in gone)
            keep[e] = 0
    } else if (k == "MPI_IRECV_REQUEST") {
        post(e, "IRECV " id)
    } else if (k == "MPI_IRECV") {
        complete(e, "IRECV " id)
    } else if (k == "NON_BLOCKING_COLLECTIVE_REQUEST") {
        post(e, "NBC " id)
    } else if (k == "NON_BLOCKING_COLLECTIVE_COMPLETE") {
        complete(e, "NBC " id)
    } else if (k ~ /COLLECTIVE_BEGIN$/) {
        post(e, k)
    } else if (k ~ /COLLECTIVE_END$/) {
        sub(/END$/, "BEGIN", k)
        complete(e, k)
    }
}

# The stack of what is open, for the cuts.
function follow(e,    what, d)
{
    what = of_context(kind[e]) ? "C " value(rest[e], "callingContext") : "R " value(rest[e], "region")
    if (is_enter(kind[e])) {
        open[++depth] = what
        unwind[depth] = value(rest[e], "unwindDistance")
        return
    }
    for (d = depth; d > 0 && open[d] != what; d--)
        ;
    if (d > 0)
        depth = d - 1
}

function show(time, k, more)
{
    if (!listed(kinds, k))
        print location, time, k (more == "" ? "" : " " more)
}

function insert(enter, time,    i, d)
{
    for (i = 1; i <= depth; i++) {
        d = enter ? i : depth + 1 - i
        if (open[d] ~ /^R/)
            show(time, enter ? "ENTER" : "LEAVE", "region=" substr(open[d], 3))
        else if (enter)
            show(time, "CALLING_CONTEXT_ENTER", "callingContext=" substr(open[d], 3) " unwindDistance=" unwind[d])
        else
            show(time, "CALLING_CONTEXT_LEAVE", "callingContext=" substr(open[d], 3))
    }
}

function location_done(    e, before, behind, entered)
{
    if (n == 0 || (locations != "" && !listed(locations, location))) {
        n = 0
        return
    }
    depth = 0
    split("", gone)
    split("", posted)
    for (e = 1; e <= n; e++) {
        before = from != "" && less(time[e], from)
        behind = to != "" && less(to, time[e])
        inside[e] = !before && !behind
        keep[e] = inside[e] && !listed(kinds, kind[e]) && !comm_goes(e) && \
            !((is_enter(kind[e]) || is_leave(kind[e])) && region_goes(e))
        if (!behind && !listed(kinds, kind[e]) && (inside[e] || kind[e] ~ /^MPI_ISEND/))
            request(e)
    }
    entered = from == ""
    for (e = 1; e <= n; e++) {
        if (!entered && !less(time[e], from)) {
            entered = 1
            if (balance)
                insert(1, from)
        }
        if (to != "" && less(to, time[e])) {
            if (balance)
                insert(0, to)
            break
        }
        if ((is_enter(kind[e]) || is_leave(kind[e])) && !region_goes(e))
            follow(e)
        if (keep[e])
            print location, time[e], kind[e] (rest[e] == "" ? "" : " " rest[e])
    }
    n = 0
}

/^#/ { next }
($1 "") != (location "") {
    location_done()
    location = $1
}
{
    n++
    time[n] = $3
    kind[n] = $4
    rest[n] = $0
    sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ?/, "", rest[n])
}
END { location_done() }
