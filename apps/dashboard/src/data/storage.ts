/** Texts that the browser keeps for these pages. Where storage is closed to them, nothing is kept. */

/** `local` outlives the tab, `session` does not. */
type Area = "local" | "session"

const areaOf = (area: Area): Storage | null => {
  try {
    return area === "local" ? localStorage : sessionStorage
  } catch {
    return null
  }
}

const nameOf = (name: string): string => `mailroom.${name}`

export const readStored = (area: Area, name: string): string | null =>
  areaOf(area)?.getItem(nameOf(name)) ?? null

/** Keeps a text; null removes it. */
export const store = (area: Area, name: string, text: string | null): void => {
  const storage = areaOf(area)
  try {
    if (text === null) storage?.removeItem(nameOf(name))
    else storage?.setItem(nameOf(name), text)
  } catch {
    // The storage is full: the text holds until the page is left.
  }
}

/** Calls the listener when another tab of this browser keeps or removes a text. */
export const onStoredElsewhere = (name: string, listener: (text: string | null) => void): void =>
  globalThis.addEventListener("storage", ({ key, newValue, storageArea }) => {
    // Without a key everything was removed.
    if (storageArea === areaOf("local") && (key === null || key === nameOf(name))) listener(newValue)
  })
