/** The bundled program as people and scripts run it: on a terminal, in pipes, until Ctrl-C. */
import { Mailroom, unwrapWebhook } from "@mailroom/client"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { createHmac } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStore } from "@mailroom/store-sql"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { exitCodes } from "../src/exitCodes.js"
import { killLeftovers, PROGRAM, program, type Service, start, startDev } from "./support/program.js"

const home = mkdtempSync(join(tmpdir(), "mailroom-program-"))
let dev: Awaited<ReturnType<typeof startDev>>
let environment: Readonly<Record<string, string>>
let service: Service

beforeAll(async () => {
  dev = await startDev(home)
  service = dev.service
  environment = { MAILROOM_URL: service.url, MAILROOM_API_KEY: service.apiKey, XDG_CONFIG_HOME: home }
})

afterAll(async () => {
  killLeftovers()
  expect(await dev.stop()).toBe(exitCodes.interrupted)
  rmSync(home, { recursive: true })
})

/** The program in a pseudo-terminal of 100 columns. */
const onTerminal = (words: string, more: Readonly<Record<string, string>> = {}) =>
  start("script", ["-qfec", `stty cols 100; '${process.execPath}' '${PROGRAM}' ${words}`, "/dev/null"], {
    ...environment,
    ...more,
  })

/** Sends a mail to the agent itself, and waits until it has arrived. */
const arrive = async (subject: string, bodyText: string): Promise<string> => {
  const mailroom = new Mailroom({ baseUrl: service.url, apiKey: service.apiKey })
  const { items } = await mailroom.mailboxes.list()
  await mailroom.messages.send(items[0]?.id ?? "", { to: [service.mailbox], subject, bodyText })
  const since = new Date(Date.now() - 60_000)
  const { message } = await mailroom.messages.waitAny({ subject, since })
  return message?.id ?? ""
}

it("a list has titles and colours on a terminal, no colours with NO_COLOR, and neither in a pipe", async () => {
  await arrive("A table", "x")
  const coloured = await onTerminal("inbox").ended
  expect(coloured).toMatchObject({ code: 0 })
  expect(coloured.out).toMatch(/\u001b\[1mID +TIME +FROM +SUBJECT\u001b\[22m/)
  const plain = await onTerminal("inbox", { NO_COLOR: "1" }).ended
  expect(plain.out).toMatch(/^ID +TIME +FROM +SUBJECT/)
  expect(plain.out).not.toContain("\u001b")
  const piped = await program(["inbox"], environment)
  expect(piped.out).toMatch(/^\S+\t[^\t]+\t[^\t]+\tnew\tA table\n$/)
})

it("login asks for the key without showing it, and a removal is not done without a yes", async () => {
  const others = { MAILROOM_API_KEY: "", MAILROOM_URL: "", XDG_CONFIG_HOME: home }
  const command = `'${process.execPath}' '${PROGRAM}'`
  const signing = start("script", ["-qfec", `${command} login --url ${service.url}`, "/dev/null"], others)
  await signing.prints(/API key/)
  signing.type(`${service.apiKey}\r`)
  const { code, out } = await signing.ended
  expect(code).toBe(0)
  expect(out).toContain("Signed in to acme")
  expect(out).not.toContain(service.apiKey)
  const removing = start("script", ["-qfec", `${command} mailboxes remove agent`, "/dev/null"], others)
  await removing.prints(/for good\?/)
  removing.type("n")
  expect((await removing.ended).code).toBe(exitCodes.failure)
  expect((await program(["mailboxes", "get", "agent"], others)).code).toBe(0)
})

it("a reader that leaves early is no failure", async () => {
  const id = await arrive("Long", "a line\n".repeat(60_000))
  const command = `set -o pipefail; '${process.execPath}' '${PROGRAM}' read ${id} | head -1`
  const { code, out, err } = await start("bash", ["-c", command], environment).ended
  expect({ code, out, err }).toEqual({ code: 0, out: `Id       ${id}\n`, err: "" })
})

it("inbox --watch prints what arrives, and Ctrl-C ends it with 130", async () => {
  const watching = onTerminal("inbox --watch --subject watched")
  await arrive("watched one", "x")
  await watching.prints(/watched one/)
  await arrive("watched two", "x")
  await watching.prints(/watched two/)
  watching.type("\u0003")
  const { code, out } = await watching.ended
  expect(code).toBe(exitCodes.interrupted)
  expect(out.match(/watched/g)).toHaveLength(2)
})

it("listen posts events signed as webhooks are, with the secret that it prints", async () => {
  const requests: Array<{ readonly headers: IncomingMessage["headers"]; readonly body: string }> = []
  const receiver = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    })
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const address = receiver.address()
  const port = typeof address === "object" ? address?.port : 0
  const words = ["listen", "--forward", `http://127.0.0.1:${port}/hook`, "--event", "message.received"]
  const listening = start(
    "script",
    ["-qfec", `'${process.execPath}' '${PROGRAM}' ${words.join(" ")}`, "/dev/null"],
    environment,
  )
  await listening.prints(/whsec_/)
  await listening.prints(/Listening/)
  await arrive("An event", "x")
  await listening.prints(/message\.received .* 204/)
  listening.type("\u0003")
  const { code, out } = await listening.ended
  expect(code).toBe(exitCodes.interrupted)
  const [secret = ""] = /whsec_\S+/.exec(out) ?? []
  const [request] = requests
  expect(await unwrapWebhook(request?.body ?? "", request?.headers ?? {}, secret)).toMatchObject({
    event: "message.received",
    data: { subject: "An event" },
  })
  expect(request?.headers["x-service-signature"]).toBe(
    createHmac("sha256", secret)
      .update(request?.body ?? "")
      .digest("hex"),
  )
  receiver.close()
})

