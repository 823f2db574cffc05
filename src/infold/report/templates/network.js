"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const edges = data.edges.map(([a, b, mi, p, q, n]) => ({ a: data.names[a], b: data.names[b], mi, p, q, n }));
for (const e of edges) e.text = (e.a + "\n" + e.b).toLowerCase();
const PAGE = 100;
const body = document.querySelector("#edges tbody");
const search = document.getElementById("search");
const count = document.getElementById("count");
const buttons = { back: document.getElementById("back"), next: document.getElementById("next") };
const numbers = [...document.querySelectorAll("#edges th.n")].map((head) => head.dataset.key);
const collator = new Intl.Collator();
const state = { key: "p", down: false, from: 0, shown: edges };

const SMALLEST_P = 1e-9;

function text(value, isChance) {
  if (value === null) return "–";
  if (Number.isInteger(value)) return String(value);
  if (isChance && value < SMALLEST_P) return "< 1e\u22129";
  const size = Math.abs(value);
  const short = value === 0 ? "0" : size < 1e-3 || size >= 1e4 ? value.toExponential(1) : value.toPrecision(3);
  return short.replace(/-/g, "\u2212");
}

function draw() {
  const rows = state.shown.slice(state.from, state.from + PAGE).map((e) => {
    const row = document.createElement("tr");
    for (const key of ["a", "b"]) {
      const name = document.createElement("bdi");
      name.textContent = e[key];
      row.insertCell().append(name);
    }
    for (const key of numbers) {
      const cell = row.insertCell();
      cell.textContent = text(e[key], key === "p" || key === "q");
      cell.className = "n";
    }
    return row;
  });
  body.replaceChildren(...rows);
  const last = state.from + rows.length;
  const range = rows.length ? `${state.from + 1} to ${last} of ${state.shown.length} edges` : "no edges";
  count.textContent = state.shown.length < edges.length ? `${range} (${edges.length} in all)` : range;
  buttons.back.disabled = state.from === 0;
  buttons.next.disabled = last >= state.shown.length;
}

function arrange() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { key, down } = state;
  const named = key === "a" || key === "b";
  state.shown = edges.filter((e) => words.every((word) => e.text.includes(word)));
  state.shown.sort((x, y) => (named ? collator.compare(x[key], y[key]) : x[key] - y[key]) * (down ? -1 : 1));
  state.from = 0;
  draw();
}

for (const head of document.querySelectorAll("#edges th[data-key]")) {
  head.querySelector("button").addEventListener("click", () => {
    const key = head.dataset.key;
    state.down = state.key === key ? !state.down : key === "mi";
    state.key = key;
    for (const other of document.querySelectorAll("#edges th[data-key]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    arrange();
  });
}
search.addEventListener("input", arrange);
buttons.back.addEventListener("click", () => { state.from = Math.max(0, state.from - PAGE); draw(); });
buttons.next.addEventListener("click", () => { state.from += PAGE; draw(); });
draw();
