/**
 * The files of `/docs`, which `apps/docs` builds: pages, style, scripts and the index of the search. The manifest is read at the
 * first request; a file when it is asked for, because most processes never serve one.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Effect, Option, Schema } from "effect"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"

/** A line of `manifest.json` (apps/docs/src/site/files.ts). */
const Entry = Schema.Struct({
  /** the file in the folder, compressed by gzip */
  file: Schema.String,
  type: Schema.String,
  etag: Schema.String,
  /** whether the name changes with the content */
  immutable: Schema.Boolean,
})
export type DocsEntry = typeof Entry.Type

const Manifest = Schema.parseJson(Schema.Record({ key: Schema.String, value: Entry }))

const inflated = promisify(gunzip)

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
      /** The content of a file, compressed or not. */
      read: ({ file }: DocsEntry, compressed: boolean): Effect.Effect<Uint8Array> => {
        const bytes = Effect.orDie(files.readFile(join(folder, file)))
        return compressed ? bytes : Effect.flatMap(bytes, (packed) => Effect.promise(() => inflated(packed)))
      },
    }
  })
