"use strict";
// The script above sorts when the head of a column is clicked. Here each head becomes a button, for the keyboard and
// for screen readers; words are sorted from the first letter on, numbers from the highest down; and what was done is said.
for (const head of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
}
document.addEventListener(
  "click",
  (event) => {
    const head = event.target.closest("table.sortable thead th");
    if (head) head.closest("table").classList.toggle("asc", head.classList.contains("words"));
  },
  true,
);
document.addEventListener("sort-end", (event) => {
  const head = event.target.querySelector("th[aria-sort]");
  document.getElementById("sorted").textContent =
    `${event.target.caption.textContent}: sorted by ${head.textContent}, ${head.getAttribute("aria-sort")}`;
});
