# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""check_page.py PAGE.html [PLACE:INSTANCE=REPORT.json...]: does the page show what the reports say, and can it be used?

Prints TAP. The page is opened in a headless Chromium; every table of every report is opened, with all its columns, and
read cell by cell while it is scrolled through: data-value of each cell has to be the JSON's value. What the page shows
beside its tables, and how it takes keys, is looked at the way a reader would.
"""
import base64
import csv
import io
import json
import pathlib
import re
import sys
import xml.etree.ElementTree
import zlib

from browser import Browser
from check import equal, ok, plan


# For what is evaluated in the page.
PRELUDE = """
const $ = selector => document.querySelector(selector), $$ = selector => [...document.querySelectorAll(selector)];
const focused = () => document.activeElement;
const opened = details => details.open || changed(details, 'toggle', () => { details.open = true; });
const data = JSON.parse($('#results').textContent);
for (const t of data.tables)
  for (const c of t.columns.filter(v => v.packed !== undefined)) {
    let value = 0n, number = 0n, shift = 0n;
    c.values = [];
    for (const byte of atob(c.packed)) {
      const b = BigInt(byte.charCodeAt(0));
      number |= (b & 127n) << shift;
      shift += 7n;
      if (b & 128n) continue;
      value += number & 1n ? -(number >> 1n) - 1n : number >> 1n;
      c.values.push(c.scale ? Number(value) / c.scale : c.type === 'text' && value < 0n ? null : Number(value));
      number = shift = 0n;
    }
  }
const tableOf = (filter, name) => data.tables.find(t => t.filter === filter && t.name === name && t.n_rows > 0);
const cellsOf = (t, name) => {
  const c = t.columns.find(k => k.name === name);
  return c.type === 'text' ? c.values.map(v => v === null ? null : data.texts[v]) : c.values;
};
"""

# All cells of a table that is scrolled through: {row: {column: value}}. 'all': with columns not shown at first.
READ = """(async (id, place, all) => {
  const is = d => d.dataset.table === id && d.dataset.place === place, details = $$('details.table').find(is);
  if (details) await opened(details);
  const box = details ? details.querySelector('.gridbox') : $$('.gridbox').find(is);
  if (!box) return null;
  const grid = box.querySelector('.grid');
  const more = box.querySelector('.tools input[type=checkbox]'), valueOf = td => td.dataset.value ?? null;
  if (all && more && !more.checked) more.click();
  const rows = {}, columns = [...grid.querySelectorAll('th')].map(th => th.dataset.column);
  for (let top = 0;; top = grid.scrollTop + Math.max(28, grid.clientHeight - 56)) {
    grid.scrollTop = top;
    await settled();
    for (const tr of grid.querySelectorAll('tbody tr[data-row]'))
      rows[tr.dataset.row] = Object.fromEntries([...tr.cells].map(td => [td.dataset.column, valueOf(td)]));
    if (grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1) break;
  }
  if (details) details.open = false;
  return {rows, columns, title: details ? details.querySelector('.title').textContent : null};
})"""


def same_value(shown, value, kind):
    if value is None or shown is None:
        return shown is value
    if kind == "text":
        return shown == value
    return float(shown) == value if kind == "double" else int(shown) == value


def is_left_out(column):
    """Columns in ticks may be, where they repeat one in seconds; JSON doesn't say which are details."""
    return column["unit"] == "ticks"


def compare_table(page, place, instance, name, table):
    """The number of values compared, and what differs."""
    where = "%s.%s" % (instance, name)
    read = page.evaluate("%s(%s, %s, true)" % (READ, json.dumps(where), json.dumps(place)))
    if read is None:
        return 0, [where + " is not there"] if table["rows"] else []
    columns = [c for c in table["columns"] if c["name"] in read["columns"] or not is_left_out(c)]
    differences = []
    if sorted(read["columns"]) != sorted(c["name"] for c in columns):
        differences.append("%s has the columns %s" % (where, read["columns"]))
    there, expected = (read["title"] or table["title"], len(read["rows"])), (table["title"], len(table["rows"]))
    if there != expected:
        differences.append("%s: title and rows are %s instead of %s" % (where, there, expected))
    for number, row in enumerate(table["rows"]):
        shown = read["rows"].get(str(number), {})
        for c in columns:
            if not same_value(shown.get(c["name"]), row[c["name"]], c["type"]):
                differences.append("%s row %d %s: %r instead of %r"
                                   % (where, number, c["name"], shown.get(c["name"]), row[c["name"]]))
    return len(columns) * len(table["rows"]), differences


def compare_reports(page, arguments):
    listed = list(map(tuple, page.evaluate("$$('details.table').map(d => [d.dataset.place, d.dataset.table])")))
    equal("no table is listed twice", sorted(t for t in set(listed) if listed.count(t) > 1), [])
    listed = set(listed)
    values, differences, tables = 0, [], 0
    for argument in arguments:
        who, path = argument.split("=", 1)
        place, instance = who.split(":")
        for name, table in json.loads(pathlib.Path(path).read_text(encoding="utf-8")).items():
            n, wrong = compare_table(page, place, instance, name, table)
            values += n
            tables += 1
            differences += wrong
            listed.discard((place, "%s.%s" % (instance, name)))
    ok(not differences and values > 0, "%d values of %d tables are those of the reports" % (values, tables),
       *differences[:20])
    equal("no other tables but the framework's", sorted(t for p, t in listed if p != "framework"), [])


