/** Light or dark: as the system has it, or as the reader has chosen here. */
import { effect, signal } from "@preact/signals"
import { readStored, store } from "../data/storage.js"

export type Theme = "system" | "light" | "dark"

const themeOf = (text: string | null): Theme => (text === "light" || text === "dark" ? text : "system")

export const theme = signal<Theme>(themeOf(readStored("local", "theme")))

/** Called once. */
export const startTheme = (): void => {
  effect(() => {
    const chosen = theme.value
    store("local", "theme", chosen === "system" ? null : chosen)
    if (chosen === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = chosen
  })
}
