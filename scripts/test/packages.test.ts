/** The published packages, in projects of their users: `npm run test:packages`. */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { deliver, eventually, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { verifiedAccount } from "../../apps/server/test/support/account.js"
import { spawnNode } from "../../apps/server/test/support/process.js"
import { freshServer } from "../../apps/server/test/support/server.js"
import { killLeftovers, programAt, startDevAt } from "../../packages/cli/test/support/program.js"
import { published, readManifest } from "../packages.mjs"
import { compile, output, PackedPackages, root } from "./support/project.js"

/** Packages whose import needs others that their user installs. */
const OPTIONAL = ["@mailroom/payments", "@mailroom/blobs/s3"]

let packed: PackedPackages
/** A project with every package. */
let whole: string

beforeAll(async () => {
  packed = await PackedPackages.make()
  whole = await packed.project(
    packed.tarballs.map(({ name }) => name),
    ["effect", "@effect/platform", "@types/node", "undici-types"],
  )
})
afterAll(() => {
  killLeftovers()
  return packed.remove()
})

/** The names by which programs import the packages. */
const entries = (): ReadonlyArray<string> =>
  published().flatMap((folder) => {
    const { name, exports } = readManifest(folder)
    return Object.keys(exports)
      .filter((path) => !path.includes("*") && path !== "./package.json")
      .map((path) => name + path.slice(1))
  })

/** The first program of this language in a page of the repository. */
const programIn = async (page: string, language: "js" | "ts"): Promise<string> => {
  const text = await readFile(join(root, page), "utf8")
  const [, program] = new RegExp(`\`\`\`${language}\\n(import [^]*?)\`\`\``).exec(text) ?? []
  if (program === undefined) throw new Error(`${page} has no program`)
  return program
}

describe("the packages", () => {
  it.each(published().map((folder) => readManifest(folder).name))(
    "%s: publint and arethetypeswrong find nothing, and README and licence are in it",
    async (name) => {
      const { bytes } = packed.tarball(name)
      const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
      const checked = await checkPackage(createPackageFromTarballData(bytes))
      const problems = checked.types === false ? [] : checked.problems
      // The packages are for ES modules only: CommonJS code imports them by `import()`, and TypeScript's oldest resolution, which
      // knows no `exports`, does not find them.
      const ofModules = problems.filter(
        (problem) =>
          problem.kind !== "CJSResolvesToESM" &&
          !("resolutionKind" in problem && problem.resolutionKind === "node10"),
      )
      expect(ofModules).toEqual([])
      expect(checked.types !== false).toBe(name !== "@mailroom/cli")
      const files = await readdir(join(whole, "node_modules", name))
      expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]))
      expect(files).not.toContain("test")
    },
  )

  it("load by every entry with nothing but the dependencies that they name", async () => {
    const names = entries().filter((name) => !OPTIONAL.includes(name) && name !== "@mailroom/cli")
    const script = names.map((name) => `console.log(Object.keys(await import("${name}")).length > 0)`)
    const said = await output(whole, process.execPath, ["--input-type=module", "-e", script.join("\n")])
    expect(said).toBe("true\n".repeat(names.length))
  })

  it("have types that fit a strict program", async () => {
    const names = entries().filter((name) => name !== "@mailroom/cli")
    const lines = names.map((name, index) => `import * as p${index} from "${name}"`)
    const text = `${lines.join("\n")}\nexport const all = [${names.map((_, index) => `p${index}`).join(", ")}]\n`
    await compile(whole, text, { module: "nodenext", lib: ["es2023"], types: ["node"], skipLibCheck: true })
  })
})

