/** The text of an HTML body, line by line, as far as reports need it: linear, without a parser. */

const HTML_MAX_LENGTH = 256 * 1024

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#39": "'",
  "#64": "@",
  "#160": " ",
}

export const htmlLines = (html: string): string =>
  html
    .slice(0, HTML_MAX_LENGTH)
    .replace(/[\r\n\t ]+/g, " ")
    .replace(/<(?:br|\/?p|\/?div|\/?tr|\/?li|\/?h[1-6])\b[^<>]*>/gi, "\n")
    .replace(/<[a-z/!][^<>]*>/gi, "")
    .replace(/&(#?[a-z0-9]{2,6});/gi, (all, name: string) => entities[name.toLowerCase()] ?? all)
    .replace(/^ +/gm, "")