# Cells of the tables that sections show at once, against the data that the page has.
SHOWN = """(() => {
  const json = data, tables = new Map(json.tables.map(t => [t.place + ' ' + (t.instance || 'run') + '.' + t.name, t]));
  let n = 0;
  const wrong = [];
  for (const box of $$('.gridbox').filter(b => b.dataset.place !== 'view')) {
    const table = tables.get(box.dataset.place + ' ' + box.dataset.table);
    for (const tr of box.querySelectorAll('tbody tr[data-row]'))
      for (const td of tr.cells) {
        const c = table.columns.find(k => k.name === td.dataset.column), v = c.values[Number(tr.dataset.row)];
        const value = v === null ? undefined : String(c.type === 'text' ? json.texts[v] : v);
        if (td.dataset.value !== value)
          wrong.push([box.dataset.table, tr.dataset.row, c.name, td.dataset.value, value]);
        n++;
      }
  }
  return {n, wrong: wrong.slice(0, 10)};
})()"""

SECTION_ORDER = ["overview", "profile", "waits", "time", "matrix", "messages", "imbalance", "clocks", "timeline",
                 "run"]
FILTERS = {"profile": ["profile"], "waits": ["wait_states", "root_cause", "critical_path"], "time": ["time_profile"],
           "matrix": ["comm_matrix"], "messages": ["message_histogram"], "imbalance": ["load_imbalance"],
           "timeline": ["timeline", "windows", "activity", "activity_waits"],
           "clocks": ["clock_report", "clock_estimate", "mu_estimate", "presync", "clc_forward", "clc_backward",
                      "skew"]}


def check_sections(page):
    tables = page.evaluate("JSON.parse($('#results').textContent).tables.map(t => [t.filter, t.n_rows])")
    there = {f for f, n in tables if n}
    wanted = [s for s in SECTION_ORDER if s in ("overview", "run") or there & set(FILTERS[s])]
    got = page.evaluate("$$('main > section').map(s => s.id)")
    equal("the sections, in their order", [s for s in got if not s.startswith("of-")], wanted)
    known = {f for fs in FILTERS.values() for f in fs} | {"check", "efficiency", None}
    others = there - known
    ok(len([s for s in got if s.startswith("of-")]) >= len(others),
       "a section for each other filter: %s" % sorted(others), got)
    equal("the contents list them", page.evaluate("$$('#contents a').map(a => a.getAttribute('href').slice(1))"), got)
    failures = page.evaluate("$$('.notice').map(n => n.textContent).filter(t => /could not/.test(t))")
    equal("no section failed", failures, [])


def blank_pages(pdf):
    """(pages, the numbers of those on which nothing stands): no page without text or pictures."""
    objects = dict(re.findall(rb"\n(\d+) 0 obj\s(.*?)\sendobj", pdf, re.DOTALL))
    pages = [o for _, o in sorted((int(n), o) for n, o in objects.items() if re.match(rb"<</Type /Page\s", o))]
    blank = []
    for number, page in enumerate(pages, 1):
        what, content = objects[re.search(rb"/Contents (\d+) 0 R", page).group(1)].split(b"stream\n", 1)
        if b"/FlateDecode" in what:
            content = zlib.decompressobj().decompress(content)
        if not re.search(rb"\b(Tj|TJ|Do)\b", content):
            blank.append(number)
    return len(pages), blank


def check_paper(page):
    pages, blank = blank_pages(base64.b64decode(page.call("Page.printToPDF")["data"]))
    ok(pages > 0 and not blank, "no page of paper is blank", pages, blank)


def check_printing(page):
    """On paper tables have all their rows, and no gaps for those that aren't drawn."""
    drawn = "[$$('tbody tr.spacer').length, $$('tbody tr[data-row]').length]"
    before = page.evaluate(drawn)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.evaluate(drawn)
    equal("nothing is blank on paper", printed[0], 0)
    ok(printed[1] >= before[1], "and all rows are there", before, printed)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    equal("on the screen there are as many as before", page.evaluate(drawn), before)


def check_sorting(page):
    numbers = ("[...$$('#%s .gridbox')[0].querySelectorAll('td[data-column=visits]')]"
               ".map(td => Number(td.dataset.value))")
    header = "$$('#profile .gridbox')[0].querySelector('th[data-column=visits] button').click()"
    before = page.evaluate(numbers % "profile")
    sort = "$$('#profile .gridbox')[0].querySelector('th[data-column=visits]').getAttribute('aria-sort')"
    page.evaluate(header)
    down = page.evaluate(numbers % "profile")
    ok(down == sorted(down, reverse=True) and page.evaluate(sort) == "descending", "sorts by a header", down)
    page.evaluate(header)
    up = page.evaluate(numbers % "profile")
    ok(up == sorted(up) and page.evaluate(sort) == "ascending", "and the other way round", up)
    page.evaluate(header)
    equal("and as it was", page.evaluate(numbers % "profile"), before)