const promiseJob = `
import { Mailroom, MailboxNotFoundError, type Message } from "@mailroom/client"

export const job = async (mailroom: Mailroom): Promise<ReadonlyArray<string>> => {
  const { id } = await mailroom.mailboxes.create({ address: "sales" })
  const { message } = await mailroom.messages.wait(id, { subject: "order", timeout: 300 })
  const attachments = [{ filename: "a.txt", contentType: "text/plain", content: new Blob(["a"]) }]
  const sent = message && (await mailroom.messages.reply(id, message.id, { bodyText: "Thanks", attachments }))
  const answer: Message | undefined = sent?.message
  const subjects: Array<string> = answer ? [answer.subject] : []
  for await (const item of mailroom.messages.list(id, { limit: 10 })) subjects.push(item.subject)
  for await (const event of mailroom.events({ types: ["message.bounced"] }))
    if (event.event === "message.bounced") subjects.push(...event.data.bounced_recipients)
  return subjects
}

export const isMissing = (error: unknown): boolean =>
  error instanceof MailboxNotFoundError && error.body.code === "MAILBOX_NOT_FOUND"
`

it("@mailroom/node names the packages that S3 and Stripe need, which it does not install", async () => {
  const script = `
    import { Settings } from "@mailroom/engine"
    import { NodeMailroom } from "@mailroom/node"
    import { Effect, Layer } from "effect"
    const inFolder = NodeMailroom.inFolder("data", { kind: "capture" })
    const problemOf = (choice) =>
      NodeMailroom.ports({ ...inFolder, ...choice }).pipe(
        Layer.provide(Layer.succeed(Settings, {})), Layer.build, Effect.scoped, Effect.flip, Effect.runPromise)
    for (const choice of [{ blobs: { kind: "s3" } }, { payments: { kind: "stripe" } }]) {
      const { _tag, message } = await problemOf(choice)
      console.log(_tag, message)
    }`
  const said = await output(whole, process.execPath, ["--input-type=module", "-e", script])
  expect(said).toMatch(
    /PackageMissing An S3 store .* npm install @aws-sdk[^]*PackageMissing Stripe .* npm install stripe@23/,
  )
})

