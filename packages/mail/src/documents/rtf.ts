/** The text of RTF documents (Rich Text Format 1.9.1). */
import { decodeBytes } from "../parsing/charsets.js"
import { type Collected, TextCollector } from "./collect.js"

/** Groups that are not part of the text. Groups that begin with `\*` are skipped too, when they are unknown. */
const hidden = new Set(
  (
    "fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf " +
    "themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator xmlnstbl " +
    "fldinst filetbl revtbl mmathPr nonshppict"
  ).split(" "),
)

/** Characters that a control word stands for. */
const characters: Readonly<Record<string, string>> = {
  tab: "\t",
  cell: "\t",
  emdash: "\u2014",
  endash: "\u2013",
  bullet: "\u2022",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  "~": "\u00a0",
  _: "\u2011",
  "{": "{",
  "}": "}",
  "\\": "\\",
}
const breaks = new Set(["par", "line", "row", "sect", "page", "\n", "\r"])

interface Group {
  readonly isHidden: boolean
  /** bytes that follow a `\u` for readers without Unicode */
  readonly fallback: number
}

/** Open groups; deeper ones count as part of the deepest. */
const DEPTH_MAX = 1_000

/** `\word-12 `, `\'hex`, `\symbol`, a brace, or plain text. */
const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^])|([{}])|[\r\n]+|([^\\{}\r\n]+)/giy

export const readRtf = (bytes: Uint8Array): Collected => {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  const out = new TextCollector()
  const groups: Array<Group> = []
  let group: Group = { isHidden: false, fallback: 1 }
  let tooDeep = 0
  let codePage = "windows-1252"
  /** bytes of the document's code page that are not decoded yet */
  let pending = ""
  /** characters to skip after a `\u` */
  let skipped = 0

  const flush = (): void => {
    if (pending !== "") out.add(decodeBytes(Buffer.from(pending, "latin1"), codePage))
    pending = ""
  }
  const addBytes = (text: string): void => {
    const rest = text.slice(Math.min(skipped, text.length))
    skipped -= text.length - rest.length
    if (!group.isHidden) pending += rest
  }
  const addText = (text: string): void => {
    if (group.isHidden) return
    flush()
    out.add(text)
  }
  const open = (): void => {
    if (groups.length < DEPTH_MAX) groups.push(group)
    else tooDeep += 1
  }
  const close = (): void => {
    flush()
    skipped = 0
    if (tooDeep > 0) tooDeep -= 1
    else group = groups.pop() ?? group
  }
  /** Returns how many bytes of binary data follow. */
  const control = (word: string, argument: number | null): number => {
    if (hidden.has(word) || word === "*") group = { ...group, isHidden: true }
    else if (word === "bin") return Math.max(0, argument ?? 0)
    else if (word === "ansicpg" && argument !== null) codePage = `windows-${argument}`
    else if (word === "uc") group = { ...group, fallback: Math.max(0, argument ?? 1) }
    else if (word === "u" && argument !== null) {
      addText(String.fromCharCode(argument & 0xffff))
      skipped = group.fallback
    } else if (breaks.has(word) && !group.isHidden) {
      flush()
      out.endLine()
    } else if (characters[word] !== undefined) addText(characters[word])
    return 0
  }

  token.lastIndex = 0
  for (let found = token.exec(rtf); found !== null && !out.isFull; found = token.exec(rtf)) {
    const [, word, argument, hex, symbol, brace, text] = found
    if (word !== undefined) token.lastIndex += control(word, argument === undefined ? null : Number(argument))
    else if (hex !== undefined) addBytes(String.fromCharCode(Number.parseInt(hex, 16)))
    else if (symbol !== undefined) control(symbol, null)
    else if (brace === "{") open()
    else if (brace === "}") close()
    else if (text !== undefined) addBytes(text)
  }
  flush()
  return out.finish()
}
