/** Runs before the page is painted: the theme that the reader chose, so that the page does not flash in the other one. */
try {
  const chosen = localStorage.getItem("theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
} catch {
  // Without storage the theme is that of the system.
}
