import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository, seen from `apps/docs/dist/src/site`. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../../../../..")