def check_tree(page):
    page.evaluate("$$('#profile .gridbox').find(b => b.querySelector('[role=treegrid]')).id = 'the-tree'")
    rows = "Number($('#the-tree table').getAttribute('aria-rowcount')) - 1"
    click = "$$('#the-tree .tools button').find(b => b.textContent === '%s').click()"
    page.evaluate(click % "Collapse all")
    roots = page.evaluate(rows)
    ok(page.evaluate("$$('#the-tree tbody tr[data-row]').every(r => r.getAttribute('aria-level') === '1')"),
       "collapses to its roots")
    depths = page.evaluate("(t => t ? cellsOf(t, 'depth') : [])(tableOf('profile', 'calltree_profile'))")
    if depths and len(set(depths)) == 1:  # no call has another one inside
        page.evaluate(click % "Expand all")
        equal("a tree of roots alone has nothing to expand", page.evaluate(rows), roots)
        return
    page.evaluate("$('#the-tree .grid').focus()")
    for _ in range(50):  # to a branch
        if page.evaluate("$('#the-tree tr.active').getAttribute('aria-expanded') === 'false'"):
            break
        page.press("ArrowDown")
    page.press("ArrowRight")
    opened = page.evaluate(rows)
    ok(opened > roots, "the right arrow opens a branch", roots, opened)
    page.press("ArrowRight")
    ok(page.evaluate("$('#the-tree tr.active').getAttribute('aria-level') === '2'"), "goes into it")
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    equal("the left arrow goes back and closes it", page.evaluate(rows), roots)
    page.evaluate(click % "Expand all")
    ok(page.evaluate(rows) >= opened, "expands")
    levels = page.evaluate("$$('#the-tree tbody tr[data-row]').map(r => Number(r.getAttribute('aria-level')))")
    ok(max(levels) > 1, "rows say how deep they are", levels)


def check_search(page):
    page.evaluate("focused().blur(); $('#profile').scrollIntoView()")
    page.press("/")
    ok(page.evaluate("focused().type === 'search' && $('#profile').contains(focused())"),
       "/ goes to the search field of the section")
    everything = page.evaluate("focused().closest('.gridbox').querySelectorAll('tbody tr[data-row]').length")
    word = page.evaluate("$('#profile td[data-column=region]').dataset.value")
    page.type(word)
    found = page.evaluate("[...focused().closest('.gridbox').querySelectorAll('td[data-column=region]')]"
                          ".map(td => td.dataset.value)")
    ok(found and len(found) <= everything and all(word.lower() in f.lower() for f in found), "finds %s" % word, found)
    page.evaluate("focused().value = ''; focused().dispatchEvent(new Event('input'))")
    page.type("no such region anywhere")
    equal("finds nothing", page.evaluate("focused().closest('.gridbox').querySelector('tbody').textContent"), "nothing")
    page.evaluate("focused().value = ''; focused().dispatchEvent(new Event('input')); focused().blur()")


def check_help(page):
    page.press("?")
    ok(page.evaluate("$('#helptext').open"), "? opens the help")
    page.press("Escape")
    ok(not page.evaluate("$('#helptext').open"), "Escape closes it")


def check_theme(page):
    color = "getComputedStyle(document.body).backgroundColor"
    page.dark(False)
    light = page.evaluate(color)
    page.dark(True)
    dark = page.evaluate(color)
    ok(light != dark, "dark where the system is", light, dark)
    page.evaluate("$('#theme').click()")
    equal("the button switches to light", page.evaluate(color), light)
    page.press("d")
    equal("d switches to dark", page.evaluate(color), dark)
    page.dark(False)
    equal("and it stays", page.evaluate(color), dark)
    page.dark(False, medium="print")
    equal("paper is white", page.evaluate(color), "rgb(255, 255, 255)")
    page.dark(False)
    page.press("d")


def check_charts(page):
    """Canvases are drawn in the theme's colours, and are read by keys."""
    blank = page.evaluate("""$$('section canvas').filter(c => c.offsetParent && c.width > 0 && c.getContext('2d')
        .getImageData(0, 0, c.width, c.height).data.every(v => v === 0))
        .map(c => c.getAttribute('aria-label') || c.className)""")
    equal("no chart is blank", blank, [])
    canvas = "$('#time canvas')"
    if page.evaluate("Boolean(%s)" % canvas):
        page.act("%s.scrollIntoView({block: 'center'})" % canvas)
        box = page.evaluate("(b => [b.left + b.width / 2, b.top + b.height / 2])(%s.getBoundingClientRect())" % canvas)
        page.mouse("mouseMoved", *box)
        tip = page.evaluate("$('#tip').hidden ? '' : $('#tip').textContent")
        ok(len(tip) > 3, "a chart says what it shows where one points at it", tip)
    for section in ("time", "matrix"):
        if not page.evaluate("Boolean($('#%s canvas[tabindex]'))" % section):
            continue
        page.evaluate("$('#%s canvas[tabindex]').focus()" % section)
        page.press("ArrowRight")
        page.press("ArrowRight")
        spoken = page.evaluate("$('#%s .spoken').textContent" % section)
        ok(len(spoken) > 3, "%s: arrow keys read values" % section, spoken)
        page.press("+")
        page.press("0")
    page.press("Escape")


