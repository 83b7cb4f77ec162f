/** Chooses the theme of the pages; the browser keeps it. */
import type { JSX } from "preact"
import { Icon, type IconName } from "../components/Icon.js"
import { Menu } from "../components/Menu.js"
import { type Theme, theme } from "./theme.js"

const themes: ReadonlyArray<{ readonly theme: Theme; readonly label: string; readonly icon: IconName }> = [
  { theme: "system", label: "As the system", icon: "monitor" },
  { theme: "light", label: "Light", icon: "sun" },
  { theme: "dark", label: "Dark", icon: "moon" },
]

export const ThemeSwitch = (): JSX.Element => {
  const chosen = themes.find((one) => one.theme === theme.value)
  return (
    <Menu
      label={`Theme: ${chosen?.label ?? ""}`}
      items={themes.map((one) => ({
        label: one.label,
        icon: one.icon,
        run: () => (theme.value = one.theme),
      }))}
    >
      <Icon name={chosen?.icon ?? "monitor"} />
    </Menu>
  )
}
