/** What script adds to the pages, which are complete without it. */
import { addCopyButtons, shareTabs, showOwnAddress } from "./code.js"
import { startSearch } from "./search.js"
import { startThemeButton } from "./themeButton.js"

/** A link to a folded part opens what it is in. */
const unfold = (): void => {
  const target =
    location.hash === "" ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let part = target?.closest("details"); part; part = part.parentElement?.closest("details"))
    part.open = true
}

showOwnAddress()
addCopyButtons()
shareTabs()
startThemeButton()
startSearch()
unfold()
addEventListener("hashchange", unfold)

/** A long navigation begins at the page that is shown. */
const navigation = document.getElementById("navigation")
const current = navigation?.querySelector("[aria-current]")
if (navigation && current instanceof HTMLElement)
  navigation.scrollTop = current.offsetTop - navigation.clientHeight / 3
