/** The operator's settings of the HTTP side. */
import { Context, type Option, type Redacted } from "effect"
import type { RetiredRoute } from "./retired.js"

export class HttpSettings extends Context.Tag("@mailroom/HttpSettings")<
  HttpSettings,
  {
    /** take the client's address from the last entry of `X-Forwarded-For` */
    readonly trustProxy: boolean
    /** serve `GET /dev/outbox` to clients on this machine; only when mail is captured, not sent */
    readonly developmentOutbox: boolean
    /** bearer token of `/admin/v1`; without it those paths are unknown */
    readonly adminToken: Option.Option<Redacted.Redacted>
    /** address that `POST /v1/support` mails; without it that path is unknown */
    readonly supportEmail: Option.Option<string>
    /** where the built documentation is; without it `/docs` is unknown */
    readonly docsFolder: Option.Option<string>
    /** routes that will be removed */
    readonly retired: ReadonlyArray<RetiredRoute>
  }
>() {}
