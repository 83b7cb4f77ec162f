/** Starts the dashboard. */
import { render } from "preact"
import { App } from "./app/App.js"
import { startRouter } from "./app/router.js"
import { startShortcuts } from "./app/shortcuts.js"
import { startTheme } from "./app/theme.js"
import { startLive } from "./data/live.js"
import { followOtherTabs, loadSession, session } from "./data/session.js"

const root = document.getElementById("app")
if (root !== null) {
  // Before anything is drawn: the answer may be here already.
  if (session.value.state === "unknown") void loadSession()
  followOtherTabs()
  startTheme()
  startRouter()
  startShortcuts()
  startLive()
  render(<App />, root)
}
