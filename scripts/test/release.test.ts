/** What `npm run release` needs of the packages. */
import { expect, it } from "vitest"
import { readManifest, workspaces } from "../packages.mjs"

it("packages name each other in any version, because npm looks in the registry for one that the next release does not have", () => {
  const manifests = workspaces().map((folder) => readManifest(folder))
  const names = new Set(manifests.map(({ name }) => name))
  const pinned = manifests.flatMap(({ name, dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies })
      .filter(([dependency, range]) => names.has(dependency) && range !== "*")
      .map(([dependency, range]) => `${name}: ${dependency}@${range}`),
  )
  expect(pinned).toEqual([])
})