it("a service that cannot be reached, and a port that is taken, are told in two lines", async () => {
  const away = await program(["whoami"], { ...environment, MAILROOM_URL: "http://127.0.0.1:1" })
  expect(away).toMatchObject({ code: exitCodes.unreachable, out: "" })
  expect(away.err.trimEnd().split("\n")).toHaveLength(2)
  const { port } = new URL(service.url)
  const taken = await program(["dev", "--port", port, "--smtp-port", "1"], environment)
  expect(taken).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(taken.err.trimEnd().split("\n")).toHaveLength(2)
  expect(taken.err).toContain("set --port to another port")
  expect(taken.err).not.toContain("HTTP_PORT")
})

it("doctor finds the service, its clock and its receiver in order, and has the environment's service by default", async () => {
  const { code, out } = await program(
    ["doctor", "--url", service.url, "--smtp", new URL(service.smtp).host, "--json"],
    environment,
  )
  const { items } = JSON.parse(out)
  const found = items.map(({ check, state }: { check: string; state: string }) => `${check} ${state}`)
  expect(found).toEqual(["http ok", "https ok", "clock ok", "version ok", "smtp ok", "smtp-tls warning"])
  expect(code).toBe(0)
})

it("mcp answers on the standard output alone, and ends with its input", async () => {
  const serving = start(process.execPath, [PROGRAM, "mcp"], environment)
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  }
  serving.type(`${JSON.stringify(request)}\n`)
  await serving.prints(/"serverInfo"/)
  serving.end("")
  const { code, out, err } = await serving.ended
  expect({ code, err }).toEqual({ code: 0, err: "" })
  for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" })
})

it("doctor --server checks the relay, the disks and the database that the settings name, before the first start too", async () => {
  const { host } = new URL(service.smtp)
  const settings = {
    ...environment,
    // Vitest sets it, to something that is no setting of a service.
    BASE_URL: "",
    OUTBOUND_URL: `smtp://${host}`,
    DATABASE_URL: `sqlite:${join(home, "mailroom.db")}`,
    BLOB_URL: `file:${join(home, "data", "blobs")}`,
  }
  const { out } = await program(["doctor", "--server", "--json"], settings)
  const { items } = JSON.parse(out)
  expect(items).toMatchObject([
    { check: "relay", subject: "localhost", state: "ok", message: expect.stringMatching(/^220 /) },
    { check: "disk", subject: home, message: expect.stringMatching(/^[\d.]+ GB are free/) },
    { check: "disk", subject: join(home, "data", "blobs"), message: expect.stringContaining("GB are free") },
    { check: "database", subject: join(home, "mailroom.db"), state: "skipped" },
  ])
  const filename = join(home, "mailroom.db")
  await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.client({ filename }))))
  const started = await program(["doctor", "--server", "--json"], settings)
  expect(JSON.parse(started.out).items).toContainEqual(
    expect.objectContaining({
      check: "database",
      state: "ok",
      message: "All counts are those of their rows.",
    }),
  )
  const none = await program(["doctor", "--server"], { ...settings, OUTBOUND_URL: "smtp://127.0.0.1:1" })
  expect(none).toMatchObject({ code: exitCodes.failure })
  expect(none.out).toContain("PROBLEM")
  const wrong = await program(["doctor", "--server"], { ...settings, HTTP_PORT: "many" })
  expect(wrong).toMatchObject({ code: exitCodes.failure, out: "" })
  expect(wrong.err).toMatch(/^HTTP_PORT is "many"; it takes a port number/)
})
