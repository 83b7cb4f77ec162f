/**
 * Runs before each test file. `layer` of @effect/vitest puts its testers on the very `it` that all files of a process
 * share: each file starts with the plain ones.
 */
import { it, makeMethods } from "@effect/vitest"
import { afterEach } from "vitest"

makeMethods(it)

/**
 * Tests in memory follow each other without a turn of the event loop, for a minute on a slow machine. The replies of vitest's main
 * process would wait that long, and it ends the run when one is a minute late.
 */
afterEach(() => new Promise((resolve) => setImmediate(resolve)))
