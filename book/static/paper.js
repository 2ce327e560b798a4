// Paper is white: whoever reads in the dark prints in the light.
(() => {
  const root = document.documentElement;
  let before = null;
  window.addEventListener("beforeprint", () => {
    before ??= root.dataset.theme;
    root.dataset.theme = "light";
  });
  window.addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    before = null;
  });
})();
