const root = new URL(".", import.meta.url);
const input = document.querySelector("#search input");
const list = document.querySelector("#results");
let entries;

/** Entries whose title has all words come first; then those whose text has them. */
function find(words) {
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  const inTitle = entries.filter(({ title }) => has(title));
  const inText = entries.filter((entry) =>
    !inTitle.includes(entry) && has(`${entry.title} ${entry.text}`)
  );
  return [...inTitle.sort((a, b) => a.title.length - b.title.length), ...inText].slice(0, 20);
}

input.addEventListener("input", async () => {
  entries ??= await (await fetch(new URL("search.json", root))).json();
  const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  list.replaceChildren(...(words.length === 0 ? [] : find(words)).map(({ title, page, url }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = new URL(url, root);
    link.textContent = title;
    const small = document.createElement("small");
    small.textContent = page;
    item.append(link, small);
    return item;
  }));
});
