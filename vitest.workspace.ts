import { defineWorkspace } from "vitest/config"

const exclude = ["**/dist/**", "**/node_modules/**"]
const testTimeout = 30_000

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
      poolOptions: { forks: { isolate: false } },
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
