/** Mails as an agent gets them: every other one plain text, the rest text and HTML. */

const SERIAL_DIGITS = 10

const sentences = [
  "Your order has left our warehouse and should arrive within two working days.",
  "You can follow the parcel on its way with the number at the end of this message.",
  "If nobody is at home, the driver leaves a card with the address of the nearest shop.",
  "Please have a look at the attached conditions before you return anything.",
  "Questions about the invoice are answered by our accounting department at any time.",
]

/** Lines of text, `bytes` of them at least. */
const prose = (bytes: number): string => {
  const lines: Array<string> = []
  for (let size = 0, n = 0; size < bytes; n++) {
    const line = sentences[n % sentences.length] ?? ""
    lines.push(line)
    size += line.length + 2
  }
  return lines.join("\r\n")
}

const serialPlace = "#".repeat(SERIAL_DIGITS)

const header = (run: string, recipient: string, content: ReadonlyArray<string>): ReadonlyArray<string> => [
  "Received: from shop.sender.example (shop.sender.example [192.0.2.7])",
  "\tby mx.sender.example with ESMTPS id 4Zk2Qd6x; Mon, 02 Mar 2026 09:30:00 +0000",
  'From: "The Shop" <orders@sender.example>',
  `To: <${recipient}>`,
  `Subject: Your order ${serialPlace} is on its way`,
  `Message-ID: <${run}.${serialPlace}@sender.example>`,
  "Date: Mon, 02 Mar 2026 09:30:00 +0000",
  "MIME-Version: 1.0",
  "X-Mailer: Shop 4.2",
  ...content,
]

const plain = (run: string, recipient: string, bytes: number): string =>
  [
    ...header(run, recipient, ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit"]),
    "",
    prose(bytes),
    "",
  ].join("\r\n")

const alternative = (run: string, recipient: string, bytes: number): string =>
  [
    ...header(run, recipient, ['Content-Type: multipart/alternative; boundary="=_shop_part"']),
    "",
    "--=_shop_part",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 7bit",
    "",
    prose(bytes / 3),
    "--=_shop_part",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: 7bit",
    "",
    `<html><body><p>${prose((bytes * 2) / 3).replaceAll("\r\n", "</p>\r\n<p>")}</p></body></html>`,
    "--=_shop_part--",
    "",
  ].join("\r\n")

/** Above this size a mail is a short text with a file. */
const WITH_FILE_ABOVE = 32 * 1024

const FILE_LINE = `${"QmVuY2htYXJrIGZpbGUgbGluZSwgYXMgYmFzZTY0LCBvZiA3NiBjaGFyYWN0ZXJzIGluIGFsbCEh".padEnd(76, "A")}\r\n`

const withFile = (run: string, recipient: string, bytes: number): string => {
  const start = [
    ...header(run, recipient, ['Content-Type: multipart/mixed; boundary="=_shop_part"']),
    "",
    "--=_shop_part",
    "Content-Type: text/plain; charset=utf-8",
    "",
    prose(500),
    "--=_shop_part",
    "Content-Type: application/pdf; name=invoice.pdf",
    "Content-Disposition: attachment; filename=invoice.pdf",
    "Content-Transfer-Encoding: base64",
    "",
    "",
  ].join("\r\n")
  return `${start}${FILE_LINE.repeat(Math.ceil((bytes - start.length) / FILE_LINE.length))}--=_shop_part--\r\n`
}

/** As many sentences as fit, then filled up to its size with a header field. */
const sized = (size: number, make: (bytes: number) => string): string => {
  let bytes = size
  while (bytes > 0 && make(bytes).length > size - 16) bytes -= 50
  const mail = make(bytes)
  const filler = `X-Filler: ${"x".repeat(Math.max(0, size - mail.length - 12))}\r\n`
  return mail.replace("X-Mailer", `${filler}X-Mailer`)
}

/** Writes mail number `serial` and returns it. The bytes are valid until the next call. */
export type MailPress = (serial: number) => Uint8Array

/**
 * Mails of `size` bytes (the final dot left out) to one recipient, with Message-IDs of their own; `run` tells the
 * mails of one run from those of another. The least size is about 1 kB.
 */
export const mailPress = (run: string, recipient: string, size: number): MailPress => {
  const texts =
    size > WITH_FILE_ABOVE
      ? [withFile(run, recipient, size)]
      : [plain, alternative].map((form) => sized(size, (bytes) => form(run, recipient, bytes)))
  const forms = texts.map((mail) => {
    const text = `${mail}.\r\n`
    const places = [...text.matchAll(new RegExp(serialPlace, "g"))].map(({ index }) => index)
    return { bytes: Buffer.from(text, "latin1"), places }
  })
  return (serial) => {
    const form = forms[serial % forms.length]
    if (form === undefined) return new Uint8Array()
    const digits = String(serial).padStart(SERIAL_DIGITS, "0")
    for (const place of form.places) form.bytes.write(digits, place, "latin1")
    return form.bytes
  }
}
