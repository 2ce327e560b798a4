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

  // How much two lines share: 1 when they have the same words and signs.
  function similarity(one, other) {
    const [a, b] = [one, other].map((line) => line.textContent.match(/\w+|[^\w\s]/g).slice(1));
    const left = [...b];
    const shared = a.filter((part) => left.includes(part) && left.splice(left.indexOf(part), 1));
    return (2 * shared.length) / Math.max(a.length + b.length, 1);
  }

  // Pair the lines that resemble each other most, in order; what stands between them, one by one.
  function paired(removed, added) {
    if (!removed.length || !added.length) return inTurn(removed, added);
    const best = Array.from({ length: removed.length + 1 }, () => Array(added.length + 1).fill(0));
    const together = (i, j) => {
      const like = similarity(removed[i], added[j]);
      return like > 0.5 ? like + best[i + 1][j + 1] : 0;
    };
    for (let i = removed.length - 1; i >= 0; i--)
      for (let j = added.length - 1; j >= 0; j--)
        best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], together(i, j));
    const rows = [];
    let i = 0, j = 0, i0 = 0, j0 = 0;
    while (i < removed.length && j < added.length) {
      if (best[i][j] === best[i + 1][j]) i++;
      else if (best[i][j] === best[i][j + 1]) j++;
      else {
        rows.push(...inTurn(removed.slice(i0, i), added.slice(j0, j)), [removed[i++], added[j++]]);
        [i0, j0] = [i, j];
      }
    }
    return [...rows, ...inTurn(removed.slice(i0), added.slice(j0))];
  }

  const inTurn = (one, other) =>
    Array.from({ length: Math.max(one.length, other.length) }, (_, i) => [one[i], other[i]]);

  // A long line is broken behind a bracket or a comma rather than within a name.
  function breakable(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const [first, ...others] = text.textContent.split(/(?<=[([,])(?=[^\s)\]]|$)/);
      text.replaceWith(first, ...others.flatMap((part) => [document.createElement("wbr"), part]));
    }
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
    breakable(copy);
    made.append(copy);
    return made;
  }

  function columns(pre, kinds) {
    const table = document.createElement("div");
    table.className = "side-by-side";
    let removed = [], added = [];
    const flush = () => {
      for (const [before, after] of paired(removed, added))
        table.append(cell(before, "removed"), cell(after, "added"));
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
