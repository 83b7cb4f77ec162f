/**
 * Runs before each test file. `layer` of @effect/vitest puts its testers on the very `it` that all files of a process
 * share: each file starts with the plain ones.
 */
import { it, makeMethods } from "@effect/vitest"

makeMethods(it)
