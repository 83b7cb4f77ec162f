/** The operator's settings of the engine. */
import type { BillingMode, Plan, SignupMode } from "@mailroom/domain"
import { Context } from "effect"

export interface EngineSettings {
  /** public URL of the service, used in links; no trailing slash */
  readonly baseUrl: string
  /** the shared platform domain, lower-case */
  readonly platformDomain: string
  /** receives mail for `postmaster@` and `abuse@` of the platform domain; null: that mail is refused */
  readonly postmasterEmail: string | null
  readonly billing: BillingMode
  /** the plan of a verified account when `billing` is `none` */
  readonly defaultPlan: Plan
  /** who may sign up */
  readonly signup: SignupMode
  /** signups in one hour from one client address */
  readonly signupsPerHour: number
  /** sends in one minute of one mailbox */
  readonly sendVelocityPerMinute: number
  /** development only: allows webhooks to `http:` URLs and private addresses */
  readonly webhookAllowPrivate: boolean
  /** prefix of the service's own headers, such as `X-Service-` */
  readonly headerPrefix: string
}

export class Settings extends Context.Tag("@mailroom/Settings")<Settings, EngineSettings>() {}
