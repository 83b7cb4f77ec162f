/**
 * Reads XML as events. Uses only the tokenizer of htmlparser2, which has no stack and expands no entities but the five of
 * XML and character references: neither a million open elements nor nested entities of a DTD cost more than their bytes.
 */
import { Tokenizer } from "htmlparser2"

/** Values by the name without its prefix. Attributes of an element that has too many are left out. */
export type XmlAttributes = ReadonlyMap<string, string>

export interface XmlReader {
  /** `name` without its prefix. */
  readonly open?: (name: string, attributes: XmlAttributes) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
  /** asked after each element: true stops reading */
  readonly isDone?: () => boolean
}

const ATTRIBUTES_MAX = 100
const NAME_MAX_LENGTH = 100

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

export const readXml = (xml: string, reader: XmlReader): void => {
  let name = ""
  let attributes = new Map<string, string>()
  let attribute = ""
  let value: Array<string> = []
  const nameAt = (start: number, end: number) =>
    localName(xml.slice(start, Math.min(end, start + NAME_MAX_LENGTH)))
  const close = (closed: string) => {
    reader.close?.(closed)
    if (reader.isDone?.() === true) tokenizer.pause()
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      ontext: (start, end) => reader.text?.(xml.slice(start, end)),
      ontextentity: (code) => reader.text?.(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = nameAt(start, end)
        attributes = new Map()
      },
      onattribname: (start, end) => {
        attribute = nameAt(start, end)
        value = []
      },
      onattribdata: (start, end) => value.push(xml.slice(start, end)),
      onattribentity: (code) => value.push(String.fromCodePoint(code)),
      onattribend: () => {
        if (attributes.size < ATTRIBUTES_MAX) attributes.set(attribute, value.join(""))
      },
      onopentagend: () => reader.open?.(name, attributes),
      onselfclosingtag: () => {
        reader.open?.(name, attributes)
        close(name)
      },
      onclosetag: (start, end) => close(nameAt(start, end)),
      oncdata: (start, end, endOffset) => reader.text?.(xml.slice(start, end - endOffset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  )
  tokenizer.write(xml)
  tokenizer.end()
}

/** Counts open elements of some names, to know whether a text is inside one of them. */
export const insideOf = (names: ReadonlySet<string>) => {
  let depth = 0
  return {
    open: (name: string): void => {
      if (names.has(name)) depth += 1
    },
    close: (name: string): void => {
      if (names.has(name) && depth > 0) depth -= 1
    },
    isInside: (): boolean => depth > 0,
  }
}
