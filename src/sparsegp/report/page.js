"use strict";
(function () {
  const box = document.getElementById("says");
  function show(event) {
    const text = event.target.getAttribute && event.target.getAttribute("data-says");
    box.hidden = !text;
    if (!text) return;
    box.textContent = text;
    const width = document.documentElement.clientWidth;
    const left = Math.min(event.clientX + 12, width - box.offsetWidth - 4);
    const above = event.clientY - box.offsetHeight - 10;
    box.style.left = Math.max(4, left) + "px";
    box.style.top = (above > 0 ? above : event.clientY + 14) + "px";
  }
  function unfold() {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (part && part.tagName === "DETAILS") part.open = true;
  }
  document.addEventListener("pointerover", show);
  document.addEventListener("pointerdown", show);
  window.addEventListener("scroll", function () { box.hidden = true; }, { passive: true });
  window.addEventListener("hashchange", unfold);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) { part.open = true; });
  });
  unfold();
})();
