/** Rows that benchmarks put into a database through the stores, which takes seconds where requests take minutes. */
import { randomUUID } from "node:crypto"
import {
  type AccountId,
  type AccountRecord,
  defaultPolicies,
  type MailboxId,
  type MailboxRecord,
  type MessageContent,
  newAccount,
  noCount,
  ThreadId,
} from "@mailroom/domain"
import type { MessageRecord } from "@mailroom/engine"

/** A UUID, version 7, of an instant. */
export const idAt = (instant: number): string => {
  const time = instant.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export const anAccount = (id: AccountId, createdAt: number): AccountRecord =>
  newAccount({
    id,
    email: `${id}@owner.example`,
    name: null,
    slug: id,
    passwordHash: "",
    intentPlan: null,
    intentPeriod: null,
    createdAt,
  })

export const aMailbox = (id: MailboxId, accountId: AccountId, createdAt: number): MailboxRecord => ({
  id,
  accountId,
  domainId: null,
  localPart: id,
  fullAddress: `${id}@mailroom.example`,
  displayName: null,
  status: "ACTIVE",
  pausedByBilling: false,
  suspendedReason: null,
  provisioned: true,
  sentDay: noCount,
  sentMonth: noCount,
  receivedMonth: noCount,
  sentMinute: noCount,
  overLimitCount: 0,
  policies: defaultPolicies,
  createdAt,
  updatedAt: createdAt,
})

/** A message in a thread of its own, received and unread unless `over` says otherwise. */
export const aMessage = (
  accountId: AccountId,
  content: MessageContent,
  createdAt: number,
  over: Partial<Pick<MessageRecord, "status" | "labels" | "readAt">> = {},
): MessageRecord => ({
  accountId,
  content,
  headers: {},
  threadId: ThreadId.make(idAt(createdAt)),
  status: "RECEIVED",
  gate: null,
  labels: [],
  readAt: null,
  sentAt: null,
  createdAt,
  dedupKey: null,
  rawId: null,
  automaticTurn: false,
  claim: null,
  ...over,
})
