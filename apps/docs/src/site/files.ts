/** The files of the built site: named by their content, compressed, and listed for the server. */
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"

export interface SiteFile {
  /** the path below `/docs/` */
  readonly path: string
  readonly type: string
  readonly content: string
  /** whether its name changes with its content, so that browsers keep it for ever */
  readonly immutable: boolean
}

/** A line of `manifest.json`, which the server reads (packages/http/src/pages/DocsSite.ts). */
export interface ManifestEntry {
  readonly file: string
  readonly type: string
  readonly etag: string
  readonly immutable: boolean
}

const digest = (content: string): string => createHash("sha256").update(content).digest("hex").slice(0, 16)

/** A file whose name has the digest of its content. */
export const hashedFile = (name: string, extension: string, type: string, content: string): SiteFile => ({
  path: `assets/${name}-${digest(content)}.${extension}`,
  type,
  content,
  immutable: true,
})

/** Writes the files, compressed, and `manifest.json`. */
export const writeSite = (folder: string, files: ReadonlyArray<SiteFile>): void => {
  const manifest: Record<string, ManifestEntry> = {}
  for (const { path, type, content, immutable } of files) {
    const file = `${immutable ? path : `pages/${path === "" ? "index" : path}.html`}.gz`
    const target = join(folder, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, gzipSync(content, { level: 9 }))
    manifest[path] = { file, type, etag: digest(content), immutable }
  }
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest))
}
