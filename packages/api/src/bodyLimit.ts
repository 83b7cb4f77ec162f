/** Size limits of request bodies, declared with the endpoint. The server reads no byte beyond the limit. */
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX_BYTES, MESSAGE_MAX_BYTES } from "@mailroom/domain"
import { Context } from "effect"
import { type Contract, endpointsOf } from "./endpoints.js"

const KB = 1024
const MB = 1024 * KB

export interface BodySize {
  /** bytes on the wire, whatever the body is encoded in */
  readonly maxBytes: number
  /** values in a JSON body, or fields in a form: parsed, a value can take a hundred times its bytes */
  readonly maxValues: number
}

/** The annotation of an endpoint or a group. The default is 64 kB. */
export class BodyLimit extends Context.Reference<BodyLimit>()("@mailroom/api/BodyLimit", {
  defaultValue: (): BodySize => ({ maxBytes: 64 * KB, maxValues: 4_000 }),
}) {}

/** Public routes. */
export const publicBody: BodySize = { maxBytes: 16 * KB, maxValues: 500 }

/** A send: all attachments as base64, and 8 MB for the rest. */
export const messageBody: BodySize = {
  maxBytes: Math.ceil(ATTACHMENTS_MAX_BYTES / 3) * 4 + 8 * MB,
  maxValues: 10_000,
}

/** One file and the form around it. */
export const uploadBody: BodySize = { maxBytes: ATTACHMENT_MAX_BYTES + 64 * KB, maxValues: 8 }

/** An imported mail, as raw bytes. */
export const rawMailBody: BodySize = { maxBytes: MESSAGE_MAX_BYTES, maxValues: 1 }

/** Reports of a mail provider: SNS posts up to 256 kB of JSON in JSON, others a thousand reports. */
export const reportsBody: BodySize = { maxBytes: 2 * MB, maxValues: 50_000 }

/** An event of Stripe: a few kB, or some hundred kB with expanded objects. */
export const paymentEventBody: BodySize = { maxBytes: 1 * MB, maxValues: 50_000 }

/** An endpoint with a body, and its limits. */
export interface LimitedEndpoint extends BodySize {
  /** `{group}.{endpoint}` */
  readonly name: string
}

/** The limits of every endpoint with a body, in the order of the contract. */
export const bodyLimits = (api: Contract): ReadonlyArray<LimitedEndpoint> =>
  endpointsOf(api).flatMap(({ group, endpoint: { name, payloadSchema }, annotations }) =>
    payloadSchema._tag === "None"
      ? []
      : [{ name: `${group.identifier}.${name}`, ...Context.get(annotations, BodyLimit) }],
  )
