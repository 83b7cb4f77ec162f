/** Relations between the parts of an Office Open XML document (ECMA-376 part 2, §9.3). */
import { posix } from "node:path"
import { readXml } from "./xml.js"
import type { Archive } from "./zip.js"

export interface Relation {
  /** the last part of the URI of its type, such as `slide` */
  readonly type: string
  /** name of the part in the archive */
  readonly target: string
}

/** The relations of a part by their ids. External ones are left out. */
export const relationsOf = async (archive: Archive, part: string): Promise<ReadonlyMap<string, Relation>> => {
  const folder = posix.dirname(part)
  const xml = await archive.read(posix.join(folder, "_rels", `${posix.basename(part)}.rels`))
  const relations = new Map<string, Relation>()
  readXml(xml ?? "", {
    open: (name, attributes) => {
      const [id, target] = [attributes.get("Id"), attributes.get("Target")]
      if (name !== "Relationship" || id === undefined || target === undefined) return
      if (attributes.get("TargetMode") === "External") return
      relations.set(id, {
        type: posix.basename(attributes.get("Type") ?? ""),
        target: target.startsWith("/") ? target.slice(1) : posix.join(folder, target),
      })
    },
  })
  return relations
}

/** The parts of these types that a part refers to, in its order. */
export const relatedParts = async (
  archive: Archive,
  part: string,
  types: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> => {
  const relations = [...(await relationsOf(archive, part)).values()]
  return types.flatMap((type) =>
    relations.filter((relation) => relation.type === type).map(({ target }) => target),
  )
}
