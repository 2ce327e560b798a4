// Lay out the difference between two stages in two columns where there is room for them.
//
// show_diff gives one <pre> with an element per line, whose first child is a <b> with the sign of the
// line; they stand in groups that have two columns only where there is room for 100 characters in
// each. That stays as it is, for narrow windows, print, and browsers without scripts.
(() => {
  const SIGNS = { "+": "added", "-": "removed", "": "kept" };

  const linesOf = (pre) =>
    [...pre.querySelectorAll("span")].filter((line) => {
      const sign = line.firstElementChild;
      return sign && sign.tagName === "B" && sign === line.firstChild;
    });

  function signs(pre) {
    const lines = linesOf(pre);
    const found = lines.map((line) => SIGNS[line.firstElementChild.textContent.trim()]);
    if (lines.map((line) => line.textContent).join("") !== pre.textContent) return null;
    return found.includes(undefined) || !found.some((sign) => sign !== "kept") ? null : found;
  }

  function cell(line, sign) {
    const made = document.createElement("div");
    made.className = line ? sign : "nothing";
    if (!line) return made;
    const copy = line.cloneNode(true);
    copy.firstElementChild.remove();
    copy.removeAttribute("style");
    // Lines that are broken go on below their own beginning.
    const indent = copy.textContent.match(/^\s?( *)/)[1].length + 2;
    made.style.setProperty("--indent", `${indent}ch`);
    if (copy.firstChild) copy.firstChild.textContent = copy.firstChild.textContent.replace(/^ /, "");
    made.append(copy);
    return made;
  }

  function columns(pre, kinds) {
    const table = document.createElement("div");
    table.className = "side-by-side";
    let removed = [], added = [];
    const flush = () => {
      for (let i = 0; i < Math.max(removed.length, added.length); i++)
        table.append(cell(removed[i], "removed"), cell(added[i], "added"));
      removed = [];
      added = [];
    };
    linesOf(pre).forEach((line, i) => {
      if (kinds[i] === "removed" && added.length) flush();
      if (kinds[i] === "removed") removed.push(line);
      else if (kinds[i] === "added") added.push(line);
      else {
        flush();
        table.append(cell(line, "kept"), cell(line, "kept"));
      }
    });
    flush();
    return table;
  }

  for (const pre of document.querySelectorAll(".cell_output pre")) {
    const kinds = signs(pre);
    if (!kinds) continue;
    pre.classList.add("one-column");
    pre.after(columns(pre, kinds));
  }
})();
