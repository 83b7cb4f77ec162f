/** Code of the page: copy buttons, the address of this service in examples, and one choice of tab for all of them. */
import { remember, remembered } from "./elements.js"

/** The address in the built pages. */
const EXAMPLE_URL = "http://localhost:3000"

/** Shows this service's own address, so that a copied command works. */
export const showOwnAddress = (): void => {
  if (location.origin === EXAMPLE_URL) return
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      if (text.nodeValue?.includes(EXAMPLE_URL) === true)
        text.nodeValue = text.nodeValue.replaceAll(EXAMPLE_URL, location.origin)
  }
}

const COPIED_MS = 1500

/** Copies, and says on the button how it went. */
const copy = async (figure: Element, button: HTMLButtonElement): Promise<void> => {
  try {
    await navigator.clipboard.writeText(figure.querySelector("code")?.textContent ?? "")
    button.textContent = "Copied"
  } catch {
    // The page is not on https, or the reader refused.
    button.textContent = "Not allowed"
  }
  setTimeout(() => (button.textContent = "Copy"), COPIED_MS)
}

export const addCopyButtons = (): void => {
  for (const figure of document.querySelectorAll("figure.code")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = "Copy"
    button.addEventListener("click", () => void copy(figure, button))
    figure.append(button)
  }
}

/** A tab that the reader chooses is chosen in every example, also on the next page. */
export const shareTabs = (): void => {
  const inputs = [...document.querySelectorAll<HTMLInputElement>(".tabs input")]
  const choose = (value: string) => {
    for (const input of inputs) if (input.value === value) input.checked = true
  }
  const chosen = remembered("tab")
  if (chosen !== null) choose(chosen)
  for (const input of inputs)
    input.addEventListener("change", () => {
      // The page above grows or shrinks with its examples: what the reader looks at stays where it is.
      const before = input.getBoundingClientRect().top
      choose(input.value)
      scrollBy({ top: input.getBoundingClientRect().top - before, behavior: "instant" })
      remember("tab", input.value)
    })
}
