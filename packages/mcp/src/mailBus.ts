/** New mail, as the library's subscriptions take it. */
import type { Mailroom } from "@mailroom/client"
import type { ServerEventBus } from "@modelcontextprotocol/server"
import { mailboxUri } from "./resources.js"

/**
 * The events of a caller. Each subscription follows the event stream of the service with the caller's key, and so hears of
 * the mailboxes of that key only, and counts as a stream. `ended` is called when the service ends the stream for good.
 */
export const mailBus = (mailroom: Mailroom, ended: (reason: unknown) => void): ServerEventBus => ({
  publish: () => undefined,
  subscribe: (listener) => {
    const controller = new AbortController()
    const follow = async () => {
      for await (const { data } of mailroom.events({
        types: ["message.received"],
        signal: controller.signal,
      }))
        listener({ kind: "resource_updated", uri: mailboxUri(data.mailbox_id) })
    }
    follow().catch(ended)
    return () => controller.abort()
  },
})
