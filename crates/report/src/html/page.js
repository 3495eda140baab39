"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { name, parent, total, own, letter, shade, of } = data.frames;
  const count = name.length;
  const ROW = 20, LEAST = 1.2, CHARACTER = 7.3, MOST_ROWS = 200, MOST_HITS = 8;
  const SVG = "http://www.w3.org/2000/svg";
  const $ = (id) => document.getElementById(id);
  const box = $("flame"), detail = $("detail"), path = $("path"), found = $("found"), search = $("search");

  const children = name.map(() => []);
  const depth = new Int32Array(count), start = new Float64Array(count);
  for (let at = 1; at < count; at++) {
    children[parent[at]].push(at);
    depth[at] = depth[parent[at]] + 1;
  }
  // Frames are drawn from the left of the one around; what that executes itself is at its right.
  for (let at = 0; at < count; at++) {
    let x = start[at];
    for (const inner of children[at]) { start[inner] = x; x += total[inner]; }
  }
  let focus = 0, current = 0, hits = null, holds = null;

  const number = (n) => n.toLocaleString("en-GB");
  const shown = (share) => (share > 0 && share < 0.0005 ? "< 0.1 %" : (100 * share).toFixed(1) + " %");
  const percent = (n) => shown(n / Math.max(total[0], 1));
  const element = (tag, attributes, ...inside) => {
    const out = document.createElement(tag);
    for (const key in attributes) out.setAttribute(key, attributes[key]);
    out.append(...inside);
    return out;
  };
  const drawn = (tag, attributes) => {
    const out = document.createElementNS(SVG, tag);
    for (const key in attributes) out.setAttribute(key, attributes[key]);
    return out;
  };
  const classes = { P: "yes", R: "reduction", V: "after-privatisation", N: "no", "?": "unknown" };
  const badge = (letter) => element("span", { class: "badge v-" + (classes[letter] || "unknown") }, letter);

  const words = { n: "not affine", l: "library", u: "not recorded" };
  const colour = (at) => shade[at] !== "a" ? "G" : "PRVN".includes(letter[at]) ? letter[at] : letter[at] === "?" ? "G" : "C";

  const pattern = (id, content) => {
    const out = drawn("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse" });
    out.append(content);
    return out;
  };

  function frame(at, x, width, y) {
    const kind = colour(at);
    const group = drawn("g", { class: "frame" + (kind === "C" ? " onCall" : ""), "data-at": at });
    if (at === current) group.classList.add("current");
    if (y < depth[focus]) group.classList.add("around");
    if (hits) group.classList.add(hits[at] ? "hit" : "dim");
    const sizes = { x, y: y * ROW, width, height: ROW - 1 };
    group.append(drawn("rect", { ...sizes, class: "box s" + kind }));
    // Patterns for those who see no colour.
    if (kind === "N") group.append(drawn("rect", { ...sizes, class: "overlay", fill: "url(#hatch)" }));
    if (kind === "V") group.append(drawn("rect", { ...sizes, class: "overlay", fill: "url(#dots)" }));
    // A grey loop keeps its verdict at its left edge.
    if (kind === "G" && "PRVN".includes(letter[at]) && width > 12) {
      group.append(drawn("rect", { ...sizes, width: 5, class: "overlay s" + letter[at] }));
    }
    const label = letter[at] === " " || data.counted ? name[at] : letter[at] + " " + name[at];
    const room = Math.floor((width - 10) / CHARACTER);
    if (room >= 1) {
      const text = drawn("text", { x: x + (kind === "G" ? 8 : 5), y: y * ROW + 14 });
      text.textContent = label.length <= room ? label : room < 4 ? label.slice(0, 1) : label.slice(0, room - 1) + "…";
      group.append(text);
    }
    const title = drawn("title", {});
    title.textContent = label + ", " + percent(total[at]);
    group.append(title);
    return group;
  }

  function several(all, x, width) {
    const most = all.reduce((a, b) => (total[b] > total[a] ? b : a));
    const group = drawn("g", { class: "frame several", "data-at": most });
    if (hits) group.classList.add(all.some((own) => holds[own]) ? "hit" : "dim");
    group.append(drawn("rect", { x, y: depth[most] * ROW, width, height: ROW - 1, class: "box" }));
    const label = `${number(all.length)} narrow ones, such as ${name[most]}`;
    if (width > label.length * CHARACTER) {
      const text = drawn("text", { x: x + 5, y: depth[most] * ROW + 14 });
      text.textContent = label;
      group.append(text);
    }
    const title = drawn("title", {});
    title.textContent = label;
    group.append(title);
    return group;
  }

  function draw() {
    const width = Math.max(box.clientWidth - 2, 300);
    const svg = drawn("svg", { width });
    const defs = drawn("defs", {});
    defs.append(pattern("hatch", drawn("path", { d: "M-2 2L2 -2M0 8L8 0M6 10L10 6", stroke: "#0004", "stroke-width": 2 })));
    defs.append(pattern("dots", drawn("circle", { cx: 4, cy: 4, r: 1.3, fill: "#0005" })));
    svg.append(defs);
    const around = [];
    for (let at = focus; at >= 0; at = parent[at]) around.push(at);
    let rows = 0;
    for (const at of around.slice(1)) svg.append(frame(at, 0, width, depth[at]));
    const scale = width / Math.max(total[focus], 1);
    // Inner frames are never wider: what is too narrow hides all inside it.
    const open = [focus];
    while (open.length) {
      const at = open.pop();
      const x = (own) => (start[own] - start[focus]) * scale;
      svg.append(frame(at, x(at), total[at] * scale, depth[at]));
      rows = Math.max(rows, depth[at] + 1);
      // Neighbours too narrow to see are one box.
      let narrow = [];
      const close = () => {
        if (narrow.length) {
          const last = narrow[narrow.length - 1];
          const size = x(last) + total[last] * scale - x(narrow[0]);
          if (size >= LEAST) svg.append(several(narrow, x(narrow[0]), size));
          if (size >= LEAST) rows = Math.max(rows, depth[last] + 1);
        }
        narrow = [];
      };
      for (const inner of children[at]) {
        if (total[inner] * scale < LEAST) {
          narrow.push(inner);
        } else {
          close();
          open.push(inner);
        }
      }
      close();
    }
    svg.setAttribute("height", rows * ROW + 1);
    box.querySelectorAll("svg").forEach((old) => old.remove());
    box.append(svg);
    path.replaceChildren(...around.reverse().flatMap((at, k) => {
      const button = element("button", { type: "button", "data-at": at }, name[at]);
      return k ? [" › ", button] : [button];
    }));
  }

  function describe(at) {
    const facts = element("div", {});
    if (letter[at] !== " " && !data.counted) facts.append(badge(letter[at]), " ");
    facts.append(element("b", {}, name[at]), ` — ${percent(total[at])} of the operations, ${number(own[at])} of its own`);
    if (words[shade[at]]) facts.append(`; ${words[shade[at]]}`);
    detail.replaceChildren(facts);
    const l = data.loops[of[at]];
    if (!l) return;
    const more = element("div", {}, data.counted ? "" : l.words + "; ",
      `${number(l.iterations)} iterations in ${number(l.entries)} entries. `);
    if (l.nest !== undefined) more.append(element("a", { href: "#nest-" + l.nest }, "its nest"));
    detail.append(more);
    if (l.what) detail.append(element("div", {}, l.is_directive ? element("code", {}, l.what) : l.what));
  }

  function select(at, look) {
    current = at;
    if (look) focus = at;
    // What is selected is always in sight.
    for (let up = at; up !== focus; up = parent[up]) if (up < 0) { focus = at; break; }
    describe(at);
    draw();
    const own = box.querySelector(".current");
    if (own && look !== true) own.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function look(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) {
      hits = null;
      found.textContent = "";
      $("hits").replaceChildren();
    } else {
      hits = name.map((own) => own.toLowerCase().includes(wanted));
      // Those with one that was found inside, or found themselves.
      holds = Uint8Array.from(hits);
      for (let at = count - 1; at > 0; at--) if (holds[at]) holds[parent[at]] = 1;
      // Frames inside a frame that was found are not counted again.
      let frames = 0, sum = 0;
      const covered = new Uint8Array(count);
      for (let at = 0; at < count; at++) {
        covered[at] = hits[at] || (at && covered[parent[at]]) ? 1 : 0;
        if (hits[at]) frames++;
        if (hits[at] && !(at && covered[parent[at]])) sum += total[at];
      }
      found.textContent = `${number(frames)} found, ${percent(sum)} of the operations`;
      const largest = [];
      for (let at = 0; at < count; at++) if (hits[at]) largest.push(at);
      largest.sort((a, b) => total[b] - total[a] || a - b);
      $("hits").replaceChildren(...largest.slice(0, MOST_HITS).map((at) =>
        element("button", { type: "button", "data-at": at }, `${name[at]} ${percent(total[at])}`)));
    }
    draw();
  }

  function table(text) {
    const wanted = text.trim().toLowerCase();
    const is = /^=[a-z?]$/.test(wanted)
      ? (l) => l.letter.toLowerCase() === wanted[1]
      : (l) => l.id.toLowerCase().includes(wanted) || l.what.toLowerCase().includes(wanted);
    const matching = data.loops.filter(is);
    const rows = matching.slice(0, MOST_ROWS);
    $("rows").textContent = `${number(rows.length)} of ${number(matching.length)} loops, the hottest first` +
      (matching.length > MOST_ROWS ? `; no more than ${MOST_ROWS} are shown, filter to see others.` : ".");
    $("table").replaceChildren(...rows.map((l) => {
      const id = l.nest === undefined ? l.id : element("a", { href: "#nest-" + l.nest }, l.id);
      const share = element("td", { class: "n share" }, shown(l.share));
      share.style.setProperty("--share", l.share);
      return element("tr", {},
        element("td", { class: "id" }, id),
        element("td", {}, data.counted ? "counted" : badge(l.letter)), share,
        element("td", { class: "n" }, number(l.iterations)), element("td", { class: "n" }, number(l.entries)),
        element("td", {}, l.is_directive ? element("code", {}, l.what) : l.what));
    }));
  }

  const at = (event) => {
    const of = event.target.closest("[data-at]");
    return of ? Number(of.dataset.at) : -1;
  };
  box.addEventListener("click", (event) => { const k = at(event); if (k >= 0) select(k, true); });
  path.addEventListener("click", (event) => { const k = at(event); if (k >= 0) select(k, true); });
  $("hits").addEventListener("click", (event) => { const k = at(event); if (k >= 0) select(k, true); });
  $("reset").addEventListener("click", () => select(0, true));
  search.addEventListener("input", () => look(search.value));
  $("filter").addEventListener("input", () => table($("filter").value));
  box.addEventListener("keydown", (event) => {
    const beside = (step) => {
      const all = current ? children[parent[current]] : [0];
      return all[all.indexOf(current) + step];
    };
    const largest = (all) => all.reduce((a, b) => (a === undefined || total[b] > total[a] ? b : a), undefined);
    const moves = {
      ArrowDown: () => largest(children[current]), ArrowUp: () => parent[current],
      ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
    };
    if (moves[event.key]) {
      const next = moves[event.key]();
      if (next !== undefined && next >= 0) select(next, false);
    } else if (event.key === "Enter") select(current, true);
    else if (event.key === "Escape" || event.key === "Home") select(0, true);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      search.focus();
      event.preventDefault();
    }
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { search.value = ""; look(""); box.focus(); }
  });
  addEventListener("resize", draw);
  if (count) select(0, true);
  table("");
})();
