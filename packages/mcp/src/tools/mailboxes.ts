/** Who the caller is, its account and its mailboxes. */
import { type Mailbox, MailroomError } from "@mailroom/client"
import * as z from "zod"
import { inLine } from "../fence.js"
import { allMailboxes } from "../mailboxes.js"
import { offset } from "../schemas.js"
import { tool, type ToolContext } from "../tool.js"

/** Mailboxes of a result: 50 with the longest names are below 20 kB. */
const PAGE = 50
/** UTF-16 units of the reason of a suspension. */
const REASON_MAX_CHARS = 300

const viewed = ({ id, fullAddress, status, displayName }: Mailbox) => ({
  id,
  address: fullAddress,
  status,
  ...(displayName !== null && { displayName: inLine(displayName, 60) }),
})

const accountFields = z.object({ slug: z.string(), plan: z.string(), state: z.string() })
const mailboxFields = z.object({ id: z.string(), address: z.string(), status: z.string() })

/** The mailboxes; null where the state of the account or the key does not let the caller list them. */
const listableMailboxes = (context: ToolContext): Promise<ReadonlyArray<Mailbox> | null> =>
  allMailboxes(context).catch((error: unknown) => {
    if (error instanceof MailroomError && (error.status === 402 || error.status === 403)) return null
    throw error
  })

export const whoami = tool({
  name: "whoami",
  description:
    "Who you are here: the account and its state, your permissions, your mail addresses. Call it first.",
  input: z.strictObject({}),
  output: z.object({
    account: accountFields,
    permissions: z.array(z.string()),
    mailboxes: z.array(mailboxFields).optional(),
    mailboxCount: z.number().optional(),
  }),
  effects: "reads",
  run: async (_, context) => {
    const { account, principal } = await context.mailroom.account.whoami({ signal: context.signal })
    const mailboxes = await listableMailboxes(context)
    return {
      fields: {
        account: { slug: account.slug, plan: account.plan, state: account.state },
        permissions: [...principal.permissions],
        ...(mailboxes !== null && {
          mailboxes: mailboxes.slice(0, 10).map(viewed),
          mailboxCount: mailboxes.length,
        }),
      },
    }
  },
})

export const getAccount = tool({
  name: "get_account",
  description:
    "Usage and limits of the account: mails, mailboxes, storage, trial. Needs a key of full access.",
  input: z.strictObject({}),
  output: z.object({ account: accountFields }),
  effects: "reads",
  run: async (_, { mailroom, signal }) => {
    const account = await mailroom.account.get({ signal })
    const { trial, suspendedReason } = account
    return {
      fields: {
        account: {
          slug: account.slug,
          plan: account.plan,
          state: account.state,
          ...(suspendedReason !== null && { suspendedReason: inLine(suspendedReason, REASON_MAX_CHARS) }),
          emailVerified: account.emailVerified,
          sendingPaused: account.sendingPaused,
          sentToday: account.sentToday,
          sentThisMonth: account.sentThisMonth,
          monthlyInboundCount: account.monthlyInboundCount,
          monthlyInboundLimit: account.monthlyInboundLimit,
          monthlyInboundResetAt: account.monthlyInboundResetAt,
          overLimitMessageCount: account.overLimitMessageCount,
          mailboxCount: account.mailboxCount,
          mailboxLimit: account.mailboxLimit,
          storageUsedBytes: account.storageUsedBytes,
          storageLimitBytes: account.storageLimitBytes,
          ...(trial !== null && {
            trial: {
              sendsRemaining: trial.sendsRemaining,
              receivesRemaining: trial.receivesRemaining,
              expiresAt: trial.expiresAt,
            },
          }),
        },
      },
    }
  },
})

export const listMailboxes = tool({
  name: "list_mailboxes",
  description: `List the mailboxes you can use, ${PAGE} at a time, oldest first.`,
  input: z.strictObject({
    contains: z.string().describe("part of the address").optional(),
    offset,
  }),
  output: z.object({
    mailboxes: z.array(mailboxFields),
    total: z.number(),
    nextOffset: z.number().nullable(),
  }),
  effects: "reads",
  run: async ({ contains = "", offset: start = 0 }, context) => {
    const part = contains.toLowerCase()
    const found = (await allMailboxes(context)).filter(({ fullAddress }) => fullAddress.includes(part))
    const end = start + PAGE
    return {
      fields: {
        mailboxes: found.slice(start, end).map(viewed),
        total: found.length,
        nextOffset: end < found.length ? end : null,
      },
    }
  },
})

export const createMailbox = tool({
  name: "create_mailbox",
  description:
    "Create a mail address that can receive and send. For one purpose at a known mailbox, its +tag addresses (name+tag@…) work without creating anything.",
  input: z.strictObject({
    name: z.string().min(1).describe("part before the @"),
    displayName: z.string().optional(),
    domainId: z.string().describe("verified custom domain").optional(),
  }),
  output: z.object({ mailbox: mailboxFields }),
  effects: "changes",
  run: async ({ name, ...rest }, { mailroom, signal }) => {
    const mailbox = await mailroom.mailboxes.create({ address: name, ...rest }, { signal })
    return { fields: { mailbox: viewed(mailbox) } }
  },
})
