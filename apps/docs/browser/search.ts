/** The search dialog. Its index is loaded when it is opened for the first time. */
import { type Result, type SearchIndex, searchIn } from "../src/search/query.js"
import { element } from "./elements.js"

type Search = (query: string) => ReadonlyArray<Result>

const load = async (url: string): Promise<Search> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The index answered ${response.status}`)
  const index: SearchIndex = await response.json()
  return searchIn(index)
}

const line = (className: string, text: string): HTMLElement => {
  const span = document.createElement("span")
  span.className = className
  span.textContent = text
  return span
}

const item = ({ url, title, heading, snippet }: Result, number: number): HTMLLIElement => {
  const link = document.createElement("a")
  link.href = url
  link.id = `result-${number}`
  link.tabIndex = -1
  link.setAttribute("role", "option")
  link.append(
    line("heading", heading),
    line("title", title === heading ? "" : title),
    line("snippet", snippet),
  )
  const entry = document.createElement("li")
  entry.setAttribute("role", "none")
  entry.append(link)
  return entry
}

/** Moves through the results by the arrow keys; Enter opens the marked one. */
class Results {
  #marked = -1

  constructor(
    private readonly list: HTMLUListElement,
    private readonly input: HTMLInputElement,
  ) {}

  #links(): ReadonlyArray<HTMLAnchorElement> {
    return [...this.list.querySelectorAll("a")]
  }

  show(results: ReadonlyArray<Result>): void {
    this.list.replaceChildren(...results.map(item))
    this.input.setAttribute("aria-expanded", String(results.length > 0))
    this.#mark(0)
  }

  #mark(number: number): void {
    const links = this.#links()
    this.#marked = links.length === 0 ? -1 : (number + links.length) % links.length
    for (const [at, link] of links.entries()) link.setAttribute("aria-selected", String(at === this.#marked))
    const marked = links[this.#marked]
    marked?.scrollIntoView({ block: "nearest" })
    if (marked === undefined) this.input.removeAttribute("aria-activedescendant")
    else this.input.setAttribute("aria-activedescendant", marked.id)
  }

  move(steps: number): void {
    this.#mark(this.#marked + steps)
  }

  open(): void {
    this.#links()[this.#marked]?.click()
  }
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable)

export const startSearch = (): void => {
  const dialog = element("search", HTMLDialogElement)
  const input = element("query", HTMLInputElement)
  const list = element("results", HTMLUListElement)
  const state = element("search-state", HTMLParagraphElement)
  const button = element("open-search", HTMLButtonElement)
  const close = element("close-search", HTMLButtonElement)
  if (!dialog || !input || !list || !state || !button || !close) return
  const results = new Results(list, input)
  let loading: Promise<Search> | undefined
  const run = async () => {
    const query = input.value
    loading ??= load(dialog.dataset["index"] ?? "")
    try {
      const search = await loading
      if (query !== input.value) return
      const found = search(query)
      results.show(found)
      state.textContent =
        query.trim() === "" ? "" : found.length === 0 ? "Nothing found" : `${found.length} results`
    } catch {
      loading = undefined
      state.textContent = "The search could not be loaded. Try again."
    }
  }
  const open = () => {
    dialog.showModal()
    input.select()
    void run()
  }
  button.addEventListener("click", open)
  close.addEventListener("click", () => dialog.close())
  dialog.addEventListener("click", (event) => {
    if (
      event.target === dialog ||
      (event.target instanceof Element && event.target.closest("#results a") !== null)
    )
      dialog.close()
  })
  input.addEventListener("input", () => void run())
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") results.move(1)
    else if (event.key === "ArrowUp") results.move(-1)
    else if (event.key === "Enter") results.open()
    else return
    event.preventDefault()
  })
  document.addEventListener("keydown", (event) => {
    const asks =
      event.key === "/" ? !isTyping(event.target) : event.key === "k" && (event.ctrlKey || event.metaKey)
    if (!asks || dialog.open) return
    event.preventDefault()
    open()
  })
  button.hidden = false
}