IN_VIEW = "(d => ({from: +d.from, to: +d.to, all: +d.all, mpi: +d.mpi, waiting: +d.waiting}))($('.inview .hint').dataset)"
REGIONS_IN_VIEW = "$$('.inview li').map(l => [l.dataset.region, +l.dataset.seconds])"


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9)


def check_run(page):
    """The timeline of the whole run: its numbers are those of the data; it zooms, moves, and the address has it."""
    if not page.evaluate("Boolean($('.run canvas'))"):
        return
    page.act("$('.run canvas').scrollIntoView({block: 'center'})")
    regions = page.evaluate("(t => cellsOf(t, 'name').map((n, i) => [n, cellsOf(t, 'exclusive')[i], "
                            "cellsOf(t, 'class')[i]]))(tableOf('activity', 'regions'))")
    whole = page.evaluate(IN_VIEW)
    ok(near(whole["all"], sum(r[1] for r in regions)), "all time in regions is that of the data", whole, regions)
    ok(near(whole["mpi"], sum(r[1] for r in regions if r[2].startswith("mpi"))), "and that in MPI", whole)
    shown = page.evaluate(REGIONS_IN_VIEW)
    expected = sorted(((r[0], r[1]) for r in regions), key=lambda r: -r[1])[:8]
    ok(len(shown) == len(expected) and all(near(a[1], b[1]) for a, b in zip(shown, expected)),
       "the regions in view are those with the most time", shown, expected)
    if page.evaluate("Boolean(tableOf('activity_waits', 'cells'))"):
        seconds = page.evaluate("(t => cellsOf(t, 'ticks').reduce((s, v, i) => s + v * cellsOf(t, 'run')[i], 0))"
                                "(tableOf('activity_waits', 'cells')) * cellsOf(tableOf('activity_waits', 'bins'), 'width')[0] / "
                                "cellsOf(tableOf('activity_waits', 'bins'), 'width_ticks')[0]")
        ok(near(whole["waiting"], seconds), "all waiting is that of the data", whole, seconds)
    picture = "$('.run canvas').toDataURL().length + $('.run canvas').toDataURL().slice(-400)"
    before = page.evaluate(picture)
    page.evaluate("$('.run canvas').focus()")
    page.press("+")
    zoomed = page.evaluate(IN_VIEW)
    ok(near(zoomed["to"] - zoomed["from"], (whole["to"] - whole["from"]) / 2), "+ shows half of it", whole, zoomed)
    ok(page.evaluate(picture) != before, "and draws it")
    ok(zoomed["all"] <= whole["all"], "with less time", zoomed)
    page.press("ArrowRight", shift=True)
    moved = page.evaluate(IN_VIEW)
    ok(moved["from"] > zoomed["from"], "Shift and an arrow move along", zoomed, moved)
    address = page.evaluate("location.hash")
    ok("from=%s" % moved["from"] in address, "the address has the range", address)
    if page.evaluate("Boolean($('#time canvas'))"):
        page.evaluate("$('#time canvas').focus()")
        page.press("0")
        equal("all charts over time share one range: 0 in another one shows all here, too", page.evaluate(IN_VIEW), whole)
        page.go(address[1:])
        equal("the address leads back", page.evaluate(IN_VIEW), moved)
    page.act("$('.run canvas').scrollIntoView({block: 'center'})")
    box = page.evaluate("(b => [b.left, b.top, b.width, b.height])($('.run canvas').getBoundingClientRect())")
    x, y = box[0] + 200 + (box[2] - 212) / 4, box[1] + 24
    page.evaluate("$('.run canvas').focus()")
    page.press("0")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + (box[2] - 212) / 4, y, button="left", buttons=1)
    page.mouse("mouseReleased", x + (box[2] - 212) / 4, y, button="left", clickCount=1)
    brushed = page.evaluate(IN_VIEW)
    share = (brushed["to"] - brushed["from"]) / (whole["to"] - whole["from"])
    ok(0.2 < share < 0.3, "a drag over a quarter shows a quarter", share, brushed)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    wheeled = page.evaluate(IN_VIEW)
    ok(wheeled["to"] - wheeled["from"] < brushed["to"] - brushed["from"], "the wheel zooms", brushed, wheeled)
    page.press("0")
    page.act("$('.inview button').click()")
    chosen = page.evaluate("$('.inview li').dataset.region")
    ok("region=" in page.evaluate("location.hash"), "a chosen region is in the address", page.evaluate("location.hash"))
    equal("and said to be chosen", page.evaluate("$('.inview button[aria-pressed=true]').textContent"), chosen)
    page.act("$('.inview button[aria-pressed=true]').click()")
    kind = "$('.run .legend button.chosen')"
    before = page.evaluate(picture)
    page.act(kind + ".focus()")
    page.press("Enter")
    ok("state=" in page.evaluate("location.hash") and page.evaluate(kind + ".getAttribute('aria-pressed') === 'true'"),
       "a class of regions is chosen by Enter, in the address, too", page.evaluate("location.hash"))
    ok(page.evaluate(picture) != before or page.evaluate("$$('.run .legend button').length === 1"), "others are pale")
    ok(page.evaluate("focused() === " + kind), "and the focus stays there", page.evaluate("focused().outerHTML"))
    page.press("Enter")
    equal("again: no longer", page.evaluate(picture), before)
    if page.evaluate("$$('.run select').length > 1"):
        page.act("(s => { s.value = s.options[s.options.length - 1].value; s.dispatchEvent(new Event('change')); })"
                 "($$('.run select')[1])")
        ok(near(page.evaluate(IN_VIEW)["all"], whole["all"]), "lanes of another kind have the same time")


