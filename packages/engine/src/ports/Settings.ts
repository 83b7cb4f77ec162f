/** What the operator decides about the engine (decisions §1). */
import type { BillingMode, Plan, SignupMode } from "@mailroom/domain"
import { Context } from "effect"

export interface EngineSettings {
  /** public address used in links, without a trailing slash */
  readonly baseUrl: string
  /** the shared platform domain, lower-case */
  readonly platformDomain: string
  /** where mail to `postmaster@` and `abuse@` of the platform domain is passed on to; null: it is refused */
  readonly postmasterEmail: string | null
  readonly billing: BillingMode
  /** the plan of a verified account when `billing` is `none` */
  readonly defaultPlan: Plan
  /** who may open an account */
  readonly signup: SignupMode
  /** signups an hour and client address */
  readonly signupsPerHour: number
  /** sends a minute and mailbox */
  readonly sendVelocityPerMinute: number
  /** development only: webhooks to `http:` and private addresses */
  readonly webhookAllowPrivate: boolean
  /** prefix of the service's own headers, such as `X-Service-` */
  readonly headerPrefix: string
}

export class Settings extends Context.Tag("@mailroom/Settings")<Settings, EngineSettings>() {}
