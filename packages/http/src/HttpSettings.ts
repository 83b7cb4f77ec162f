/** What the operator decides about the HTTP side (decisions §1). */
import { Context, type Option, type Redacted } from "effect"
import type { RetiredRoute } from "./retired.js"

export class HttpSettings extends Context.Tag("@mailroom/HttpSettings")<
  HttpSettings,
  {
    /** take the client's address from the last entry of `X-Forwarded-For` */
    readonly trustProxy: boolean
    /** serve `GET /dev/outbox` to clients on this machine; only when mail is captured, not sent */
    readonly developmentOutbox: boolean
    /** opens `/admin/v1`; without it those paths are unknown */
    readonly adminToken: Option.Option<Redacted.Redacted>
    /** where `POST /v1/support` goes; without it that path is unknown */
    readonly supportEmail: Option.Option<string>
    /** the table of routes on their way out */
    readonly retired: ReadonlyArray<RetiredRoute>
  }
>() {}
