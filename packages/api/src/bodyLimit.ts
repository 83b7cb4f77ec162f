/** How large the body of a request may be, declared with the endpoint. The server reads no byte beyond it. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX_BYTES } from "@mailroom/domain"
import { Context } from "effect"

const KB = 1024
const MB = 1024 * KB

export interface BodySize {
  /** bytes on the wire, whatever the body is encoded in */
  readonly maxBytes: number
  /** values in a JSON body, fields in a form: each costs a hundred times its bytes once it is an object */
  readonly maxValues: number
}

/** The annotation of an endpoint or a group. An endpoint without it takes 64 kB. */
export class BodyLimit extends Context.Reference<BodyLimit>()("@mailroom/api/BodyLimit", {
  defaultValue: (): BodySize => ({ maxBytes: 64 * KB, maxValues: 4_000 }),
}) {}

/** Routes that anybody may call. */
export const publicBody: BodySize = { maxBytes: 16 * KB, maxValues: 500 }

/** A message to send: all its attachments as base64, and 8 MB for the rest. */
export const messageBody: BodySize = {
  maxBytes: Math.ceil(ATTACHMENTS_MAX_BYTES / 3) * 4 + 8 * MB,
  maxValues: 10_000,
}

/** One file and the form around it. */
export const uploadBody: BodySize = { maxBytes: ATTACHMENT_MAX_BYTES + 64 * KB, maxValues: 8 }

/** What a mail provider posts at once: SNS up to 256 kB of JSON in JSON, others a thousand reports. */
export const reportsBody: BodySize = { maxBytes: 2 * MB, maxValues: 50_000 }

/** An event of Stripe: a few kB, and with every object it names expanded some hundred. */
export const paymentEventBody: BodySize = { maxBytes: 1 * MB, maxValues: 50_000 }

/** An endpoint of a contract that takes a body, and how large that may be. */
export interface LimitedEndpoint extends BodySize {
  /** `{group}.{endpoint}` */
  readonly name: string
}

/** The limits of every endpoint with a body, in the order of the contract. */
export const bodyLimits = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>,
): ReadonlyArray<LimitedEndpoint> => {
  const found: Array<LimitedEndpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint, mergedAnnotations }) => {
      if (endpoint.payloadSchema._tag === "Some")
        found.push({
          name: `${group.identifier}.${endpoint.name}`,
          ...Context.get(mergedAnnotations, BodyLimit),
        })
    },
  })
  return found
}
