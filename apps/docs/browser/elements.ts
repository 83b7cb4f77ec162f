/** An element of the page by its id, if it is of this class. */
export const element = <E extends HTMLElement>(id: string, type: new () => E): E | null => {
  const found = document.querySelector(`#${id}`)
  return found instanceof type ? found : null
}

/** Keeps a choice of the reader; without storage it holds for this page only. */
export const remember = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Storage is blocked.
  }
}

export const remembered = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}
