/** Runs before the first paint: sets the theme that the reader has chosen, so that the page does not flash in another. */
try {
  const theme = localStorage.getItem("mailroom.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme
} catch {
  // Storage is closed to this page: the system's theme holds.
}
