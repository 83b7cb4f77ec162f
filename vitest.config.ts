import { defineConfig } from "vitest/config"

const exclude = ["**/dist/**", "**/node_modules/**"]
const testTimeout = 30_000

/**
 * Tests run what was built: `npm test` builds first, and packages resolve to each other's `dist`. Loading that and the
 * libraries takes longer than most tests, so a process loads them once, for all the files that it runs.
 */
const server = { deps: { external: [/\/dist\/src\//] } }

export default defineConfig({
  test: {
    pool: "forks",
    poolOptions: { forks: { isolate: false } },
    projects: [
      {
        test: {
          name: "packages",
          include: ["packages/*/test/**/*.test.ts"],
          exclude,
          server,
          testTimeout,
        },
      },
      {
        test: { name: "apps", include: ["apps/*/test/**/*.test.ts"], exclude, server, testTimeout },
      },
      {
        test: {
          name: "conformance",
          include: ["conformance/test/*.test.ts"],
          exclude,
          server,
          testTimeout: 2 * testTimeout,
          maxConcurrency: 8,
        },
      },
    ],
  },
})
