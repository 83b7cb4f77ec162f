/** The button that goes through the themes: that of the system, light, dark. */
import { element, remember } from "./elements.js"

const labels = { system: "Auto", light: "Light", dark: "Dark" } as const
type Theme = keyof typeof labels
const following = { system: "light", light: "dark", dark: "system" } as const

const current = (): Theme => {
  const { theme } = document.documentElement.dataset
  return theme === "light" || theme === "dark" ? theme : "system"
}

export const startThemeButton = (): void => {
  const button = element("theme", HTMLButtonElement)
  if (button === null) return
  const show = () => {
    const label = labels[current()]
    button.textContent = label
    button.setAttribute("aria-label", `Theme: ${label}`)
  }
  button.addEventListener("click", () => {
    const theme = following[current()]
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
    remember("theme", theme === "system" ? null : theme)
    show()
  })
  show()
  button.hidden = false
}
