/** The metadata of a list about gated messages and the inbound limit (`spec: threads.list.metadata`). */
import {
  inboundQuota,
  inboundUsage,
  type InboundUsage,
  type Principal,
  type Upgrade,
  upgradeIfSold,
} from "@mailroom/domain"
import { Clock, Effect } from "effect"
import { Settings } from "../ports/Settings.js"

export interface LimitMetadata {
  readonly overLimitCount: number
  /** null when no message is gated */
  readonly upgrade: Upgrade | null
  /** null below 50 % of the inbound limit */
  readonly limitHint: InboundUsage | null
}

/** Makes the metadata of a list that hides `overLimitCount` gated messages. */
export const makeLimitMetadata = Effect.map(
  Settings,
  ({ baseUrl, billing }) =>
    ({ account, state }: Principal, overLimitCount: number) =>
      Effect.map(Clock.currentTimeMillis, (now): LimitMetadata => ({
        overLimitCount,
        upgrade: overLimitCount > 0 ? upgradeIfSold(baseUrl, billing) : null,
        limitHint: inboundUsage(inboundQuota(account, state, now), now),
      })),
)