# Of bin `bin` of the timeline: what the critical path has on the locations of lane 0, in percent of the bin.
ON_PATH = """((from, width, ids) => {
  const t = tableOf('critical_path', 'over_time'), [begin, length, at, time] =
      ['from', 'width', 'location', 'time'].map(name => cellsOf(t, name));
  return 100 / width * time.reduce((sum, v, i) => {
    const common = Math.min(begin[i] + length[i], from + width) - Math.max(begin[i], from);
    return sum + (common > 0 && ids.includes(String(at[i])) ? v * common / length[i] : 0);
  }, 0);
})"""


def check_marks(page):
    """The critical path, the causes of waits, and the counters on the timeline: as the tables have them; each can be hidden."""
    if not page.evaluate("Boolean($('.run canvas'))"):
        return
    page.go("overview&rows=row")
    page.act("$('.run canvas').scrollIntoView({block: 'center'})")
    switches = page.evaluate("$$('.run .tools label').filter(l => l.querySelector('[type=checkbox]')).map(l => l.textContent)")
    there = [title for filter_, name, title in (
        ("critical_path", "over_time", "critical path"), ("root_cause", "chains", "causes of the longest waits"),
        ("metrics", "over_time", "counters")) if page.evaluate("Boolean(tableOf('%s', '%s'))" % (filter_, name)) and not (
            filter_ == "critical_path" and page.evaluate("[...cellsOf(tableOf('critical_path', 'over_time'), 'time')].every(v => v === null)"))]
    equal("marks on the timeline for the tables that there are", switches, there)
    picture = "$('.run canvas').toDataURL()"
    page.evaluate("focused().blur()")
    for title in there:
        shown = page.evaluate(picture)
        box = "$$('.run .tools label').find(l => l.textContent === '%s').querySelector('input').click()" % title
        page.act(box)
        ok(page.evaluate(picture) != shown and "hidden=" in page.evaluate("location.hash"), "%s can be hidden" % title)
        page.act(box)
        ok(page.evaluate(picture) == shown, "%s can be shown again" % title)
    if "critical path" in there:
        page.evaluate("$('.run canvas').focus()")
        spoken, bins = "$('.run .spoken').textContent", page.evaluate(
            "(t => [cellsOf(t, 'from')[0], cellsOf(t, 'width')[0]])(tableOf('activity', 'bins'))")
        first = page.evaluate("(t => cellsOf(t, 'location')[cellsOf(t, 'rank').map((r, i) => [r < 0 ? Infinity : r, i])"
                              ".sort((a, b) => a[0] - b[0] || a[1] - b[1])[0][1]])(tableOf('activity', 'rows'))")
        wrong, read = [], 0
        for _ in range(40):
            page.press("ArrowRight")
            said = page.evaluate(spoken)
            share = re.search(r"on the critical path: ([\d.]+) %", said)
            begin = bins[0] + page.evaluate("+$('.run canvas').dataset.bin") * bins[1]
            expected = page.evaluate("%s(%r, %r, ['%s'])" % (ON_PATH, begin, bins[1], first))
            read += 1
            if abs((float(share.group(1)) if share else 0) - expected) > 0.006:
                wrong.append((said, expected))
        ok(first is None or (read > 0 and not wrong), "keys read the critical path's share as the table has it", *wrong[:3])
    page.press("0")


