/** Of a test run: one Postgres for all its files, unless `TEST_DATABASE_URL` names one. */
import { startPostgres } from "./server.js"

export default async (): Promise<(() => Promise<void>) | undefined> => {
  if (process.env["TEST_DATABASE_URL"] !== undefined) return undefined
  const server = await startPostgres({ durable: false })
  // The processes that run the tests inherit it.
  process.env["TEST_DATABASE_URL"] = server.url
  return server.stop
}
