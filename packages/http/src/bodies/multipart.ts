/**
 * Reads multipart forms (RFC 7578). It bounds parts, headers and fields while they come in, and writes files to disk chunk
 * by chunk. The library's parser does neither: 100,000 parts block the process for seconds. It also loses files whose
 * names are not Latin.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import { type PersistedFile, TypeId } from "@effect/platform/Multipart"
import * as Path from "@effect/platform/Path"
import { InvalidInput } from "@mailroom/domain"
import { Effect, Option } from "effect"
import { isUtf8 } from "node:buffer"
import { PART_HEADERS_MAX_BYTES } from "./limits.js"
import { type PartHeaders, readPartHeaders } from "./partHeaders.js"

const malformed = (message: string) => new InvalidInput({ issues: [{ path: "", message }] })

const noBoundary = malformed("the form names no boundary")
const noEnd = malformed("the form has no end")
const badHeaders = malformed("the headers of a part are malformed")
const longHeaders = malformed(`the headers of a part have more than ${PART_HEADERS_MAX_BYTES} bytes`)

const LINE_END = Buffer.from("\r\n")
const HEADERS_END = Buffer.from("\r\n\r\n")

const boundaryOf = (contentType: string): Option.Option<string> => {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? []
  return Option.fromNullable(quoted ?? plain)
}

type Pull<E> = Effect.Effect<Uint8Array | null, E>

/** Searches a body for marks. It holds a chunk and the length of a mark, not more. */
const makeReader = <E>(next: Pull<E>) => {
  // The first boundary may stand at the very beginning, without the line end that belongs to every other.
  let pending: Buffer = LINE_END
  const fill = Effect.flatMap(next, (chunk) => {
    if (chunk === null) return Effect.fail(noEnd)
    pending = Buffer.concat([pending, chunk])
    return Effect.void
  })
  /** Passes the bytes before `mark` to `take`, and continues after it. */
  const until = <F>(mark: Buffer, take: (bytes: Buffer) => Effect.Effect<void, F>) =>
    Effect.gen(function* () {
      for (;;) {
        const at = pending.indexOf(mark)
        const passed = at === -1 ? Math.max(0, pending.length - mark.length + 1) : at
        const bytes = pending.subarray(0, passed)
        pending = pending.subarray(at === -1 ? passed : passed + mark.length)
        if (bytes.length > 0) yield* take(bytes)
        if (at !== -1) return
        yield* fill
      }
    })
  /** The next bytes, which stay unread. */
  const ahead = (count: number) =>
    Effect.gen(function* () {
      while (pending.length < count) yield* fill
      return pending.subarray(0, count)
    })
  return { until, ahead }
}

/** Collects up to `max` bytes, and fails with `refusal` for more. */
const keeping = (max: number, refusal: InvalidInput) => {
  const chunks: Array<Buffer> = []
  let length = 0
  return {
    take: (bytes: Buffer) => {
      length += bytes.length
      chunks.push(bytes)
      return length > max ? Effect.fail(refusal) : Effect.void
    },
    bytes: () => Buffer.concat(chunks),
  }
}

/** Decodes UTF-8, or else Latin-1, in which older clients write file names (RFC 7578 §5.1.2). */
const headerText = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1")

/** The members of a `PersistedFile` that the contract's schemas read. */
type FileValue = Pick<PersistedFile, typeof TypeId | "_tag" | "key" | "name" | "contentType" | "path">

/** A file as the contract's schemas know it. Its name is empty when the client gave none. */
export const persistedFile = ({ name, filename, contentType }: PartHeaders, path: string): FileValue => ({
  [TypeId]: TypeId,
  _tag: "PersistedFile",
  key: name,
  name: filename ?? "",
  contentType: contentType ?? "application/octet-stream",
  path,
})

/** Most files of a form. No route takes more than 20; each costs a file on disk before the form can be decoded. */
const FILES_MAX = 100

export interface FormShape {
  /** most parts that the form may have */
  readonly maxParts: number
  /** most bytes of a field that is no file */
  readonly maxFieldBytes: number
  /** names of the fields that take files: a part with a Content-Type is a file there even without a file name */
  readonly fileFields: ReadonlySet<string>
}

/**
 * Reads the fields of a form: text, and files in a temporary folder that is removed with the scope. A name that occurs
 * more than once, and each name with a file, gets a list. `next` pulls the body. Fails with `InvalidInput` when the body is
 * not a form, or has too many parts or files.
 */
export const readMultipart = <E>(
  contentType: string,
  next: Pull<E>,
  { maxParts, maxFieldBytes, fileFields }: FormShape,
) =>
  Effect.gen(function* () {
    const boundary = yield* Effect.orElseFail(boundaryOf(contentType), () => noBoundary)
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const folder = yield* Effect.orDie(files.makeTempDirectoryScoped())
    const delimiter = Buffer.from(`\r\n--${boundary}`)
    const { until, ahead } = makeReader(next)
    const fields = new Map<string, Array<string | FileValue>>()
    let fileCount = 0

    const headersOfPart = Effect.gen(function* () {
      const headers = keeping(PART_HEADERS_MAX_BYTES, longHeaders)
      yield* until(HEADERS_END, headers.take)
      return yield* Effect.orElseFail(readPartHeaders(headerText(headers.bytes())), () => badHeaders)
    })

    const isFile = ({ name, filename, contentType }: PartHeaders): boolean =>
      filename !== null || (contentType !== null && fileFields.has(name))

    /** Writes a part to `path`, and returns its bytes. */
    const readFile = (path: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          const file = yield* Effect.orDie(files.open(path, { flag: "w" }))
          let size = 0
          yield* until(delimiter, (bytes) => {
            size += bytes.length
            return Effect.orDie(file.writeAll(bytes))
          })
          return size
        }),
      )

    const readField = (name: string) =>
      Effect.gen(function* () {
        const refusal = new InvalidInput({
          issues: [{ path: name.slice(0, 64), message: `must have at most ${maxFieldBytes} bytes` }],
        })
        const field = keeping(maxFieldBytes, refusal)
        yield* until(delimiter, field.take)
        return field.bytes().toString("utf8")
      })

    yield* until(delimiter, () => Effect.void)
    for (let part = 1; (yield* ahead(2)).toString("latin1") !== "--"; part++) {
      if (part > maxParts) return yield* malformed(`the form has more than ${maxParts} parts`)
      const headers = yield* headersOfPart
      const values = fields.get(headers.name) ?? []
      const add = (value: string | FileValue) => {
        values.push(value)
        fields.set(headers.name, values)
      }
      if (!isFile(headers)) {
        add(yield* readField(headers.name))
        continue
      }
      if (++fileCount > FILES_MAX) return yield* malformed(`the form has more than ${FILES_MAX} files`)
      const path = join(folder, String(part))
      const size = yield* readFile(path)
      // A browser sends an empty file with an empty name where nobody picked a file.
      if (headers.filename !== "" || size > 0) add(persistedFile(headers, path))
    }
    return Object.fromEntries(
      [...fields].map(([name, values]) => [
        name,
        values.length === 1 && typeof values[0] === "string" ? values[0] : values,
      ]),
    )
  })
