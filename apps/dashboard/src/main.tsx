/** Starts the dashboard. */
import { render } from "preact"
import { App } from "./app/App.js"
import { startRouter } from "./app/router.js"
import { startShortcuts } from "./app/shortcuts.js"
import { startTheme } from "./app/theme.js"
import { startLive } from "./data/live.js"

const root = document.getElementById("app")
if (root !== null) {
  startTheme()
  startRouter()
  startShortcuts()
  startLive()
  render(<App />, root)
}
