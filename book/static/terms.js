// Show what a term means when it is pointed at, touched or reached by the keyboard. Without this
// script the browser shows the title of the link instead.
(() => {
  const box = document.createElement("div");
  box.id = "meaning";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  document.body.append(box);
  let shown = null;

  function show(term) {
    shown = term;
    box.textContent = term.dataset.meaning;
    box.hidden = false;
    term.setAttribute("aria-describedby", "meaning");
    const at = term.getClientRects()[0], room = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(at.left, room - box.offsetWidth - 8));
    const above = at.top > box.offsetHeight + 12;
    box.style.left = `${left}px`;
    box.style.top = `${above ? at.top - box.offsetHeight - 6 : at.bottom + 6}px`;
  }

  function hide() {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }

  for (const term of document.querySelectorAll(".term[title]")) {
    term.dataset.meaning = term.title;
    term.removeAttribute("title");
    term.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") show(term);
    });
    term.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") hide();
    });
    term.addEventListener("focus", () => show(term));
    term.addEventListener("blur", hide);
    // The first touch shows the meaning, the second one follows the link.
    term.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") return;
      const first = shown !== term;
      if (first) show(term);
      term.addEventListener("click", (click) => first && click.preventDefault(), { once: true });
    });
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", hide, { passive: true });
})();
