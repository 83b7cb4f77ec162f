/** Lines to copy for the first steps of an agent, with the address of this service and the mailbox of the reader. */

export interface Agent {
  readonly baseUrl: string
  /** the key, or a placeholder for it */
  readonly key: string
  readonly mailboxId: string
}

export interface Snippet {
  readonly name: "curl" | "TypeScript" | "MCP"
  readonly text: string
}

/** Stands for a key that the page does not know. */
export const KEY_PLACEHOLDER = "mr_…"

const curl = ({ baseUrl, key }: Agent, path: string, rest: ReadonlyArray<string> = []): string =>
  [`curl -s "${baseUrl}${path}"`, `-H "Authorization: Bearer ${key}"`, ...rest].join(" \\\n  ")

const client = ({ baseUrl, key }: Agent, lines: ReadonlyArray<string>): string =>
  [
    `import { Mailroom } from "@mailroom/client"`,
    "",
    `const mailroom = new Mailroom({ baseUrl: "${baseUrl}", apiKey: "${key}" })`,
    ...lines,
  ].join("\n")

/** The settings that Claude, Cursor and other hosts read. */
const mcp = ({ baseUrl, key }: Agent): Snippet => ({
  name: "MCP",
  text: JSON.stringify(
    { mcpServers: { mailroom: { url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } } } },
    null,
    2,
  ),
})

/** Asks the service who the key is. */
export const firstUse = (agent: Agent): ReadonlyArray<Snippet> => [
  { name: "curl", text: curl(agent, "/v1/whoami") },
  { name: "TypeScript", text: client(agent, ["console.log(await mailroom.account.whoami())"]) },
  mcp(agent),
]

/** Waits for the next mail. */
export const firstMail = (agent: Agent): ReadonlyArray<Snippet> => [
  { name: "curl", text: curl(agent, `/v1/mailboxes/${agent.mailboxId}/messages/wait?timeout=55`) },
  {
    name: "TypeScript",
    text: client(agent, [
      `const { message } = await mailroom.messages.wait("${agent.mailboxId}", { timeout: 300 })`,
      "console.log(message?.subject, message?.bodyText)",
    ]),
  },
  mcp(agent),
]

/** Answers a mail; without one, the newest in the mailbox. */
export const firstAnswer = (agent: Agent, messageId: string | null): ReadonlyArray<Snippet> => [
  {
    name: "curl",
    text: curl(agent, `/v1/mailboxes/${agent.mailboxId}/messages/${messageId ?? "MESSAGE_ID"}/reply`, [
      `--json '{"bodyText": "Thank you for your mail."}'`,
    ]),
  },
  {
    name: "TypeScript",
    text: client(agent, [
      `const mailboxId = "${agent.mailboxId}"`,
      `const { items } = await mailroom.messages.list(mailboxId, { direction: "INBOUND", limit: 1 })`,
      "for (const { id } of items)",
      `  await mailroom.messages.reply(mailboxId, id, { bodyText: "Thank you for your mail." })`,
    ]),
  },
  mcp(agent),
]
