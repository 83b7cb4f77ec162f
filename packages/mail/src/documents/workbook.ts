/** The text of workbooks (xlsx): the name of each sheet, then its rows, with tabs between the cells. */
import { ATTACHMENT_TEXT_MAX_LENGTH } from "@mailroom/domain/limits"
import { type Collected, TextCollector } from "./collect.js"
import { relationsOf } from "./relations.js"
import { insideOf, readXml } from "./xml.js"
import type { Archive } from "./zip.js"

/** Cells that a row may skip and still keep its columns; a cell further right follows after one tab. */
const GAP_MAX = 50

/** One run at a time: with the spaces before a line end in the pattern, a long run of spaces takes quadratic time. */
const inOneLine = (text: string): string =>
  text.replace(/\s+/g, (spaces) => (/[\r\n]/.test(spaces) ? " " : spaces))

/**
 * The shared strings by their index (ECMA-376 part 1, §18.4), without phonetic readings. Each is put in one line here and
 * not in its cells: a million cells may show one string of line ends.
 */
const readStrings = (xml: string): ReadonlyArray<string> => {
  const strings: Array<string> = []
  const written = insideOf(new Set(["t"]))
  const phonetic = insideOf(new Set(["rPh"]))
  let parts: Array<string> = []
  let length = 0
  readXml(xml, {
    open: (name) => {
      written.open(name)
      phonetic.open(name)
      if (name === "si") parts = []
    },
    close: (name) => {
      written.close(name)
      phonetic.close(name)
      if (name === "si") strings.push(inOneLine(parts.join("")))
    },
    text: (text) => {
      if (!written.isInside() || phonetic.isInside()) return
      parts.push(text)
      length += text.length
    },
    isDone: () => length > ATTACHMENT_TEXT_MAX_LENGTH,
  })
  return strings
}

/** Formats of dates and times that need no definition (§18.8.30). */
const builtInDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])

/** Whether a format shows a date or a time: it has d, m, y, h or s outside of quotes, escapes and brackets. */
const isDateFormat = (code: string): boolean => /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""))

/** Whether each cell format, by its index, is a date (§18.8.10). */
const readDateStyles = (xml: string): ReadonlyArray<boolean> => {
  const dates = new Set(builtInDates)
  const styles: Array<boolean> = []
  const cellFormats = insideOf(new Set(["cellXfs"]))
  readXml(xml, {
    open: (name, attributes) => {
      cellFormats.open(name)
      const id = Number(attributes.get("numFmtId"))
      if (name === "numFmt" && isDateFormat(attributes.get("formatCode") ?? "")) dates.add(id)
      if (name === "xf" && cellFormats.isInside()) styles.push(dates.has(id))
    },
    close: cellFormats.close,
  })
  return styles
}

const DAY = 24 * 60 * 60 * 1000
/** Day 0 of the two date systems (§18.17.4). 1900 counts a 29 February that never was, so March 1900 is day 61. */
const EPOCHS = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) }

/** `2026-03-10`, `2026-03-10 09:30:00` or `09:30:00`; the number itself when it is no date. */
const dateText = (serial: string, epoch: number): string => {
  const days = Number(serial)
  const date = new Date(epoch + Math.round(days * 86_400) * 1000)
  if (serial === "" || !(days >= 0 && days < 2_958_466) || Number.isNaN(date.getTime())) return serial
  const [day = "", time = ""] = date.toISOString().slice(0, 19).split("T")
  if (days < 1) return time
  return (date.getTime() - epoch) % DAY === 0 ? day : `${day} ${time}`
}

/** The column of a reference such as `BC12`, counted from 0; null without one. */
const columnOf = (reference: string | undefined): number | null => {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0]
  if (letters === undefined) return null
  return Buffer.from(letters).reduce((sum, letter) => sum * 26 + letter - 64, 0) - 1
}

interface Workbook {
  readonly strings: ReadonlyArray<string>
  readonly dateStyles: ReadonlyArray<boolean>
  readonly epoch: number
}

const readSheet = (xml: string, { strings, dateStyles, epoch }: Workbook, out: TextCollector): void => {
  const written = insideOf(new Set(["v", "t"]))
  const phonetic = insideOf(new Set(["rPh"]))
  let next = 0
  let cell = { type: "n", isDate: false, column: 0 }
  let parts: Array<string> = []
  const shown = (): string => {
    const value = parts.join("")
    if (cell.type === "s") return strings[Number(value)] ?? ""
    if (cell.type === "b") return value === "1" ? "TRUE" : "FALSE"
    return cell.type === "n" && cell.isDate ? dateText(value, epoch) : inOneLine(value)
  }
  readXml(xml, {
    open: (name, attributes) => {
      written.open(name)
      phonetic.open(name)
      if (name === "row") next = 0
      if (name !== "c") return
      parts = []
      cell = {
        type: attributes.get("t") ?? "n",
        isDate: dateStyles[Number(attributes.get("s") ?? "0")] ?? false,
        column: columnOf(attributes.get("r")) ?? next,
      }
    },
    close: (name) => {
      written.close(name)
      phonetic.close(name)
      if (name === "row") out.endLine()
      if (name !== "c" || parts.length === 0) return
      const gap = cell.column - next
      out.add("\t".repeat(gap < 0 || gap > GAP_MAX ? 1 : gap))
      out.add(shown())
      out.add("\t")
      next = cell.column + 1
    },
    text: (text) => {
      if (written.isInside() && !phonetic.isInside()) parts.push(text)
    },
    isDone: () => out.isFull,
  })
}

/** `main` is the main part of the workbook. */
export const readWorkbook = async (archive: Archive, main: string): Promise<Collected> => {
  const relations = await relationsOf(archive, main)
  const partOf = (type: string) => [...relations.values()].find((relation) => relation.type === type)?.target
  const read = async (type: string) => (await archive.read(partOf(type) ?? "")) ?? ""
  const sheets: Array<{ readonly name: string; readonly part: string }> = []
  let epoch = EPOCHS.from1900
  readXml((await archive.read(main)) ?? "", {
    open: (name, attributes) => {
      if (name === "workbookPr" && /^(?:1|true)$/.test(attributes.get("date1904") ?? ""))
        epoch = EPOCHS.from1904
      const sheet = name === "sheet" ? relations.get(attributes.get("id") ?? "") : undefined
      if (sheet?.type === "worksheet") sheets.push({ name: attributes.get("name") ?? "", part: sheet.target })
    },
  })
  const workbook: Workbook = {
    strings: readStrings(await read("sharedStrings")),
    dateStyles: readDateStyles(await read("styles")),
    epoch,
  }
  const out = new TextCollector()
  for (const { name, part } of sheets) {
    if (out.isFull) break
    out.add(name)
    out.endLine()
    readSheet((await archive.read(part)) ?? "", workbook, out)
    out.gap()
  }
  return out.finish()
}
