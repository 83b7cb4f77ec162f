/** The `StorageFailure` reason of each database error. */
import { describe, expect, it } from "@effect/vitest"
import { AlreadyTaken } from "@mailroom/domain"
import { storageFailure } from "@mailroom/store-sql"
import { Cause } from "effect"
import { serverProblems } from "../src/StoreUnusable.js"

const failureOf = (code: string) => {
  const driver = Object.assign(new Error("from the driver"), { code })
  return storageFailure(new Error("from the client", { cause: driver }))
}

describe("the reason of a storage failure", () => {
  for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "ENOSPC", "53100"])
    it(`${code}: full`, () => expect(failureOf(code).reason).toBe("full"))

  for (const code of [
    "SQLITE_BUSY",
    "SQLITE_BUSY_SNAPSHOT",
    "SQLITE_LOCKED",
    "SQLITE_IOERR",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_CANTOPEN",
    "08006",
    "25006",
    "40P01",
    "53300",
    "57P01",
    "ECONNREFUSED",
    "ECONNRESET",
  ])
    it(`${code}: unavailable`, () => expect(failureOf(code).reason).toBe("unavailable"))

  for (const code of ["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_ERROR", "SQLITE_CORRUPT", "23505", "42P01"])
    it(`${code}: unexpected`, () => expect(failureOf(code).reason).toBe("unexpected"))

  it("an error without a code: unexpected", () => {
    const cause = new AlreadyTaken({ what: "slug", value: "a" })
    expect(storageFailure(cause)).toMatchObject({ reason: "unexpected", cause })
  })
})

describe("a Postgres that cannot be used", () => {
  const said = (code: string, message: string) => {
    const driver = Object.assign(new Error(message), { code })
    const client = new Error("from the client", { cause: driver })
    return serverProblems("db.example:5432/mailroom").failedToOpen(Cause.fail(client)).message
  }

  it("is told with the driver's words where we have none of our own", () => {
    expect(said("SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in certificate chain")).toBe(
      "The database db.example:5432/mailroom cannot be used: self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN). Correct that, or use another one.",
    )
  })

  it("because it demands TLS says so", () => {
    expect(said("28000", "no pg_hba.conf entry for host, no encryption")).toContain("add ?sslmode=require")
  })
})
