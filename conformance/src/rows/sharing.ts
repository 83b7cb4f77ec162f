/** Waiting for messages and sharing them among workers: docs/specification/sharing.md. */
import type { Section } from "./Section.js"

export const sharing = [
  {
    heading: "GET /v1/mailboxes/{id}/messages/wait",
    rows: {
      "sharing.wait.200": "200 with the next message that matches, at its commit",
      "sharing.wait.timeout": "Without one in time: message null and timedOut true",
      "sharing.wait.since": "since finds the oldest match that is there already",
      "sharing.wait.after": "after goes on where the last wait ended: no message is skipped or repeated",
      "sharing.wait.after-400": "400 for an after that no wait of the account returned",
      "sharing.wait.filters": "The filters, alone and together; direction is INBOUND unless given",
      "sharing.wait.gated": "A gated message is not found",
      "sharing.wait.limit": "429 beyond 20 requests of an account that wait",
      "sharing.wait.stop": "A wait ends without a message when its key is revoked, or the service stops",
      "sharing.wait.404": "404 for a mailbox that does not exist",
    },
  },
  {
    heading: "GET /v1/messages/wait",
    rows: {
      "sharing.wait.account": "Waits in all mailboxes, with a scoped key in its own",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/messages/claim",
    rows: {
      "sharing.claim.oldest": "200 with the oldest inbound message that is free, and each once",
      "sharing.claim.none": "200 with null when no message is free",
      "sharing.claim.timeout": "timeout waits for a message, and counts as a wait",
      "sharing.claim.filter": "filter: the oldest free message that matches",
      "sharing.claim.gated": "A gated message is not claimed",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/messages/{msgId}/claim",
    rows: {
      "sharing.claim.one": "200 with the message and its claim",
      "sharing.claim.409": "409 CLAIMED with Retry-After while another holds it",
      "sharing.claim.done": "409 CLAIMED without Retry-After when its work is done",
      "sharing.claim.inbound": "400 for a sent message",
      "sharing.claim.402": "402 for a gated message",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/messages/{msgId}/renew, release and complete",
    rows: {
      "sharing.renew": "renew begins the lease again, for its length or another",
      "sharing.release": "release frees the message at once",
      "sharing.complete": "complete: nobody can claim it again",
      "sharing.repeat": "A repeated release or complete gets the same answer",
      "sharing.lost": "409 CLAIM_LOST with another token, and after the end of the claim",
    },
  },
  {
    heading: "DELETE /v1/mailboxes/{id}/messages/{msgId}/claim",
    rows: {
      "sharing.take-back": "The message is free at once, its worker has lost it, and the audit trail has it",
      "sharing.take-back.done": "409 CLAIMED without Retry-After when its work is done",
      "sharing.take-back.permission": "Needs manage",
    },
  },
  {
    heading: "The claim of a message",
    rows: {
      "sharing.lease": "A lease that ends frees the message",
      "sharing.shown": "Messages show their claim",
      "sharing.shown.worker": "claimedBy is the key or the session that claimed the message",
      "sharing.listed": "claim=free, claimed or completed in the list of a mailbox",
    },
  },
] as const satisfies ReadonlyArray<Section>
