# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""check_page.py PAGE.html RESULT.json [EXPRESSION [MESSAGE]]: a page of tcflow-scaling in a headless Chromium: silent console,
nothing loaded, no script, the causes of the JSON with their paths; and a JavaScript expression that must be true."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import browser

FOUND = """[...document.querySelectorAll("#causes article")].map(article => ({
    title: article.querySelector("h3").textContent,
    text: article.textContent,
    times: [...article.querySelectorAll("table")[0].querySelectorAll("tbody tr")].map(r => r.cells[0].textContent),
    path: [...article.querySelectorAll("ol li")].map(li => li.textContent)}))"""


def main():
    wrong = []

    def check(condition, *message):
        if not condition:
            wrong.append(" ".join(str(m) for m in message))

    url = pathlib.Path(sys.argv[1]).resolve().as_uri()
    with open(sys.argv[2], encoding="utf-8") as f:
        causes = json.load(f)["causes"]
    with browser.Browser() as b:
        page = b.open(url)
        check(not page.errors, "the console says", page.errors)
        check(set(page.requests) <= {url, "about:blank"}, "it loads", page.requests)
        check(page.evaluate("document.querySelectorAll('script, img, link, b').length") == 0, "it has foreign elements")
        check(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the window")
        found = page.evaluate(FOUND)
        check(len(found) == len(causes), len(found), "causes, expected", len(causes))
        for i, (shown, cause) in enumerate(zip(found, causes)):
            check(shown["title"].startswith("%d. %s" % (i + 1, cause["region"])), "title", shown["title"])
            for text in (cause["call_path"], "%s, line %d" % (cause["file"], cause["line"]),
                         "explains %.0f %% of the loss" % (100 * cause["share"]), cause["kind"][1:]):
                check(text in shown["text"], "cause", i + 1, "has no", text)
            ranks = {"rank %d" % r for r in cause["processes"]}
            check(shown["times"][0] == "median of all" and len(shown["times"]) == 1 + min(32, len(ranks)) and
                  set(shown["times"][1:]) <= ranks, "times of", shown["times"])
            if [hop["waits_for"] for hop in cause["path"]] == [None] and cause["path_agrees"]:
                check("No wait leads to it" in shown["text"] and not shown["path"], "a path of waits", shown)
                continue
            check(len(shown["path"]) == len(cause["path"]), "path", shown["path"])
            for hop, text in zip(cause["path"], shown["path"]):
                check(hop["region"] in text and "rank %d" % hop["process"] in text, "hop", text, hop)
        if len(sys.argv) > 3:
            value = page.evaluate(sys.argv[3])
            check(value is True, sys.argv[3], "is", value)
        page.call("Emulation.setEmulatedMedia", media="print")
        check(page.evaluate("getComputedStyle(document.querySelector('nav')).display === 'none' && "
                            "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'"), "print")
        check(len(page.call("Page.printToPDF")["data"]) > 1000, "it does not print")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
