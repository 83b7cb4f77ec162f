/** The files of a message: kinds in words, and which of them are listed. */
import type { Message } from "@mailroom/client"

const kinds: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/^image\//, "Image"],
  [/^audio\//, "Sound"],
  [/^video\//, "Video"],
  [/^application\/pdf/, "PDF"],
  [/word|opendocument\.text|rtf/, "Document"],
  [/excel|spreadsheet|^text\/csv/, "Table"],
  [/powerpoint|presentation/, "Slides"],
  [/zip|tar|7z|rar|gzip/, "Archive"],
  [/^text\/calendar/, "Invitation"],
  [/^message\//, "Mail"],
  [/^text\/html/, "HTML"],
  [/^text\//, "Text"],
]

/** What a file is, by its MIME type; else the ending of its name. */
export const fileTypeText = (contentType: string, filename: string): string => {
  const known = kinds.find(([pattern]) => pattern.test(contentType.toLowerCase()))
  if (known !== undefined) return known[1]
  const ending = /\.([a-z0-9]{1,8})$/i.exec(filename)?.[1]
  return ending === undefined ? "File" : `${ending.toUpperCase()} file`
}

/** Types whose text the service reads. A file of another type has no button for its text. */
export const mayHaveText = (contentType: string): boolean =>
  !/^(?:image|audio|video|font)\//i.test(contentType)

/** The files of a message without the pictures that its HTML shows. */
export const listedFiles = ({
  attachments,
  bodyHtml,
}: Pick<Message, "attachments" | "bodyHtml">): Message["attachments"] =>
  attachments.filter(
    ({ contentId, contentType }) =>
      contentId === null ||
      !contentType.startsWith("image/") ||
      bodyHtml === null ||
      !(bodyHtml.includes(`cid:${contentId}`) || bodyHtml.includes(`cid:${encodeURIComponent(contentId)}`)),
  )
