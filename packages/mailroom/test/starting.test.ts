/** What keeps an embedded Mailroom from starting, and what it says then. */
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { createMailroom, Mailroom } from "mailroom"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ADDRESS = "agent@mailroom.localhost"

describe("the start of an embedded Mailroom", () => {
  it("names options that are unknown or wrong, and does not repeat their values", async () => {
    for (const [options, message] of [
      [{ foldr: "data" }, "`foldr` is not known here. Did you mean folder?"],
      [{ receive: { prt: 25 } }, "`receive.prt` is not known here. Did you mean port?"],
      [{ receive: true }, "`receive` must be false or { host, port, tls }"],
      [{ receive: { port: 65_536 } }, "`receive.port` must be from 0 to 65535"],
      [{ domain: 7, sendsPerMinute: 0 }, "`domain` must be a string; `sendsPerMinute` must be 1 or more"],
      [{ folder: "unused", secretKey: ["hunter2"] }, "`secretKey` must be a string or a Redacted"],
      [{ database: { url: "hunter2" } }, "`database` must be a string or a Redacted"],
      [{ secretKey: "" }, "`secretKey` must have at least 32 characters"],
      [{ secretKey: Redacted.make("hunter2") }, "`secretKey` must have at least 32 characters"],
      [{ folder: "" }, "`folder` must name a folder. Leave it out to keep all mail in memory"],
    ] as const) {
      const unknown: object = options
      await expect(createMailroom(unknown)).rejects.toMatchObject({ _tag: "OptionsInvalid", message })
    }
  })

  it("refuses an empty variable for the folder, without which all mail would be in memory", async () => {
    const variables = ConfigProvider.fromMap(new Map([["MAILROOM_FOLDER", ""]]), { pathDelim: "_" })
    const start = Layer.build(Layer.provide(Mailroom.layerConfig, Layer.setConfigProvider(variables)))
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(start)))
    expect(error).toMatchObject({
      path: ["MAILROOM", "FOLDER"],
      message: "must name a folder. Leave it out to keep all mail in memory",
    })
  })

  it("does not start with a database and no folder, whose files would be gone at the end", async () => {
    const database = "postgres://me:secret@127.0.0.1:1/mail"
    const started = createMailroom({ database, secretKey: "k".repeat(32), receive: false })
    await expect(started).rejects.toMatchObject({
      _tag: "FolderMissing",
      message: expect.stringMatching(/^`database` needs a `folder` too[^\n]+$/),
    })
  })

  it("does not start with an address that is none of Postgres, and does not repeat it", async () => {
    for (const database of ["postgres://me:pa/ss@127.0.0.1:1/mail", "mysql://me:pass@127.0.0.1/mail"]) {
      const started = createMailroom({ database, folder: "unused", receive: false })
      await expect(started).rejects.toMatchObject({
        _tag: "DatabaseUrlInvalid",
        message: expect.not.stringMatching(/me:pa/),
      })
    }
  })

  it("does not start with an address that is none of a relay, says what is accepted, and does not repeat it", async () => {
    for (const relay of ["smtp.x.org:587", "smtp://me:pa/ss@x.org:587"])
      await expect(createMailroom({ relay, receive: false })).rejects.toMatchObject({
        _tag: "RelayUrlInvalid",
        message: expect.stringMatching(/^(?!.*pa\/ss).*it must be smtp:\/\/user:password@host:port/),
      })
  })

  it("names the option of a folder and of a database that cannot be used, and no variable of the server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-used-"))
    const message = (option: string) =>
      expect.stringMatching(new RegExp(`^(?!.*_URL).*\`${option}\` says where`))
    try {
      await using first = await createMailroom({ folder, receive: false })
      await expect(createMailroom({ folder, receive: false })).rejects.toMatchObject({
        _tag: "StoreUnusable",
        message: message("folder"),
      })
      await first.close()
      await rm(join(folder, "blobs"), { recursive: true })
      await writeFile(join(folder, "blobs"), "in the way")
      await expect(createMailroom({ folder, receive: false })).rejects.toMatchObject({
        _tag: "BlobsUnusable",
        message: message("folder"),
      })
      const database = "postgres://127.0.0.1:1/mail"
      const onPostgres = createMailroom({ database, folder, secretKey: "k".repeat(32), receive: false })
      await expect(onPostgres).rejects.toMatchObject({ message: message("database") })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("does not start with another secret key than that of its folder, once mail was sent", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mailroom-key-"))
    const start = (letter: string) => createMailroom({ folder, secretKey: letter.repeat(32), receive: false })
    try {
      {
        await using first = await start("k")
        const mailbox = await first.mailboxes.adopt("agent")
        await first.messages.send(mailbox, { to: ["ada@sender.dev"], subject: "Hello", bodyText: "Hello" })
      }
      await expect(start("o")).rejects.toMatchObject({ _tag: "SecretKeyDoesNotFit" })
      await using again = await start("k")
      expect((await again.mailboxes.adopt("agent")).fullAddress).toBe(ADDRESS)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
