/** The text of PDF files, with pdf.js. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Collected, TextCollector, Unreadable } from "./collect.js"

/** Pages of a file that is read; the text of a longer one hardly fits what is kept. */
const PAGES_MAX = 10_000

/** The tables of character codes for Chinese, Japanese and Korean, which the bundle has beside its files. */
const characterMaps = (): string => {
  const bundled = join(dirname(fileURLToPath(import.meta.url)), "cmaps")
  if (existsSync(bundled)) return `${bundled}/`
  const library = createRequire(import.meta.url).resolve("pdfjs-dist/package.json")
  return `${join(dirname(library), "cmaps")}/`
}

/** Built-ins that the polyfills of pdf.js replace with slower ones of JavaScript, for the whole process. */
const builtIns: ReadonlyArray<object> = [JSON, Array.prototype, Function.prototype]

/** Imports modules, and puts the built-ins back that they replaced. Those that they added stay. */
const keepingBuiltIns = async <A>(load: () => Promise<A>): Promise<A> => {
  const before = builtIns.map((owner) => [owner, Object.getOwnPropertyDescriptors(owner)] as const)
  try {
    return await load()
  } finally {
    for (const [owner, properties] of before) Object.defineProperties(owner, properties)
  }
}

/**
 * Loaded once, with the first file, because it is large. Its worker runs in the thread that imports it. Rendering needs a canvas,
 * which a server does not have; of it, the library needs only the name of one class to load.
 */
const load = () =>
  keepingBuiltIns(async () => {
    if (!("DOMMatrix" in globalThis)) Object.defineProperty(globalThis, "DOMMatrix", { value: Object })
    await import("pdfjs-dist/legacy/build/pdf.worker.mjs")
    return import("pdfjs-dist/legacy/build/pdf.mjs")
  })

let library: ReturnType<typeof load> | null = null

const isPasswordMissing = (error: unknown): boolean =>
  error instanceof Error && error.name === "PasswordException"

/** Takes the bytes: their buffer is not usable afterwards. */
export const readPdf = async (bytes: Uint8Array): Promise<Collected> => {
  const { getDocument, VerbosityLevel } = await (library ??= load())
  const loading = getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: characterMaps(),
    cMapPacked: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    verbosity: VerbosityLevel.ERRORS,
  })
  try {
    const pdf = await loading.promise
    if (pdf.numPages > PAGES_MAX) throw new Unreadable("too large")
    const out = new TextCollector()
    for (let number = 1; number <= pdf.numPages && !out.isFull; number++) {
      const page = await pdf.getPage(number)
      const reader = page.streamTextContent().getReader()
      for (let part = await reader.read(); !part.done && !out.isFull; part = await reader.read())
        for (const item of part.value.items) {
          if (!("str" in item)) continue
          out.add(item.str)
          if (item.hasEOL) out.endLine()
        }
      page.cleanup()
      out.gap()
    }
    return out.finish()
  } catch (error) {
    throw isPasswordMissing(error) ? new Unreadable("encrypted") : error
  } finally {
    await loading.destroy()
  }
}
