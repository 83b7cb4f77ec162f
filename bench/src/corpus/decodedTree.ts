/** The structure beside a message of the mime4j suite: `_decoded.xml`, and a file for the content of each leaf. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface Leaf {
  readonly kind: "text" | "binary"
  readonly file: string
  readonly bytes: Buffer
  readonly contentType: string
  readonly charset: string | null
  readonly disposition: string | null
  readonly encoding: string
  /** inside a message that is attached to this one */
  readonly embedded: boolean
}

interface Frame {
  readonly tag: string
  readonly fields: Map<string, string>
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

const parameter = (value: string, name: string): string | null =>
  new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, "i")
    .exec(value)
    ?.slice(1)
    .find((v) => v !== undefined) ?? null

const token = (value: string | undefined): string | null =>
  value === undefined ? null : value.trim().split(/[\s;]/, 1)[0]?.toLowerCase() || null

const leafOf = (folder: string, kind: Leaf["kind"], file: string, frames: ReadonlyArray<Frame>): Leaf => {
  const fields = frames.at(-1)?.fields ?? new Map<string, string>()
  const type = fields.get("content-type") ?? ""
  return {
    kind,
    file,
    bytes: readFileSync(join(folder, file)),
    contentType: token(type) ?? "text/plain",
    charset: parameter(type, "charset"),
    disposition: token(fields.get("content-disposition")),
    encoding: token(fields.get("content-transfer-encoding")) ?? "7bit",
    embedded: frames.filter(({ tag }) => tag === "message").length > 1,
  }
}

/** The leaves of a message in order; null when nothing is known of it. */
export const decodedLeaves = (messagePath: string): ReadonlyArray<Leaf> | null => {
  const tree = messagePath.replace(/\.msg$/, "_decoded.xml")
  if (tree === messagePath || !existsSync(tree)) return null
  const folder = dirname(messagePath)
  const leaves: Array<Leaf> = []
  const frames: Array<Frame> = []
  const pieces =
    /<(message|body-part)>|<\/(message|body-part)>|<field>([\s\S]*?)<\/field>|<(text|binary)-body name="([^"]+)"\/>/g
  for (const [, opened, closed, field, kind, file] of readFileSync(tree, "latin1").matchAll(pieces)) {
    if (opened !== undefined) frames.push({ tag: opened, fields: new Map() })
    else if (closed !== undefined) frames.pop()
    else if (field !== undefined) {
      const [, name = "", value = ""] = /^([^:]*):([\s\S]*)$/.exec(unescaped(field).trim()) ?? []
      frames.at(-1)?.fields.set(name.trim().toLowerCase(), value)
    } else if (file !== undefined)
      leaves.push(leafOf(folder, kind === "text" ? "text" : "binary", file, frames))
  }
  return leaves
}