def check_selection(page):
    """A selection is in the address, marks or leaves the rows that have it in all tables, and can be undone."""
    page.go("overview")
    names = page.evaluate("(t => [...new Set(cellsOf(t, 'process').filter(p => p))])(data.tables.find(t => t.name === 'locations'))")
    if len(names) < 2 or not page.evaluate("Boolean(tableOf('load_imbalance', 'idle_time'))"):
        return
    page.act("Promise.all($$('#imbalance details.table').map(opened))")
    grid = ("(b => [...b.querySelectorAll('tbody tr[data-row]')].map(r => [r.querySelector('[data-column=process]').dataset.value, "
            "r.classList.contains('linked')]))($('#imbalance .gridbox[data-table=\"load_imbalance.idle_time\"]'))")
    rows = page.evaluate(grid)
    ok(len(rows) > 1 and not any(r[1] for r in rows), "nothing is selected at first", rows[:4])
    chosen = rows[1][0]
    page.act("$('#imbalance .gridbox[data-table=\"load_imbalance.idle_time\"]')"
             ".querySelectorAll('tbody td[data-column=process]')[1].click()")
    address = page.evaluate("location.hash")
    ok("processes=" in address, "a click on a process selects it, in the address, too", address)
    marked = page.evaluate(grid)
    equal("its rows are marked", [r[0] for r in marked if r[1]], [r[0] for r in marked if r[0] == chosen])
    ok(chosen in page.evaluate("$('#selection').textContent") and not page.evaluate("$('#selection').hidden"), "the bar says so")
    page.act("$('#selection input').click()")
    equal("'only this' leaves its rows alone", {r[0] for r in page.evaluate(grid)}, {chosen})
    equal("on the timeline, too", page.evaluate("Boolean($('.inview')) && /, 1 /.test($('.inview .hint').textContent)"),
          page.evaluate("Boolean($('.inview'))") and page.evaluate(
              "(t => !t || cellsOf(t, 'process').filter(p => p === %s).length === 1)(tableOf('activity', 'rows'))" % json.dumps(chosen)))
    page.act("[...$('#selection').querySelectorAll('button')].pop().click()")
    ok(page.evaluate("$('#selection').hidden && !/processes/.test(location.hash)"), "'Select nothing' undoes it")
    equal("all rows are back", page.evaluate(grid), rows)
    page.go(address[1:])
    equal("the address leads back", page.evaluate(grid), marked)
    page.go("imbalance&region=" + "%20".join(["long"] * 150))  # several lines of the head
    top, head = page.evaluate("[$('#imbalance'), $('#top')].map(e => e.getBoundingClientRect()[e.id === 'top' ? 'bottom' : 'top'])")
    ok(head > 90 and top >= head, "the head covers nothing of the section that one goes to", top, head)
    page.go(address[1:])
    page.act("[...$('#selection').querySelectorAll('button')].pop().click()")
    timed = page.evaluate("(t => t && cellsOf(t, 'from').map((v, i) => [v, v + cellsOf(t, 'width')[i]]))"
                          "(tableOf('lateness', 'over_time'))")
    if timed and len(timed) > 8:
        box = "$('.gridbox[data-table=\"lateness.over_time\"]')"
        page.act("opened($('details[data-table=\"lateness.over_time\"]'))")
        from_, to = timed[2][0] * 1.0000001 + 1e-12, timed[5][0]
        page.go("overview&from=%r&to=%r" % (from_, to))
        left = page.evaluate("Number(%s.querySelector('table').getAttribute('aria-rowcount')) - 1" % box)
        equal("a range of time leaves the rows of a table that lie in it", left, sum(1 for a, b in timed if a < to and b >= from_))
        page.go("overview")
    if page.evaluate("Boolean($('#matrix canvas[tabindex]'))"):
        page.evaluate("$('#matrix canvas[tabindex]').focus()")
        page.press("ArrowRight")
        page.press("ArrowRight")
        page.press("Enter")
        pair = page.evaluate("$('#matrix .spoken').textContent.split(': ')[0]")
        ok("message=" in page.evaluate("location.hash") and pair in page.evaluate("$('#selection').textContent"),
           "Enter selects the messages of a pair", page.evaluate("location.hash"), pair)
        page.act("[...$('#selection').querySelectorAll('button')].pop().click()")


