/** Finds the mailbox that a call is for: by id, by address, or the only one. */
import type { Mailbox } from "@mailroom/client"
import { ToolFailure } from "./errors.js"
import type { ToolContext } from "./tool.js"

/** Mailboxes that an error names. */
const NAMED = 10

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const named = (mailboxes: ReadonlyArray<Mailbox>): string =>
  mailboxes
    .slice(0, NAMED)
    .map(({ fullAddress }) => fullAddress)
    .join(", ")

/** An address without its +tag, which is how a mailbox is called. */
const withoutTag = (address: string): string => address.toLowerCase().replace(/\+[^@]*@/, "@")

type Context = Pick<ToolContext, "mailroom" | "signal">

export const allMailboxes = async ({ mailroom, signal }: Context): Promise<ReadonlyArray<Mailbox>> =>
  (await mailroom.mailboxes.list({ signal })).items

/** The id of the mailbox that is named by its id or its address. */
const namedMailbox = async (context: Context, name: string): Promise<string> => {
  if (UUID.test(name)) return name
  const mailboxes = await allMailboxes(context)
  const address = withoutTag(name)
  const found = mailboxes.find(({ fullAddress }) => fullAddress.toLowerCase() === address)
  if (found !== undefined) return found.id
  throw new ToolFailure(
    "MAILBOX_NOT_FOUND",
    `There is no mailbox ${name} in the scope of this key.`,
    mailboxes.length === 0
      ? "Call create_mailbox."
      : `Pass one of: ${named(mailboxes)}. list_mailboxes shows all.`,
  )
}

/** As `mailboxId`, and undefined when no mailbox is named: then the call is for all of them. */
export const mailboxIdOrAll = async (
  context: Context,
  name: string | undefined,
): Promise<string | undefined> => (name === undefined ? undefined : namedMailbox(context, name))

/** The id of the named mailbox, or of the only one in the scope of the key. */
export const mailboxId = async (context: Context, name: string | undefined): Promise<string> => {
  if (name !== undefined) return namedMailbox(context, name)
  const mailboxes = await allMailboxes(context)
  const [only] = mailboxes
  if (only === undefined)
    throw new ToolFailure("MAILBOX_REQUIRED", "The account has no mailbox.", "Call create_mailbox.")
  if (mailboxes.length > 1)
    throw new ToolFailure(
      "MAILBOX_REQUIRED",
      `There are ${mailboxes.length} mailboxes.`,
      `Pass mailbox: ${named(mailboxes)}${mailboxes.length > NAMED ? ", …" : ""}. A message is in its mailboxId.`,
    )
  return only.id
}
