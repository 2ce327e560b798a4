// On a phone a picture of a tree is wider than the page: it begins at its root, in the middle.
for (const cell of document.querySelectorAll("div.cell")) {
  const code = cell.querySelector(".cell_input")?.textContent ?? "";
  const picture = cell.querySelector(".image-reference");
  if (!picture || !/draw_heap|draw_merge_trees/.test(code)) continue;
  const image = picture.querySelector("img");
  const show = () => { picture.scrollLeft = (picture.scrollWidth - picture.clientWidth) / 2; };
  if (image.complete) show(); else image.addEventListener("load", show);
}
