import { defineConfig } from "vitest/config"

const testTimeout = 30_000

const common = {
  exclude: ["**/dist/**", "**/node_modules/**"],
  /**
   * Tests run what was built: `npm test` builds first, and packages resolve to each other's `dist`. Loading that and
   * the libraries takes longer than most tests, so a process loads them once, for all the files that it runs.
   */
  server: { deps: { external: [/\/dist\/src\//] } },
  /** Starts the Postgres that the tests share. */
  globalSetup: ["./packages/test-services/dist/src/postgres/globalSetup.js"],
  testTimeout,
}

export default defineConfig({
  test: {
    pool: "forks",
    // Most tests build a whole service: room for young objects spares a fifth of their time.
    poolOptions: { forks: { isolate: false, execArgv: ["--max-semi-space-size=64"] } },
    projects: [
      { test: { ...common, name: "packages", include: ["packages/*/test/**/*.test.ts"] } },
      { test: { ...common, name: "apps", include: ["apps/*/test/**/*.test.ts"] } },
      {
        test: {
          ...common,
          name: "conformance",
          include: ["conformance/test/*.test.ts"],
          testTimeout: 2 * testTimeout,
          maxConcurrency: 8,
        },
      },
    ],
  },
})
