/** What differs between a message as it was sent and as the service shows it. */
import { type Leaf, decodedLeaves } from "./decodedTree.js"
import { decoded, encodedWords, expectedField, squeezed } from "./encodedText.js"
import type { SourceMessage } from "./messages.js"
import type { ReadAttachment, ReadMessage } from "./readBack.js"

/** Content that is sent as it is has its line ends changed on the way, by us. */
const sameBytes = (leaf: Leaf, bytes: Buffer): boolean =>
  bytes.equals(leaf.bytes) ||
  (/^(?:7bit|8bit|binary|quoted-printable)$/.test(leaf.encoding) &&
    unixLines(bytes).equals(unixLines(leaf.bytes)))

const unixLines = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n").trimEnd(), "latin1")

/** A text that is read as part of the message, not as a file. */
const isBody = (leaf: Leaf): boolean =>
  /^text\/(?:plain|html)$/.test(leaf.contentType) && leaf.disposition !== "attachment"

const textOf = (leaf: Leaf): string | null => {
  const text = decoded(leaf.bytes, leaf.charset ?? "utf-8") ?? decoded(leaf.bytes, "windows-1252")
  return text === null ? null : squeezed(text)
}

const missingText = (leaf: Leaf, read: ReadMessage): ReadonlyArray<string> => {
  const text = textOf(leaf)
  if (text === null || text === "") return []
  const bodies = [read.bodyText, read.bodyHtml].map((body) => squeezed(body ?? ""))
  return bodies.some((body) => body.includes(text)) ? [] : [`text of ${leaf.file} is not in the body`]
}

/** An attached message is shown as one file, its source: as it stands in the mail, or encoded there. */
const isAttachedMessage = (source: SourceMessage, { contentType, bytes }: ReadAttachment): boolean =>
  contentType.startsWith("message/") &&
  (source.bytes.includes(bytes) ||
    source.bytes
      .toString("latin1")
      .replace(/\s/g, "")
      .includes(bytes.toString("base64").replace(/=+$/, "").slice(0, -1)))

/** Files are matched by their bytes; what is left over on either side differs. */
const attachmentDifferences = (source: SourceMessage, read: ReadMessage): ReadonlyArray<string> => {
  const leaves = decodedLeaves(source.path)
  if (leaves === null) return []
  const outer = leaves.filter((leaf) => !leaf.embedded)
  const left = [...read.attachments]
  const take = (matches: (attachment: ReadAttachment) => boolean): boolean => {
    const at = left.findIndex(matches)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  const differences = outer.flatMap((leaf) => {
    if (take(({ bytes }) => sameBytes(leaf, bytes))) return []
    if (isBody(leaf)) return missingText(leaf, read)
    return leaf.bytes.length === 0 ? [] : [`no attachment has the ${leaf.bytes.length} bytes of ${leaf.file}`]
  })
  if (leaves.length > outer.length) while (take((attachment) => isAttachedMessage(source, attachment)));
  return [
    ...differences,
    ...left.map(
      ({ filename, contentType, bytes }) =>
        `attachment without counterpart: ${filename} (${contentType}, ${bytes.length})`,
    ),
  ]
}

const subjectDifferences = (source: SourceMessage, read: ReadMessage): ReadonlyArray<string> => {
  const expected = expectedField(source.bytes, "subject")
  return expected === null || expected === squeezed(read.subject)
    ? []
    : [`subject is ${JSON.stringify(read.subject)}, not ${JSON.stringify(expected)}`]
}

const REPLACEMENT = "\ufffd"

/** Replacement characters, unless the sender wrote them; encoded words where they were to be decoded. */
const undecoded = (source: SourceMessage, read: ReadMessage): ReadonlyArray<string> => {
  const headers: ReadonlyArray<readonly [string, string | null]> = [
    ["subject", read.subject],
    ["from", read.fromAddress],
    ["from name", read.fromName],
    ...["from", "to", "cc", "reply-to"].map(
      (name) => [`header ${name}`, [read.headers[name] ?? ""].flat().join(", ")] as const,
    ),
    ...read.attachments.map(({ filename }) => ["file name", filename] as const),
  ]
  const bodies = [
    ["body text", read.bodyText],
    ["body HTML", read.bodyHtml],
  ] as const
  const written = source.bytes.includes(REPLACEMENT)
  return [
    ...headers.flatMap(([what, text]) => encodedWords(text ?? "").map((word) => `${word} in ${what}`)),
    ...[...headers, ...bodies].flatMap(([what, text]) =>
      !written && text?.includes(REPLACEMENT) === true ? [`replacement character in ${what}`] : [],
    ),
  ]
}

export const differencesOf = (source: SourceMessage, read: ReadMessage): ReadonlyArray<string> => [
  ...new Set([
    ...subjectDifferences(source, read),
    ...undecoded(source, read),
    ...read.attachments
      .filter(({ bytes, sizeBytes }) => bytes.length !== sizeBytes)
      .map(({ filename }) => `${filename} has another size than it says`),
    ...attachmentDifferences(source, read),
  ]),
]
