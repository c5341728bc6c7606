"use strict";
(() => {
  const share = (part, whole) => {
    if (!whole) return "undefined";
    const short = 1 - part / whole;
    const digits = short && short < 5e-5 ? -Math.floor(Math.log10(short)) : 4;
    return (part / whole).toFixed(digits);
  };

  for (const box of document.querySelectorAll("[data-curve]")) {
    const { total, points } = JSON.parse(box.querySelector("script").textContent);
    const range = box.querySelector("input");
    const low = points[0][0];
    const span = points[points.length - 1][0] - low || 1;
    const marker = box.querySelector(".marker");
    const outputs = [...box.querySelectorAll("output")];
    const show = () => {
      const [threshold, accepted, right] = points[range.value];
      const shown = {
        threshold: String(threshold),
        accepted: `${accepted} of ${total}`,
        coverage: share(accepted, total),
        accuracy: share(right, accepted),
      };
      for (const output of outputs) output.textContent = shown[output.dataset.shows];
      range.setAttribute("aria-valuetext", `threshold ${threshold}`);
      marker.setAttribute("d", `M${(100 * (threshold - low)) / span} -4V104`);
    };
    range.addEventListener("input", show);
    show();
    box.hidden = false;
  }
  for (const each of document.querySelectorAll("[data-folds]")) each.open = false;

  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details:not([open])")];
    for (const each of unfolded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of unfolded) each.open = false;
    unfolded = [];
  });
})();
