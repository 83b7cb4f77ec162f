/** The version of the package. */
import { createRequire } from "node:module"

const { version }: { readonly version: string } = createRequire(import.meta.url)("@mailroom/cli/package.json")

export const VERSION = version
