/**
 * What the tools take of a model's context. `npm run mcp:measure` writes the tables of docs/mcp.md, counted by gpt-tokenizer with the
 * encoding o200k_base; other models count about the same.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { BASE_URL, startService } from "../../client/test/support/service.js"
import { call, connect, idIn, idsIn } from "./support/clients.js"
import { invitation } from "./support/invitation.js"

const service = startService()

const LIST_MAX_TOKENS = 5_500
/** Tokens of the text of a typical result. A page of 20 messages is the longest. */
const RESULT_MAX_TOKENS = 5_000

const DOCUMENT = new URL("../../../docs/mcp.md", import.meta.url)

const TEXT = `Hello,

thank you for your offer. We would like to order ten boxes of pencils, to be delivered to our office in
Cologne until Friday. Please send the invoice to this address, and name order 4711 in it.

If you have questions, call me at any time.

Best regards
Bob Miller, Sender GmbH`

const THREE = 3
const PAGE = 20

interface Size {
  readonly name: string
  readonly of: string
  readonly bytes: number
  readonly tokens: number
}

const table = (sizes: ReadonlyArray<Size>): string =>
  [
    "| tool | result | bytes | tokens |",
    "| --- | --- | --- | --- |",
    ...sizes.map(({ name, of, bytes, tokens }) => `| \`${name}\` | ${of} | ${bytes} | ${tokens} |`),
  ].join("\n")

const write = async (text: string): Promise<void> => {
  const document = await readFile(DOCUMENT, "utf8")
  const marks = /(?<=<!-- generated: sizes -->\n)[^]*(?=<!-- \/generated -->)/
  await writeFile(
    DOCUMENT,
    document.replace(marks, () => `${text}\n`),
  )
}

it("the list of tools and typical results are small", async () => {
  const { key, address } = await service.agent()
  const client = await connect({ url: BASE_URL, key, fetch: service.fetch })
  const sizes: Array<Size> = []
  /** A model is shown the text of a result, or its structured content, which says the same. */
  const measure = async (name: string, of: string, args: Record<string, unknown> = {}) => {
    const fields = await call(client, name, args)
    const text = fields.result.content.map((block) =>
      block.type === "text" ? block.text : JSON.stringify(block),
    )
    const tokens = countTokens(text.join("\n"))
    sizes.push({ name, of, bytes: Buffer.byteLength(JSON.stringify(fields.result)), tokens })
    return fields
  }
  const mail = { subject: "Order 4711", text: TEXT }
  await service.receive(
    address,
    ...Array.from({ length: PAGE - 3 }, (_, index) => ({ ...mail, subject: `Order ${index}` })),
    invitation(address),
    { ...mail, attachment: { filename: "order.csv", type: "text/csv", content: "pencil,10\n".repeat(20) } },
    mail,
  )
  await measure("whoami", "one mailbox")
  await measure("get_account", "on a plan")
  await measure("list_mailboxes", "one mailbox")
  const listed = idsIn(await measure("list_messages", `${PAGE} messages`))
  const [
    { id: messageId, threadId } = { id: "", threadId: "" },
    { id: withFile } = { id: "" },
    invited = { id: "" },
  ] = listed
  await measure("list_threads", `${PAGE} threads`)
  await measure("search_messages", `${THREE} messages`, { query: "pencils", limit: THREE })
  await measure("get_message", "a mail of eight lines", { messageId })
  const { result } = await measure("get_message", "the same with a file", { messageId: withFile })
  const uri = String(result.content.find(({ type }) => type === "resource_link")?.["uri"])
  await measure("wait_for_message", "the mail arrived", { since: "2020-01-01T00:00:00Z" })
  await measure("wait_for_message", "nothing arrived", { timeoutSeconds: 0 })
  const claimed = await measure("claim_message", "a mail of eight lines")
  await measure("complete_message", "done", { messageId: idIn(claimed).id, token: claimed["token"] })
  await measure("get_attachment_text", "a table of 20 lines", { attachmentId: uri.split("/").at(-1) })
  const to = ["eve@partner.dev"]
  const sent = { to, subject: "Offer", text: "Ten euros." }
  await measure("send_message", "sent", sent)
  await measure("send_message", "replayed", sent)
  await measure("reply_to_message", "sent", { messageId, text: "They are on their way." })
  await measure("get_thread", "two messages", { threadId })
  await measure("forward_message", "sent", { messageId, to })
  await measure("update_message", "marked as read", { messageId, read: true })
  await measure("respond_to_invitation", "sent", { messageId: invited.id, status: "accepted" })
  const { draftId } = await measure("create_draft", "written", { to, subject: "Idea", text: "Tea?" })
  await measure("send_draft", "sent", { draftId })
  await measure("create_mailbox", "created", { name: "sales" })

  const { tools } = await client.listTools()
  const list = JSON.stringify(tools)
  const listTokens = countTokens(list)
  expect(listTokens).toBeLessThan(LIST_MAX_TOKENS)
  expect(sizes.filter(({ tokens }) => tokens > RESULT_MAX_TOKENS)).toEqual([])
  if (process.env["MEASURE"] === "1")
    await write(
      `The list of ${tools.length} tools has ${Buffer.byteLength(list)} bytes, ${listTokens} tokens.\n\n${table(sizes)}`,
    )
})
