import { defineWorkspace } from "vitest/config"

const exclude = ["**/dist/**", "**/node_modules/**"]
const testTimeout = 30_000

/** Every test builds a service and drops it: with room for the young, most of it never has to be copied. */
const execArgv = ["--max-semi-space-size=64"]

/**
 * Tests run what was built: `npm test` builds first, and packages resolve to each other's `dist`. Loading the
 * libraries takes longer than most tests, so files share a process where nothing they touch is global.
 */
export default defineWorkspace([
  {
    test: {
      name: "shared",
      include: ["packages/*/test/**/*.test.ts"],
      exclude,
      testTimeout,
      pool: "forks",
      poolOptions: { forks: { isolate: false, execArgv } },
    },
  },
  {
    test: {
      name: "apart",
      include: ["apps/*/test/**/*.test.ts"],
      exclude,
      testTimeout,
      pool: "forks",
    },
  },
  {
    test: {
      name: "conformance",
      include: ["conformance/test/*.test.ts"],
      exclude,
      testTimeout: 2 * testTimeout,
      pool: "forks",
      maxConcurrency: 8,
    },
  },
])
