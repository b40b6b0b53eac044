# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""site.py FOLDER: do the links of all pages below the folder lead to a page, a place on it, or a file there? Prints those
that do not, one a line."""
import html.parser
import os
import sys


class Page(html.parser.HTMLParser):
    """Links and places of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.places.add(value)


root = sys.argv[1]
pages = {}
for folder, _, files in os.walk(root):
    for name in files:
        if name.endswith(".html"):
            path = os.path.normpath(os.path.join(folder, name))
            pages[path] = Page(path)
if not pages:
    print("there are no pages")
for path, page in sorted(pages.items()):
    for link in page.links:
        if ":" in link.split("/")[0]:
            continue
        target, _, place = link.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.isfile(to) or (place and to in pages and place not in pages[to].places):
            print(f"{os.path.relpath(path, root)}: {link}")
