/** Databases for single tests. */
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { Client } from "pg"

/** URL of the server that all tests share: `TEST_DATABASE_URL`, set by the test run if it is not set already. */
const serverUrl = (): string => {
  const url = process.env["TEST_DATABASE_URL"]
  if (url === undefined)
    throw new Error("TEST_DATABASE_URL is not set: run the tests with vitest, whose setup sets it")
  return url
}

/** Runs one statement as the owner of the server. */
const execute = (url: string, statement: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  })

/** The URL of a new, empty database. It is dropped when the scope closes, also with open connections. */
export const freshDatabase = (server?: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.suspend(() => {
    const url = server ?? serverUrl()
    const name = `test_${randomUUID().replaceAll("-", "")}`
    const own = new URL(url)
    own.pathname = `/${name}`
    return Effect.as(
      Effect.acquireRelease(execute(url, `CREATE DATABASE ${name} TEMPLATE template0`), () =>
        execute(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      ),
      own.href,
    )
  })
