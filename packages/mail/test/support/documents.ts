/** Files for tests: written by the libraries that people write such files with, and hostile ones. */
import { Document as WordDocument, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from "docx"
import { strToU8, zipSync } from "fflate"
import Pdf from "pdfkit"
import type PptxGenJSModule from "pptxgenjs"
import { createRequire } from "node:module"
import writeWorkbook from "write-excel-file/node"

/** Its types are those of a module with a default export, which it has not. */
const PptxGenJS: typeof PptxGenJSModule.default = createRequire(import.meta.url)("pptxgenjs")

/** A PDF with a text on each page; with a password if one is given. */
export const pdf = (pages: ReadonlyArray<string>, userPassword?: string): Promise<Uint8Array> =>
  new Promise((resolve) => {
    const document = new Pdf({
      autoFirstPage: false,
      ...(userPassword !== undefined && { userPassword, pdfVersion: "1.7" }),
    })
    const chunks: Array<Buffer> = []
    document.on("data", (chunk: Buffer) => chunks.push(chunk))
    document.on("end", () => resolve(Buffer.concat(chunks)))
    for (const page of pages) document.addPage().text(page)
    document.end()
  })

/** A PDF made of these objects, the first of which is the catalog. */
export const pdfOf = (objects: ReadonlyArray<string>): Uint8Array => {
  const parts = ["%PDF-1.4\n"]
  const offsets: Array<number> = []
  let length = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    offsets.push(length)
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`
    parts.push(part)
    length += part.length
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`)
  parts.push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`)
  return Buffer.from(parts.join(""), "latin1")
}

/** A PDF that shows a content stream, given as it is in the file with the entries of its dictionary. */
export const pdfWithContent = (content: string, entries = "", font = helvetica): Uint8Array =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`,
    ...font,
  ])

const helvetica = ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]

/** A font in a Japanese encoding that a reader has to know. */
export const shiftJisFont = [
  "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>",
  "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 7 0 R >>",
  "<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
]

/** A PDF of so many empty pages. */
export const pdfOfPages = (count: number): Uint8Array => {
  const pages = Array.from({ length: count }, () => "<< /Type /Page /Parent 2 0 R >>")
  const kids = pages.map((_, index) => `${index + 3} 0 R`).join(" ")
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /MediaBox [0 0 9 9] /Kids [${kids}] /Count ${count} >>`,
    ...pages,
  ])
}

export const word = (): Promise<Uint8Array> => {
  const cell = (text: string) => new TableCell({ children: [new Paragraph(text)] })
  const document = new WordDocument({
    sections: [
      {
        children: [
          new Paragraph({
            children: [new TextRun("Dear Ada,"), new TextRun({ text: " hello", bold: true })],
          }),
          new Paragraph("Zweiter Absatz: Äpfel & Birnen <3"),
          new Table({ rows: [new TableRow({ children: [cell("Item"), cell("Price")] })] }),
        ],
      },
    ],
  })
  return Packer.toBuffer(document)
}

export const workbook = async (): Promise<Uint8Array> =>
  writeWorkbook(
    [
      [{ value: "Item" }, { value: "Due" }, { value: "Paid" }, { value: "Price" }],
      [
        { value: "Apples" },
        { value: new Date(Date.UTC(2026, 2, 10)), format: "yyyy-mm-dd" },
        { value: true },
        { value: 12.5 },
      ],
    ],
    { sheet: "Invoices" },
  ).toBuffer()

/** A workbook of one cell. */
export const workbookOf = (value: string) => async (): Promise<Uint8Array> =>
  writeWorkbook([[{ value }]], { sheet: "Cell" }).toBuffer()

export const presentation = async (): Promise<Uint8Array> => {
  const slides = new PptxGenJS()
  const first = slides.addSlide()
  first.addText("Quarterly results", { x: 1, y: 1 })
  first.addNotes("Say hello first")
  slides.addSlide().addText("Second slide", { x: 1, y: 1 })
  const written = await slides.write({ outputType: "uint8array" })
  if (!(written instanceof Uint8Array)) throw new Error("not written as bytes")
  return written
}

/** A ZIP archive. */
export const zip = (files: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === "string" ? strToU8(content) : content,
      ]),
    ),
  )

const manifest = (entry = "") =>
  `<manifest:manifest xmlns:manifest="urn:m"><manifest:file-entry manifest:full-path="content.xml">${entry}</manifest:file-entry></manifest:manifest>`

export const openDocument = (
  type: "text" | "spreadsheet" | "presentation",
  body: string,
  entry?: string,
): Uint8Array =>
  zip({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    "content.xml": `<?xml version="1.0"?><office:document-content><office:automatic-styles><style:p>no</style:p></office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    "META-INF/manifest.xml": manifest(entry),
  })

/** A docx whose body is this XML. */
export const wordOf = (xml: string | Uint8Array): Uint8Array =>
  zip({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels":
      '<Relationships><Relationship Id="r1" Type="http://schemas/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/document.xml": xml,
  })

/** An xlsx with one sheet of this XML, whose cells may show one shared string. */
export const sheetOf = (xml: string, shared: string): Uint8Array =>
  zip({
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels":
      '<Relationships><Relationship Id="r1" Type="http://schemas/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook><sheets><sheet name="One" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="r1" Type="http://schemas/worksheet" Target="sheet.xml"/><Relationship Id="r2" Type="http://schemas/sharedStrings" Target="strings.xml"/></Relationships>',
    "xl/sheet.xml": `<worksheet><sheetData>${xml}</sheetData></worksheet>`,
    "xl/strings.xml": `<sst><si><t>${shared}</t></si></sst>`,
  })