def check_diagnosis(page):
    """The findings are those of the table, in their order; they lead to the time and the table that show them."""
    if not page.evaluate("Boolean(tableOf('diagnosis', 'diagnosis'))"):
        return
    sentences = page.evaluate("cellsOf(tableOf('diagnosis', 'diagnosis'), 'sentence')")
    ranks = page.evaluate("cellsOf(tableOf('diagnosis', 'diagnosis'), 'rank')")
    ordered = [s for _, s in sorted(zip(ranks, sentences))]
    equal("the findings are there, in their order", page.evaluate(
        "[...$$('#overview .verdict .sentence'), ...$$('.diagnosis .sentence')].map(s => s.textContent)"),
          [s.replace("`", "") for s in ordered])
    if page.evaluate("Boolean(tableOf('efficiency', 'efficiency'))"):
        wrong = page.evaluate(
            "$$('#overview [data-table=\"efficiency.efficiency\"] tbody td').map(d => [d.dataset.value, "
            "cellsOf(tableOf('efficiency', 'efficiency'), d.dataset.column)[d.dataset.row]])"
            ".filter(([shown, v]) => shown !== (v === null ? undefined : String(v))).length")
        there = page.evaluate("$$('#overview [data-table=\"efficiency.efficiency\"] tbody td').length")
        percent = page.evaluate("(t => t.columns.filter(c => c.unit === '%' && (c.name !== 'accelerator' || "
                                "cellsOf(t, c.name).some(v => v > 0))).length * t.n_rows)(tableOf('efficiency', 'efficiency'))")
        equal("efficiencies stand on the first screen, as their table has them", (there, wrong), (percent, 0))
    findings = page.evaluate("(t => cellsOf(t, 'rank').map((r, i) => ({rank: r, begin: cellsOf(t, 'begin_s')[i], "
                             "table: cellsOf(t, 'evidence_table')[i], key: cellsOf(t, 'evidence_key')[i]})))"
                             "(tableOf('diagnosis', 'diagnosis'))")
    findings = sorted((f for f in findings if f["rank"] > 0), key=lambda f: f["rank"])
    timed = [f for f in findings if f["begin"] is not None]
    if timed:
        page.act("$$('.diagnosis button').find(b => b.textContent === 'When').click()")
        first = page.evaluate("cellsOf(tableOf('activity', 'bins'), 'from')[0]") # bins of others may begin before the run
        equal("a finding leads to its time", page.evaluate(IN_VIEW)["from"], max(timed[0]["begin"], first))
    of_table = "data.tables.find(t => t.instance + '_' + t.name === '%s' && t.n_rows > 0)"
    shown = [f for f in findings if f["table"] and page.evaluate("Boolean(%s)" % (of_table % f["table"]))]
    if shown:
        page.act("$$('.diagnosis button').find(b => b.textContent === 'Evidence').click()")
        row = page.evaluate("(g => g && [...g.querySelectorAll('tr.active td')].map(d => d.dataset.value))(focused().closest('.gridbox'))")
        column, is_equal, value = re.match(r"(\w+) (=|>) '?([^' ]*)", shown[0]["key"]).groups()
        meets = f"String(of[i]) === '{value}'" if is_equal == "=" else f"of[i] > {value}"
        texts = page.evaluate(f"(t => {{ const of = cellsOf(t, '{column}'); return t.columns.map(c => cellsOf(t, c.name))"
                              f".map(cells => cells.filter((_, i) => {meets})); }})({of_table % shown[0]['table']})")
        found = {str(cell).strip() for cells in texts for cell in cells}
        ok(row and str(row[0]).strip() in found, "and to its evidence", (row, shown[0]))
    page.evaluate("focused().blur(); $('.run canvas').focus()")
    page.press("0")


PANE = ("[...$$('.panes .gridbox')[%d].querySelectorAll('tbody tr[data-row]')].map(r => [...r.cells].map(c => "
        "c.dataset.value))")


def check_arrival(browser, url):
    """An address leads to its section once all above it is there, unless somebody uses the page by then."""
    count = ("window.went = []; const go = Element.prototype.scrollIntoView; "
             "Element.prototype.scrollIntoView = function(...how) { went.push(this.id); go.apply(this, how); };")
    page = browser.open(url + "#run", script=count)
    equal("an address leads to its section", page.evaluate("went"), ["run"])
    page = browser.open(url + "#run", script=count + "addEventListener('DOMContentLoaded', () => dispatchEvent(new Event('wheel')));")
    equal("but takes nobody away from another", page.evaluate("went"), [])


def check_panes(page):
    """Metrics, call paths and processes: sums are those of the data; a choice on the left changes what is on the right."""
    if not page.evaluate("Boolean($('.panes'))"):
        return
    times = page.evaluate("(t => cellsOf(t, 'exclusive').map((v, i) => [cellsOf(t, 'location')[i], v, cellsOf(t, 'visits')[i]]))"
                          "(tableOf('profile', 'calltree_by_location'))")
    metrics = page.evaluate(PANE % 0)
    ok(near(float(metrics[0][1]), sum(t[1] for t in times)) and float(metrics[1][1]) == sum(t[2] for t in times),
       "panes: totals are those of the data", metrics[:2])
    page.act("$$('.panes .gridbox')[1].querySelectorAll('.tools button')[0].click()")
    by_path = page.evaluate(PANE % 1)
    ok(by_path and near(sum(float(r[2]) for r in by_path), sum(t[1] for t in times)) or len(by_path) >= 20,
       "panes: the call paths have all of it", by_path[:3])
    before = page.evaluate("$$('.panes .hint').map(h => h.textContent)")
    page.evaluate("$$('.panes .gridbox')[0].querySelectorAll('tbody tr[data-row]')[1].click()")
    after = page.evaluate("$$('.panes .hint').map(h => h.textContent)")
    ok(after[1] == "Visits" and after[2] != before[2], "panes: another metric is shown everywhere", before, after)
    roots = page.evaluate("(g => [...g.querySelectorAll('tbody tr[aria-level=\"1\"]')].map(r => +r.cells[1].dataset.value))"
                          "($$('.panes .gridbox')[2])")
    top = page.evaluate("+$$('.panes .gridbox')[1].querySelector('tbody tr[data-row]').cells[1].dataset.value")
    ok(len(roots) >= 20 or sum(roots) == top, "panes: the processes have all of a call path", roots[:5], top)