describe("@mailroom/client", () => {
  it("brings nothing else, and its types fit pages and Node", async () => {
    const folder = await packed.project(["@mailroom/client"], ["@types/node", "undici-types"])
    expect(await readdir(join(folder, "node_modules/@mailroom"))).toEqual(["client"])
    const script = `import { Mailroom } from "@mailroom/client"; console.log(typeof new Mailroom({ baseUrl: "http://m.test" }).messages.send)`
    expect(await output(folder, process.execPath, ["--input-type=module", "-e", script])).toBe("function\n")
    const browser = { lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"], types: [] }
    await compile(folder, promiseJob, { module: "bundler", skipLibCheck: false, ...browser })
    const readme = await programIn("packages/client/README.md", "ts")
    const both = promiseJob + readme.replace(/import .*/, "")
    const node = { lib: ["es2023"], types: ["node"] }
    await compile(folder, both, { module: "nodenext", skipLibCheck: false, ...node })
  })

  it("with Effect beside it, the Effect client loads, its types fit, and its errors are those of the Promise client", async () => {
    const script = `
      import { MailroomError, ConnectionError } from "@mailroom/client"
      import { MailroomClient } from "@mailroom/client/effect"
      import { Effect, Stream } from "effect"
      const follow = Effect.flatMap(MailroomClient, (client) => Stream.runHead(client.follow())).pipe(Effect.flip)
      const layer = MailroomClient.layer({ baseUrl: "data:" })
      console.log(MailroomClient.key, typeof ConnectionError, MailroomError.name, layer !== undefined, follow !== undefined)`
    expect(await output(whole, process.execPath, ["--input-type=module", "-e", script])).toBe(
      "@mailroom/client/MailroomClient function MailroomError true true\n",
    )
    const node = { lib: ["es2023"], types: ["node"] }
    const example = await programIn("docs/client.md", "ts")
    await compile(whole, example, { module: "nodenext", skipLibCheck: false, ...node })
  })

  it("runs the program of its README", () =>
    Effect.gen(function* () {
      const server = yield* freshServer({ BILLING: "none", DEFAULT_PLAN: "Scale" })
      const account = yield* verifiedAccount(server, "readme")
      const program = (yield* Effect.promise(() => programIn("packages/client/README.md", "ts"))).replace(
        /new Mailroom\(.*\)/,
        "new Mailroom()",
      )
      yield* Effect.promise(() => writeFile(join(whole, "client.mjs"), program))
      const variables = { MAILROOM_URL: server.url, MAILROOM_API_KEY: account.key }
      const running = yield* spawnNode(whole, variables, ["client.mjs"])
      const sales = account.address.replace("agent@", "sales@")
      yield* eventually(
        "the mail is accepted",
        deliver(server.smtpPort, sales, plainMail("My order")),
        (reply) => reply.startsWith("250"),
      )
      const said = yield* eventually(
        "the program lists the mail",
        Effect.sync(() => running.stdout() + running.stderr()),
        (text) => text.includes("\n"),
      )
      expect(said).toContain("My order")
    }).pipe(Effect.scoped, Effect.runPromise))
})

it("mailroom runs the program of its README", async () => {
  const program = await programIn("packages/mailroom/README.md", "js")
  const anyPort = program.replace('{ folder: "data" }', '{ folder: "data", receive: { port: 0 } }')
  await writeFile(join(whole, "mailroom.mjs"), `${anyPort}\nawait mailroom.close()\n`)
  const said = await output(whole, process.execPath, ["mailroom.mjs"])
  expect(said).toContain("Write to agent@mailroom.localhost")
})

it("@mailroom/testing runs the program of its README", async () => {
  await writeFile(join(whole, "testing.mjs"), await programIn("packages/testing/README.md", "js"))
  expect(await output(whole, process.execPath, ["testing.mjs"])).toContain("It answers in the thread.")
})

describe("@mailroom/mcp", () => {
  const program = "node_modules/@mailroom/mcp/dist/src/bin.js"

  it("answers an initialize", async () => {
    const child = spawn(process.execPath, [program], {
      cwd: whole,
      env: { PATH: process.env["PATH"], MAILROOM_URL: "http://m.test", MAILROOM_API_KEY: "mr_0" },
      stdio: ["pipe", "pipe", "inherit"],
    })
    try {
      const clientInfo = { name: "test", version: "1" }
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
      const [line] = await once(createInterface({ input: child.stdout }), "line")
      expect(JSON.parse(String(line))).toMatchObject({ id: 1, result: { serverInfo: { name: "mailroom" } } })
    } finally {
      child.kill()
    }
  })

  it("says what it needs", () =>
    expect(output(whole, process.execPath, [program])).rejects.toThrow("MAILROOM_API_KEY and MAILROOM_URL"))

  it("has types that fit the program of its README", async () => {
    const readme = await programIn("packages/mcp/README.md", "ts")
    await compile(whole, readme, {
      module: "nodenext",
      skipLibCheck: false,
      lib: ["es2023"],
      types: ["node"],
    })
  })
})

it("the command mailroom starts a service of its own, and sends a mail through it", async () => {
  const { version } = readManifest(join(whole, "node_modules/@mailroom/cli"))
  const command = join(whole, "node_modules/@mailroom/cli/bundle/main.js")
  expect((await output(whole, process.execPath, [command, "--version"])).trim()).toBe(version)
  const { service, stop } = await startDevAt(command, whole)
  try {
    const environment = {
      MAILROOM_URL: service.url,
      MAILROOM_API_KEY: service.apiKey,
      XDG_CONFIG_HOME: whole,
    }
    const send = ["send", "--to", service.mailbox, "--subject", "Packed", "--text", "Hello", "--json"]
    expect(await programAt(command, send, environment)).toMatchObject({ code: 0, err: "" })
    const wait = ["wait", "--subject", "Packed", "--since", "1m", "--json"]
    const { out } = await programAt(command, wait, environment)
    expect(JSON.parse(out)).toMatchObject({ message: { subject: "Packed" }, timedOut: false })
  } finally {
    expect(await stop()).toBe(130)
  }
})
