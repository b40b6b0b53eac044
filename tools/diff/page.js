/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

"use strict";
// Shows the tables that stand in the page as JSON: sorted by a click on a column, searched by text. Texts are set,
// never parsed, so that names from a trace stay names.
(() => {
  const FIRST_ROWS = 100;

  function element(tag, properties, ...children) {
    const e = Object.assign(document.createElement(tag), properties);
    e.append(...children);
    return e;
  }

  // As in the text form: six digits, changes with their sign.
  function shown(value, kind) {
    if (value === null) return kind === "text" ? "" : "-";
    if (kind === "text") return value;
    const sign = (kind === "change" || kind === "percent") && value > 0 ? "+" : "";
    if (kind === "percent") return sign + value.toFixed(1);
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return sign + value;
    return sign + Number(value.toPrecision(kind === "change" ? 4 : 6));
  }

  // The largest value of the columns of a kind and unit, so that bars in a table can be compared.
  function scales(table) {
    const most = {};
    table.columns.forEach((column, i) => {
      const key = column.kind + column.unit;
      for (const row of table.rows)
        if (typeof row[i] === "number") most[key] = Math.max(most[key] || 0, Math.abs(row[i]));
    });
    return most;
  }

  function cell(value, column, most) {
    const td = element("td", {className: column.kind === "text" ? "text" : ""});
    if (column.last) td.classList.add("name");
    if (typeof value === "number" && (column.bars || column.kind === "change")) {
      const bar = element("span", {className: "bar"});
      if (column.kind === "change") bar.classList.add(value > 0 ? "up" : "down");
      bar.style.width = 100 * Math.abs(value) / most[column.kind + column.unit] + "%";
      if (value !== 0) td.append(bar);
    }
    td.append(shown(value, column.kind));
    return td;
  }

  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "string" ? a.localeCompare(b) : a - b;
  }

  class View {
    constructor(table) {
      this.table = table;
      this.most = scales(table);
      this.limit = FIRST_ROWS;
      this.order = table.rows.map((_, i) => i);
      this.sorted = {column: -1, descending: false};
      this.searched = table.rows.map(row => row.filter(v => typeof v === "string").join("\n").toLowerCase());
      this.body = element("tbody");
      this.count = element("span", {className: "count"});
      this.more = element("button", {
        className: "more",
        type: "button",
        onclick: () => {
          this.limit = Infinity;
          this.show();
        }
      });
      this.search = element("input", {type: "search", placeholder: "Search", oninput: () => this.show()});
      this.search.setAttribute("aria-label", "Search in " + table.title);
      this.section = this.build();
      this.show();
    }

    build() {
      const {name, title, columns} = this.table;
      this.heads = columns.map((column, i) => {
        const button = element(
            "button", {type: "button", title: column.help, onclick: () => this.sort(i)}, column.name || "\u00a0");
        if (column.unit) button.append(" ", element("span", {className: "unit"}, "[" + column.unit + "]"));
        return element("th", {className: column.kind === "text" ? "text" : "", scope: "col"}, button);
      });
      const head = element("div", {className: "head"}, element("h2", {}, title));
      if (this.table.rows.length > 10) head.append(this.search);
      head.append(this.count);
      return element(
          "section", {id: name}, head,
          element(
              "div", {className: "scroll"},
              element("table", {}, element("thead", {}, element("tr", {}, ...this.heads)), this.body)),
          this.more);
    }

    // Numbers start with the largest, texts with the first.
    sort(i) {
      const number = this.table.columns[i].kind !== "text";
      const descending = this.sorted.column === i ? !this.sorted.descending : number;
      const rows = this.table.rows;
      this.sorted = {column: i, descending};
      this.order.sort((a, b) => {
        const x = rows[a][i], y = rows[b][i];
        const missing = (x === null) - (y === null);
        return missing || (descending ? compare(y, x) : compare(x, y)) || a - b;
      });
      this.heads.forEach((head, k) => {
        if (k === i)
          head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        else
          head.removeAttribute("aria-sort");
      });
      this.show();
    }

    show() {
      const {rows, columns} = this.table;
      const wanted = this.search.value.toLowerCase();
      const found = this.order.filter(i => this.searched[i].includes(wanted));
      this.body.replaceChildren(...found.slice(0, this.limit).map(i => {
        const row = element("tr", {}, ...columns.map((column, k) => cell(rows[i][k], column, this.most)));
        if (rows[i][0] === "WARNING") row.className = "warning";
        return row;
      }));
      this.count.textContent = wanted ? found.length + " of " + rows.length : "";
      this.more.hidden = found.length <= this.limit;
      this.more.textContent = "Show all " + found.length + " rows";
    }
  }

  const main = document.querySelector("main"), nav = document.querySelector("nav");
  for (const script of document.querySelectorAll("script.table")) {
    const table = JSON.parse(script.textContent);
    // Values of runs beside each other have bars; facts and slopes don't.
    const compared = table.columns.some(column => column.kind === "change") && !table.name.startsWith("scaling");
    for (const column of table.columns) column.bars = compared && (column.kind === "number" || column.kind === "whole");
    main.append(new View(table).section);
    nav.append(element("a", {href: "#" + table.name}, table.title));
  }
})();
