/** The package as it is published, in projects of its users. */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { readdir, readFile, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, expect, it } from "vitest"
import { compile, output, packed, projectWith } from "./support/packed.js"

let tarball: Awaited<ReturnType<typeof packed>>
const folders: Array<string> = []

beforeAll(async () => {
  tarball = await packed()
  folders.push(dirname(tarball.file))
})
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

const project = async (...others: ReadonlyArray<string>): Promise<string> => {
  const folder = await projectWith(tarball.file, others)
  folders.push(folder)
  return folder
}

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

/** The examples in TypeScript of a document that begin with an import. */
const examplesIn = async (path: string): Promise<string> => {
  const text = await readFile(new URL(path, import.meta.url), "utf8")
  const examples = [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, example]) => example)
  expect(examples).toHaveLength(1)
  return examples.join("")
}

const browser = { lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"], types: [] }
const node = { lib: ["es2023"], types: ["node"] }

it("installing it brings nothing else; it loads, and its types fit pages and Node", async () => {
  const folder = await project("@types/node", "undici-types")
  expect(await readdir(join(folder, "node_modules/@mailroom"))).toEqual(["client"])
  const script = `import { Mailroom } from "@mailroom/client"; console.log(typeof new Mailroom({ baseUrl: "http://m.test" }).messages.send)`
  expect(await output(folder, process.execPath, "--input-type=module", "-e", script)).toBe("function\n")
  await compile(folder, promiseJob, { module: "bundler", ...browser })
  await compile(folder, promiseJob + (await examplesIn("../README.md")).replace(/import .*/, ""), {
    module: "nodenext",
    ...node,
  })
}, 120_000)

it("with Effect beside it, the Effect client loads, its types fit, and its errors are those of the Promise client", async () => {
  const folder = await project("effect", "@effect/platform", "@types/node", "undici-types")
  const script = `
    import { MailroomError, ConnectionError } from "@mailroom/client"
    import { MailroomClient } from "@mailroom/client/effect"
    import { Effect, Stream } from "effect"
    const follow = Effect.flatMap(MailroomClient, (client) => Stream.runHead(client.follow())).pipe(Effect.flip)
    const layer = MailroomClient.layer({ baseUrl: "data:" })
    console.log(MailroomClient.key, typeof ConnectionError, MailroomError.name, layer !== undefined, follow !== undefined)`
  expect(await output(folder, process.execPath, "--input-type=module", "-e", script)).toBe(
    "@mailroom/client/MailroomClient function MailroomError true true\n",
  )
  await compile(folder, await examplesIn("../../../docs/client.md"), { module: "nodenext", ...node })
}, 120_000)

it("publint and arethetypeswrong find nothing", async () => {
  const { bytes } = tarball
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  if (!(data instanceof ArrayBuffer)) throw new Error("The tarball is not in memory of its own")
  const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
  const problems = checked.types === false ? [] : checked.problems
  // The package is for ES modules only: CommonJS code imports it by `import()`, and TypeScript's oldest resolution, which
  // knows no `exports`, does not find it.
  const ofModules = problems.filter(
    (problem) =>
      problem.kind !== "CJSResolvesToESM" &&
      !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  )
  expect([checked.types !== false, ofModules]).toEqual([true, []])
}, 120_000)
