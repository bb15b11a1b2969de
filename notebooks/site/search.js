// The search: pages, sections and exported names of search-index.js, which loads with the first word.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const input = document.querySelector(".search input"), results = document.querySelector(".results");
  const current = document.querySelector("nav [aria-current]");
  if (current) {
    current.closest("details").open = true;
    current.scrollIntoView({block: "nearest"});
  }
  if (!input) return;

  let loading;
  const index = () => loading ||= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = () => resolve(searchIndex);
    script.onerror = () => reject(new Error("search-index.js is missing"));
    document.head.append(script);
  });

  // rank is 0 if a word is nowhere in the entry. A title that is the query, or ends in it as a name does, comes first.
  const rank = (e, words, query) => {
    const title = e.t.toLowerCase(), text = (e.x || "").toLowerCase();
    let sum = 0;
    for (const w of words) {
      if (title.includes(w)) sum += 10;
      else if (text.includes(w) || e.k.toLowerCase().includes(w)) sum += 1;
      else return 0;
    }
    if (title === query) sum += 100;
    else if (title.endsWith("." + query) || title.endsWith("/" + query)) sum += title.split(".").length > 2 ? 30 : 80;
    else if (title.startsWith(query) || title.includes("." + query)) sum += 20;
    // A heading of a page answers a question, first one of "Which price is mine?". A field does
    // not, and the changelog is read last.
    if (!e.u.startsWith("pkg/")) sum += e.u.startsWith("CHANGELOG") ? -45 : e.u.startsWith("accounting/WHICH") ? 60 : 15;
    return sum - title.length / 1000 - (e.u.includes("/internal/") ? 50 : 0) + 50;
  };

  const search = async () => {
    const query = input.value.trim().toLowerCase();
    results.hidden = query === "";
    if (query === "") return;
    const words = query.split(/\s+/);
    let found;
    try {
      found = (await index()).map(e => [rank(e, words, query), e]).filter(([r]) => r > 0).sort((a, b) => b[0] - a[0]);
    } catch (err) {
      results.textContent = err.message;
      return;
    }
    if (query !== input.value.trim().toLowerCase()) return; // it has changed meanwhile
    results.replaceChildren(...found.slice(0, 30).map(([, e]) => {
      const item = document.createElement("li"), link = document.createElement("a"), about = document.createElement("span");
      link.href = root + e.u;
      link.textContent = e.t;
      about.className = "quiet";
      const at = Math.max(0, (e.x || "").toLowerCase().indexOf(words[0]) - 40);
      about.textContent = e.k + (e.x ? ": " + (at > 0 ? "…" : "") + e.x.slice(at, at + 120) : "");
      item.append(link, about);
      return item;
    }));
    if (found.length === 0) results.textContent = "Nothing found.";
  };

  input.addEventListener("input", search);
  input.form.addEventListener("submit", e => {
    e.preventDefault();
    results.querySelector("a")?.click();
  });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      document.getElementById("menu").checked = true;
      input.focus();
    }
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    document.getElementById("menu").checked = true;
    input.value = asked;
    search();
  }
})();
