/** The routes of every row of the access table, each with a valid request. */
import { Effect } from "effect"
import type { Agent } from "../src/agents.js"
import { newKey, receive, sendBody, upload, newestId } from "../src/agents.js"
import { textAt } from "../src/Answer.js"
import { type Call, World } from "../src/World.js"

export interface Access {
  readonly target: string
  readonly body?: Call["body"]
}

/** The resources that the requests name, created while the account may create them. */
export interface Things {
  readonly owner: Agent
  readonly keyId: string
  readonly messageId: string
  readonly threadId: string
  readonly attachmentId: string
  readonly receiverUrl: string
}

/** Creates a message in the mailbox, another key and an upload. */
export const things = (owner: Agent): Effect.Effect<Things, never, World> =>
  Effect.gen(function* () {
    const { receiver } = yield* World
    yield* receive(owner)
    const messageId = yield* newestId(owner)
    const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${messageId}`)
    const { id: keyId } = yield* newKey(owner)
    const uploaded = yield* upload(owner, "a.txt", "A")
    return {
      owner,
      keyId,
      messageId,
      threadId: textAt(read.json, "message.threadId"),
      attachmentId: textAt(uploaded.json, "id"),
      receiverUrl: (yield* receiver).url,
    }
  })

/** The resources of the row of domains and suppressions. */
export interface DomainThings {
  readonly domainId: string
  readonly suppressionId: string
}

const form = (): FormData => {
  const made = new FormData()
  made.append("file", new Blob(["A"]), "a.txt")
  return made
}

/** By row: requests that succeed with a full-access key of an active account. Deletions come last. */
export const lines = {
  account: ({ keyId }: Things): ReadonlyArray<Access> => [
    { target: "GET /v1/account" },
    { target: "GET /v1/api-keys" },
    { target: "GET /v1/audit" },
    { target: `DELETE /v1/api-keys/${keyId}` },
    { target: "DELETE /v1/account", body: { confirm: "DELETE" } },
  ],
  createKey: (): ReadonlyArray<Access> => [{ target: "POST /v1/api-keys", body: { name: "k" } }],
  target: (): ReadonlyArray<Access> => [{ target: "POST /v1/account/post-verify-target" }],
  upgrade: (): ReadonlyArray<Access> => [{ target: "POST /v1/billing/upgrade" }],
  welcome: (): ReadonlyArray<Access> => [{ target: "POST /v1/account/welcome" }],
  provisioning: ({ owner, attachmentId }: Things): ReadonlyArray<Access> => [
    { target: "POST /v1/mailboxes", body: { address: "second" } },
    { target: "POST /v1/attachments", body: form() },
    { target: `DELETE /v1/attachments/${attachmentId}` },
    { target: `DELETE /v1/mailboxes/${owner.mailboxId}` },
  ],
  domains: ({ domainId, suppressionId }: DomainThings): ReadonlyArray<Access> => [
    { target: "GET /v1/domains" },
    { target: "POST /v1/domains", body: { domain: "acme.org" } },
    { target: `GET /v1/domains/${domainId}` },
    { target: `POST /v1/domains/${domainId}/verify` },
    { target: "GET /v1/suppressions" },
    { target: "POST /v1/suppressions", body: { email: "bob@partner.dev" } },
    { target: `DELETE /v1/suppressions/${suppressionId}` },
    { target: `DELETE /v1/domains/${domainId}` },
  ],
  webhooks: ({ owner, receiverUrl }: Things): ReadonlyArray<Access> => [
    {
      target: "POST /v1/webhooks",
      body: { url: receiverUrl, events: ["message.sent"], mailboxId: owner.mailboxId },
    },
  ],
  mail: ({ owner, messageId, threadId, attachmentId }: Things): ReadonlyArray<Access> => {
    const mailbox = `/v1/mailboxes/${owner.mailboxId}`
    return [
      { target: "GET /v1/mailboxes" },
      { target: `GET ${mailbox}` },
      { target: `PATCH ${mailbox}`, body: { displayName: "Ada" } },
      { target: `GET ${mailbox}/messages` },
      { target: `GET ${mailbox}/messages/${messageId}` },
      { target: `PATCH ${mailbox}/messages/${messageId}`, body: { read: true } },
      { target: `GET ${mailbox}/messages/${messageId}/raw` },
      { target: `GET ${mailbox}/messages/wait?timeout=0` },
      { target: "GET /v1/messages/wait?timeout=0" },
      { target: `POST ${mailbox}/messages/claim` },
      { target: `GET ${mailbox}/threads` },
      { target: `GET ${mailbox}/threads/${threadId}` },
      { target: `GET /v1/attachments/${attachmentId}` },
      { target: `GET /v1/attachments/${attachmentId}/text` },
      { target: `DELETE ${mailbox}/messages/${messageId}` },
    ]
  },
  send: ({ owner }: Things): ReadonlyArray<Access> => [
    { target: `POST /v1/mailboxes/${owner.mailboxId}/messages`, body: sendBody(owner.email) },
  ],
}
