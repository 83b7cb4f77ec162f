/** The text of OpenDocument files (odt, ods, odp): paragraphs, rows with tabs between the cells, slides. */
import { type Collected, TextCollector, Unreadable } from "./collect.js"
import { insideOf, readXml } from "./xml.js"
import type { Archive } from "./zip.js"

/** Deleted text, scripts, and the styles that a flat file begins with. */
const hidden = new Set(["tracked-changes", "scripts", "automatic-styles", "styles", "font-face-decls"])

/** Spaces that one element may stand for. */
const SPACES_MAX = 100

const readContent = (xml: string, out: TextCollector): void => {
  const skipped = insideOf(hidden)
  const written = insideOf(new Set(["p", "h"]))
  const cells = insideOf(new Set(["table-cell"]))
  const states = [skipped, written, cells]
  readXml(xml, {
    open: (name, attributes) => {
      for (const state of states) state.open(name)
      if (skipped.isInside()) return
      if (name === "tab") out.add("\t")
      if (name === "line-break") out.endLine()
      if (name === "s") out.add(" ".repeat(Math.min(SPACES_MAX, Number(attributes.get("c") ?? "1") || 1)))
      if (name === "table" && attributes.has("name")) {
        out.gap()
        out.add(attributes.get("name") ?? "")
        out.endLine()
      }
    },
    close: (name) => {
      const isShown = !skipped.isInside()
      if (isShown && (name === "p" || name === "h") && !cells.isInside()) out.endLine()
      if (isShown && (name === "p" || name === "h") && cells.isInside()) out.add(" ")
      if (name === "table-cell" || name === "covered-table-cell") out.add("\t")
      if (name === "table-row") out.endLine()
      if (name === "page") out.gap()
      for (const state of states) state.close(name)
    },
    text: (text) => {
      // White space collapses, as in HTML.
      if (written.isInside() && !skipped.isInside()) out.add(text.replace(/[ \t\r\n]+/g, " "))
    },
    isDone: () => out.isFull,
  })
}

const isEncrypted = (manifest: string): boolean => {
  let found = false
  readXml(manifest, {
    open: (name) => {
      if (name === "encryption-data") found = true
    },
    isDone: () => found,
  })
  return found
}

export const readOpenDocument = async (archive: Archive): Promise<Collected> => {
  if (isEncrypted((await archive.read("META-INF/manifest.xml")) ?? "")) throw new Unreadable("encrypted")
  const content = await archive.read("content.xml")
  if (content === null) throw new Unreadable("damaged")
  const out = new TextCollector()
  readContent(content, out)
  return out.finish()
}
