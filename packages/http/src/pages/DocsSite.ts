/**
 * The files of `/docs`, which `apps/docs` builds: pages, style, scripts and the index of the search. The manifest is read at the
 * first request; a file when it is asked for, because most processes never serve one.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Option, Schema } from "effect"

/** A line of `manifest.json` (apps/docs/src/site/files.ts). */
const Entry = Schema.Struct({
  /** the file in the folder; beside it are its compressed forms, `.br` and `.gz` */
  file: Schema.String,
  type: Schema.String,
  etag: Schema.String,
  /** whether the name changes with the content */
  immutable: Schema.Boolean,
})
export type DocsEntry = typeof Entry.Type

const Manifest = Schema.parseJson(Schema.Record({ key: Schema.String, value: Entry }))

/** A content coding (RFC 9110 §8.4.1) with the ending of its files, best first. */
const codings = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const

/** Whether `Accept-Encoding` takes a coding; `q=0` refuses it. */
const accepts = (header: string, coding: string): boolean =>
  header.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

export interface DocsFile {
  readonly bytes: Uint8Array
  readonly coding: Option.Option<string>
}

/** Opens the site in a folder. */
export const openDocsSite = (folder: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const manifest = yield* files
      .readFileString(join(folder, "manifest.json"))
      .pipe(Effect.flatMap(Schema.decodeUnknown(Manifest)), Effect.orDie)
    return {
      /** The entry of a path below `/docs/`. */
      find: (path: string): Option.Option<DocsEntry> =>
        Object.hasOwn(manifest, path) ? Option.fromNullable(manifest[path]) : Option.none(),
      /** The content of a file, in the best form that the client takes. */
      read: ({ file }: DocsEntry, acceptEncoding: string): Effect.Effect<DocsFile> => {
        const coding = codings.find(({ name }) => accepts(acceptEncoding, name))
        return files.readFile(join(folder, file + (coding?.ending ?? ""))).pipe(
          Effect.map((bytes) => ({ bytes, coding: Option.fromNullable(coding?.name) })),
          Effect.orDie,
        )
      },
    }
  })
