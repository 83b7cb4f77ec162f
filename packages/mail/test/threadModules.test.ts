/** Threads start often: for the first mail, and after each crash. What they load at their start decides how long that takes. */
import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

/** What the files import statically, of our packages with all that they import in turn. */
const importedBy = (entry: URL): ReadonlySet<string> => {
  const imported = new Set<string>()
  const walk = (file: URL): void => {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export) [^;]*?from "([^"]+)";$/gm,
    )) {
      const found = name.startsWith(".")
        ? new URL(name, file).href
        : name.startsWith("@mailroom/")
          ? pathToFileURL(createRequire(file).resolve(name)).href
          : name
      if (imported.has(found)) continue
      imported.add(found)
      if (found.startsWith("file:")) walk(new URL(found))
    }
  }
  walk(entry)
  return imported
}

for (const thread of ["parsing/worker", "documents/documentWorker", "signatures/signatureWorker"])
  it(`the thread ${thread} loads none of the 360 modules of effect`, () => {
    const imported = importedBy(new URL(`../dist/src/${thread}.js`, import.meta.url))
    expect([...imported].some((name) => name.startsWith("file:"))).toBe(true)
    expect([...imported].filter((name) => /^(?:effect|@effect)\b/.test(name))).toEqual([])
  })