def check_flame(page):
    """The flame graph reads the call paths of the profile, and opens one."""
    canvas = "$$('#profile figure canvas').find(c => /^Flame/.test(c.getAttribute('aria-label')))"
    if not page.evaluate("Boolean(%s)" % canvas):
        return
    names = page.evaluate("cellsOf(tableOf('profile', 'calltree_profile'), 'call_path').map(n => (n || '').trim())")
    page.evaluate("%s.focus()" % canvas)
    spoken = "%s.closest('figure').querySelector('.spoken').textContent" % canvas
    said = []
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp"):
        page.press(key)
        said.append(page.evaluate(spoken))
    ok(all(s.split(", with what it calls")[0] in names for s in said), "the flame graph reads call paths", said, names)
    before = page.evaluate("%s.toDataURL()" % canvas)
    page.press("ArrowDown")
    page.press("Enter")
    changed = page.evaluate("%s.toDataURL()" % canvas) != before
    page.press("0")
    ok(changed or len(names) < 3, "and opens one")


def check_exports(page):
    """CSV has the rows of its table, SVG is well-formed."""
    if page.evaluate("Boolean($('#profile .gridbox .export'))"):
        rows = list(csv.reader(io.StringIO(page.saved("$('#profile .gridbox .export')"))))
        expected = page.evaluate("cellsOf(tableOf('profile', 'flat_profile'), 'visits')")
        column = rows[0].index("visits")
        equal("CSV has all rows with exact values", sorted(int(r[column]) for r in rows[1:]), sorted(expected))
    drawings = page.evaluate("$$('figure .export').filter(b => b.offsetParent && "
                             "b.closest('figure').querySelector('canvas').width > 1).length")
    for i in range(drawings):
        text = page.saved("$$('figure .export').filter(b => b.offsetParent && "
                          "b.closest('figure').querySelector('canvas').width > 1)[%d]" % i)
        root = xml.etree.ElementTree.fromstring(text)
        ok(root.tag.endswith("svg") and len(list(root.iter())) > 5, "chart %d is well-formed SVG" % (i + 1), text[:300])


def check_names(page):
    """Everything that takes the focus has a name; the order of tabs is that of the page."""
    page.call("Accessibility.enable")
    roles = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "grid", "treegrid", "dialog", "image",
             "img", "figure", "region"}
    nameless = []
    for node in page.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        focusable = any(p["name"] == "focusable" and p["value"].get("value") for p in node.get("properties", []))
        if node.get("ignored") or role not in roles or not (focusable or role in ("img", "image")):
            continue
        if not node.get("name", {}).get("value"):
            nameless.append(role)
    equal("what takes the focus has a name", nameless, [])
    equal("nobody jumps the queue of tabs", page.evaluate("$$('[tabindex]').filter(e => e.tabIndex > 0).length"), 0)
    page.evaluate("focused().blur(); scrollTo(0, 0)")
    visited = []
    for _ in range(6):
        page.press("Tab")
        visited.append(page.evaluate("$$('*').indexOf(focused())"))
    ok(all(a < b for a, b in zip(visited, visited[1:])), "Tab goes on", visited)
    ok(page.evaluate("getComputedStyle(focused()).outlineStyle") != "none", "the focus can be seen")


def check_tips(page):
    page.evaluate("$('#profile .info').focus()")
    page.press("Tab")  # the focus of keys, which is seen
    page.act("$('#profile th button').focus()")  # it may scroll
    ok(page.evaluate("!$('#tip').hidden && $('#tip').textContent.length > 5"), "headings explain themselves")
    page.evaluate("focused().blur()")


def main():
    with Browser() as browser:
        url = pathlib.Path(sys.argv[1]).resolve().as_uri()
        page = browser.open(url)
        page.evaluate(PRELUDE)
        print("# opened in %.2f s" % page.seconds)
        ok(page.evaluate("$('#contents') !== null"), "the page opens")
        check_sections(page)
        if page.evaluate("Boolean($('#profile'))"):
            check_tips(page)
            check_sorting(page)
            check_printing(page)
            check_tree(page)
            check_search(page)
        check_help(page)
        check_theme(page)
        check_charts(page)
        check_diagnosis(page)
        check_run(page)
        check_marks(page)
        check_selection(page)
        check_panes(page)
        check_flame(page)
        check_exports(page)
        check_names(page)
        check_paper(page)
        shown = page.evaluate(SHOWN)
        ok(shown["n"] > 0 and not shown["wrong"],
           "%d cells of the sections' own tables are those of the data" % shown["n"], shown["wrong"])
        if len(sys.argv) > 2:
            compare_reports(page, sys.argv[2:])
        check_arrival(browser, url)
        equal("nothing was loaded but the page", [r for r in page.requests if r != url], [])
        equal("no error on the console", page.errors, [])
    plan()


main()
