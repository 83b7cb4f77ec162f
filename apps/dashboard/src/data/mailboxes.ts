/** The mailboxes of the account, for pages that name them. */
import type { Mailbox } from "@mailroom/client"
import { mailroom } from "./client.js"
import { loader } from "./resource.js"

export const mailboxes = loader(
  async (_, signal): Promise<ReadonlyArray<Mailbox>> => (await mailroom.mailboxes.list({ signal })).items,
)

/** The address of a mailbox by its id; undefined for one that was deleted, and before the list is there. */
export const addressIn =
  (list: ReadonlyArray<Mailbox> | undefined) =>
  (id: string): string | undefined =>
    list?.find((mailbox) => mailbox.id === id)?.fullAddress
