import { defineConfig } from "vitest/config"
import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The conformance suite is a few small files that run for a minute: begun last, they would keep one process waiting. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes("/conformance/")
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  // Generators of clients are programs on TypeScript 5, and npm gives them ours, which has no such interface.
  resolve: {
    alias: { typescript: join(import.meta.dirname, "packages/generated-clients/node_modules/typescript") },
  },
  test: {
    // One project: between two of them every process is started, and warmed up, again.
    include: ["{packages,apps}/*/test/**/*.test.ts", "conformance/test/*.test.ts"],
    exclude: ["**/dist/**", "**/node_modules/**"],
    pool: "forks",
    poolOptions: {
      forks: {
        isolate: false,
        // Most tests build a whole service: room for young objects spares a fifth of their time.
        execArgv: ["--max-semi-space-size=64"],
      },
    },
    /**
     * Tests run what was built: `npm test` builds first, and packages resolve to each other's `dist`. Loading that and
     * the libraries takes longer than most tests, so a process loads them once, for all the files that it runs.
     */
    server: { deps: { external: [/\/dist\/src\//], inline: [/@hey-api/] } },
    /** Starts the Postgres that the tests share. */
    globalSetup: ["./packages/test-services/dist/src/postgres/globalSetup.js"],
    setupFiles: ["./vitest.setup.ts"],
    sequence: { sequencer: LongFilesFirst },
    /** Each mail has a line in the log, and live tests have thousands of mails: what is printed is worth a look. */
    onConsoleLog: (text) => !/^timestamp=\S+ level=(?:INFO|DEBUG) /.test(text),
    /** Tests of a file that wait for sockets do so together. */
    maxConcurrency: 8,
    // They end what hangs, and nothing that is slow: a test of a page that takes 23 s alone took 98 s beside two others.
    testTimeout: 300_000,
    // Tests of sockets and of processes depend on real time: CI runs a failed test once more, and says so.
    retry: process.env["CI"] === undefined ? 0 : 1,
    hookTimeout: 300_000,
    // What a test asks for again and again comes, or never does: a second, the default, is short for a busy browser.
    expect: { poll: { timeout: 30_000 } },
  },
})
