// What pages do beyond links, forms and htmx: copy, continue by keyboard, and
// the focus that a new error summary takes. Everything works without it.
(() => {
  "use strict";
  const say = (text) => {
    const live = document.getElementById("live");
    if (live) live.textContent = text;
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    const from = document.getElementById(button.dataset.copy);
    const copy = from.cloneNode(true);
    copy.querySelectorAll(".ln > a, .ln > i").forEach((mark) => mark.remove());
    const text = from.value ?? copy.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      say("Copied");
    } catch {
      getSelection().selectAllChildren(from);
      say("Selected; press Ctrl+C to copy");
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });

  // Ctrl+Enter (or ⌘+Enter) presses the main button of the form it is typed in,
  // or of the page.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target.closest("form") ?? document.querySelector("main form");
    const button = form?.querySelector("button[data-main]") ?? form?.querySelector("button");
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  const show = (root) => {
    root.querySelectorAll("button[data-copy]").forEach((b) => { b.hidden = false; });
    const errors = root.querySelector(".errors");
    if (errors) errors.focus();
  };
  show(document);
  document.addEventListener("htmx:after:swap", () => show(document));

  // A stream that says it is done has a page to show.
  document.addEventListener("htmx:sse:close", (event) => {
    if (event.detail.reason === "message") location.reload();
  });

  // The rail of steps folds on small screens and stands open on large ones.
  const wide = matchMedia("(min-width: 800px)");
  const fold = () => document.querySelectorAll(".rail-fold").forEach((d) => { d.open = wide.matches; });
  wide.addEventListener("change", fold);
  fold();

  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
})();
