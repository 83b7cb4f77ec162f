/** New mail, as the library's subscriptions take it. */
import type { Mailroom } from "@mailroom/client"
import type { ServerEventBus } from "@modelcontextprotocol/server"
import { mailboxUri } from "./resources.js"

/**
 * The events of a caller. Each subscription follows the event stream of the service with the caller's key. So it hears of the
 * mailboxes of that key only, and takes a stream slot; while none is free it waits for one. `ended` is called when the stream
 * has ended: by an error that time does not heal, such as a revoked key, by `stopping`, or because the client left.
 */
export const mailBus = (mailroom: Mailroom, stopping: AbortSignal, ended: () => void): ServerEventBus => ({
  publish: () => undefined,
  subscribe: (listener) => {
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, stopping])
    const follow = async () => {
      for await (const { data } of mailroom.events({ types: ["message.received"], signal }))
        listener({ kind: "resource_updated", uri: mailboxUri(data.mailbox_id) })
    }
    follow().then(ended, ended)
    return () => controller.abort()
  },
})
