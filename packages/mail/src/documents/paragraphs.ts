/** The text of Word documents (docx) and presentations (pptx), whose paragraphs are alike (ECMA-376 part 1). */
import { type Collected, TextCollector } from "./collect.js"
import { relatedParts, relationsOf } from "./relations.js"
import { insideOf, readXml } from "./xml.js"
import type { Archive } from "./zip.js"

/** Repetitions of a choice for older programs, deleted text, field codes, and the positions of tabs. */
const hidden = new Set(["Fallback", "delText", "instrText", "moveFrom", "tabs", "tabLst"])

/** A row of a table is one line, with tabs between its cells. */
const paragraphs = (xml: string, out: TextCollector): void => {
  const skipped = insideOf(hidden)
  const written = insideOf(new Set(["t"]))
  const cells = insideOf(new Set(["tc"]))
  const states = [skipped, written, cells]
  readXml(xml, {
    open: (name) => {
      for (const state of states) state.open(name)
      if (skipped.isInside()) return
      if (name === "tab") out.add("\t")
      if (name === "br" || name === "cr") out.endLine()
      if (name === "noBreakHyphen") out.add("-")
    },
    close: (name) => {
      if (name === "p" && !skipped.isInside() && !cells.isInside()) out.endLine()
      else if (name === "p" && !skipped.isInside()) out.add(" ")
      else if (name === "tc") out.add("\t")
      else if (name === "tr") out.endLine()
      for (const state of states) state.close(name)
    },
    text: (text) => {
      if (written.isInside() && !skipped.isInside()) out.add(text)
    },
    isDone: () => out.isFull,
  })
}

const addPart = async (archive: Archive, part: string, out: TextCollector): Promise<void> => {
  if (!out.isFull) paragraphs((await archive.read(part)) ?? "", out)
}

/** The body, then footnotes, headers, footers and comments, each once. `main` is the main part of the document. */
export const readWord = async (archive: Archive, main: string): Promise<Collected> => {
  const out = new TextCollector()
  const others = await relatedParts(archive, main, ["footnotes", "endnotes", "header", "footer", "comments"])
  for (const part of [main, ...others]) {
    await addPart(archive, part, out)
    out.gap()
  }
  return out.finish()
}

const slidesOf = async (archive: Archive, main: string): Promise<ReadonlyArray<string>> => {
  const relations = await relationsOf(archive, main)
  const slides: Array<string> = []
  readXml((await archive.read(main)) ?? "", {
    open: (name, attributes) => {
      // `r:id` comes after `id`, and has the same local name.
      const slide = name === "sldId" ? relations.get(attributes.get("id") ?? "") : undefined
      if (slide !== undefined) slides.push(slide.target)
    },
  })
  return slides
}

/** The slides in their order, each with its notes. */
export const readPowerPoint = async (archive: Archive, main: string): Promise<Collected> => {
  const out = new TextCollector()
  for (const slide of await slidesOf(archive, main)) {
    await addPart(archive, slide, out)
    for (const notes of await relatedParts(archive, slide, ["notesSlide"])) await addPart(archive, notes, out)
    out.gap()
  }
  return out.finish()
}
