/** Every environment variable of the server. Tests hold the README's table and compose.yaml to these declarations. */
import { type BillingMode, parseUrl } from "@mailroom/domain"
import { type Outbound, SECRET_KEY_MIN_LENGTH } from "@mailroom/node"
import { Config, type LogLevel, LogLevel as Levels, Option, Redacted } from "effect"
import {
  domainName,
  emailAddress,
  flag,
  host,
  integer,
  listOf,
  oneOf,
  publicUrl,
  someText,
} from "./parsers.js"
import { paymentChoice, STRIPE_PRICES_ACCEPTED, stripePrices, stripeSecret } from "./payments.js"
import { reportChoice, REPORTS_ACCEPTED } from "./reports.js"
import { SPAM_FILTER_ACCEPTED, spamFilterChoice } from "./spamFilter.js"
import {
  BLOBS_ACCEPTED,
  blobStore,
  database,
  DATABASE_ACCEPTED,
  mayHoldPassword,
  withSharedKey,
  withCredentials,
} from "./storage.js"
import { optional, variable } from "./variable.js"

const port = { accepted: "a port number from 0 to 65535 (0 picks a free one)", parse: integer(0, 65_535) }

const outbound = (text: string): Option.Option<Outbound> => {
  if (text === "capture:") return Option.some({ kind: "capture" })
  const relay = /^smtps?:\/\/[^/]/.test(text) && parseUrl(text) !== null
  return relay ? Option.some({ kind: "relay", url: Redacted.make(text) }) : Option.none()
}

const roles = oneOf("http", "smtp", "worker")
export type Role = Option.Option.Value<ReturnType<typeof roles>>

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  debug: Levels.Debug,
  info: Levels.Info,
  warning: Levels.Warning,
  error: Levels.Error,
  none: Levels.None,
}
const yesOrNo = { accepted: "true or false", parse: flag }

export const variables = {
  HTTP_HOST: variable({
    name: "HTTP_HOST",
    fallback: "127.0.0.1",
    meaning: "where the HTTP listener binds",
    accepted: "a host name or an IP address",
    parse: host,
  }),
  HTTP_PORT: variable({ name: "HTTP_PORT", fallback: "3000", meaning: "port of the HTTP listener", ...port }),
  SMTP_HOST: variable({
    name: "SMTP_HOST",
    fallback: "127.0.0.1",
    meaning: "where the inbound SMTP listener binds",
    accepted: "a host name or an IP address",
    parse: host,
  }),
  SMTP_PORT: variable({
    name: "SMTP_PORT",
    fallback: "2525",
    meaning: "port of the inbound SMTP listener",
    ...port,
  }),
  SUBMISSION_PORT: optional({
    name: "SUBMISSION_PORT",
    fallback: null,
    meaning:
      "port on SMTP_HOST where mail clients and SMTP libraries send: the user is a mailbox's address, the password an API key; with STARTTLS, which clients of other machines need ([how](docs/operations.md#submission)); none without it",
    ...port,
  }),
  SUBMISSIONS_PORT: optional({
    name: "SUBMISSIONS_PORT",
    fallback: null,
    meaning:
      "the same with TLS from the first byte, for which 465 is the usual port; needs SMTP_TLS_CERT and SMTP_TLS_KEY; none without it",
    ...port,
  }),
  BASE_URL: optional({
    name: "BASE_URL",
    fallback: "http://localhost:{HTTP_PORT}",
    meaning: "public address, used in links",
    accepted: "an http:// or https:// address without query",
    parse: publicUrl,
  }),
  PLATFORM_DOMAIN: variable({
    name: "PLATFORM_DOMAIN",
    fallback: "mailroom.localhost",
    meaning: "shared platform domain: mailboxes are `{address}@{slug}.{platform domain}`",
    accepted: "a domain name",
    parse: domainName,
  }),
  POSTMASTER_EMAIL: optional({
    name: "POSTMASTER_EMAIL",
    fallback: null,
    meaning:
      "the operator's address: mail to `postmaster@` and `abuse@` of the platform domain is passed on to it; without it that mail is refused",
    accepted: "one mail address",
    parse: emailAddress,
  }),
  DATABASE_URL: variable({
    name: "DATABASE_URL",
    fallback: "sqlite:./data/mailroom.db",
    meaning:
      "the database; `sqlite::memory:` keeps it in memory; `postgres://user:password@host:port/database?pool=10` is for any number of processes, `pool` connections each",
    accepted: DATABASE_ACCEPTED,
    secret: mayHoldPassword,
    parse: database,
  }),
  BLOB_URL: variable({
    name: "BLOB_URL",
    fallback: "file:./data/blobs",
    meaning:
      "attachments and large raw mail; `memory:` keeps them in memory; `s3://bucket/prefix?endpoint=…&region=…` in an S3 store, with the credentials of `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or those that the AWS SDK finds elsewhere; with `presign=true` clients are sent there for attachments",
    accepted: BLOBS_ACCEPTED,
    secret: mayHoldPassword,
    parse: blobStore,
  }),
  OUTBOUND_URL: variable({
    name: "OUTBOUND_URL",
    fallback: "capture:",
    meaning:
      "`capture:` keeps mail in the development outbox and sends none; `smtp://` and `smtps://user:pass@host:port` send through a relay",
    accepted: "capture:, smtp://host:port or smtps://user:pass@host:port",
    secret: true,
    parse: outbound,
  }),
  PROVIDER_REPORTS: variable({
    name: "PROVIDER_REPORTS",
    fallback: "none",
    meaning:
      "who reports to `{BASE_URL}/v1/reports/{provider}` what became of mail: `none`; `ses:{ARN of an SNS topic}`; `postmark:{user}:{password}`; `generic:whsec_…`, in a form of our own ([how](docs/operations.md#reports-from-a-provider))",
    accepted: REPORTS_ACCEPTED,
    secret: true,
    parse: reportChoice,
  }),
  SPAM_FILTER: variable({
    name: "SPAM_FILTER",
    fallback: "none",
    meaning:
      "the spam filter that mail is shown to before it is delivered: `none`, or `rspamd:http://host:11333` ([how](docs/operations.md#spam))",
    accepted: SPAM_FILTER_ACCEPTED,
    secret: mayHoldPassword,
    parse: spamFilterChoice,
  }),
  ROLES: variable({
    name: "ROLES",
    fallback: "http,smtp,worker",
    meaning:
      "what this process does: `http` serves the API and the streams, `smtp` accepts mail and submissions, `worker` delivers it and works in the background",
    accepted: "a comma-separated list of http, smtp and worker",
    parse: listOf(roles),
  }),
  BILLING: variable({
    name: "BILLING",
    fallback: "simulated",
    meaning:
      "`simulated`: a built-in checkout page, no money; `stripe`: payments through Stripe; `none`: no trial, and nobody has to pay; a verified account is on DEFAULT_PLAN",
    accepted: "simulated, stripe or none",
    parse: (text): Option.Option<BillingMode> => oneOf("simulated", "stripe", "none")(text),
  }),
  DEFAULT_PLAN: variable({
    name: "DEFAULT_PLAN",
    fallback: "Free",
    meaning: "plan of verified accounts under BILLING=none",
    accepted: "Free, Developer, Growth or Scale",
    parse: oneOf("Free", "Developer", "Growth", "Scale"),
  }),
  STRIPE_SECRET_KEY: optional({
    name: "STRIPE_SECRET_KEY",
    fallback: null,
    meaning: "Stripe's secret key, or a restricted one; needed by BILLING=stripe",
    accepted: "a key that begins with sk_ or rk_",
    secret: true,
    parse: stripeSecret(/^[rs]k_\w/),
  }),
  STRIPE_WEBHOOK_SECRET: optional({
    name: "STRIPE_WEBHOOK_SECRET",
    fallback: null,
    meaning:
      "the signing secret of Stripe's webhook endpoint `{BASE_URL}/v1/billing/stripe/webhook`; needed by BILLING=stripe",
    accepted: "a secret that begins with whsec_",
    secret: true,
    parse: stripeSecret(/^whsec_./),
  }),
  STRIPE_PRICES: optional({
    name: "STRIPE_PRICES",
    fallback: null,
    meaning:
      "Stripe's prices as `Developer:monthly=price_…,Developer:annual=price_…`; every plan and period that is sold; needed by BILLING=stripe",
    accepted: STRIPE_PRICES_ACCEPTED,
    parse: stripePrices,
  }),
  WEBHOOK_ALLOW_PRIVATE: variable({
    name: "WEBHOOK_ALLOW_PRIVATE",
    fallback: "false",
    meaning: "development only: webhooks may point to http: and to private addresses",
    ...yesOrNo,
  }),
  TRUST_PROXY: variable({
    name: "TRUST_PROXY",
    fallback: "false",
    meaning: "take the client's address from the last entry of X-Forwarded-For",
    ...yesOrNo,
  }),
  SECRET_KEY: optional({
    name: "SECRET_KEY",
    fallback: null,
    meaning:
      "signs links and encrypts secrets at rest; without it, one is generated beside the database at the first start; needed by Postgres, the same for every process",
    accepted: `at least ${SECRET_KEY_MIN_LENGTH} characters`,
    secret: true,
    parse: (text) =>
      text.length >= SECRET_KEY_MIN_LENGTH ? Option.some(Redacted.make(text)) : Option.none(),
  }),
  SMTP_TLS_CERT: optional({
    name: "SMTP_TLS_CERT",
    fallback: null,
    meaning: "PEM file of the certificate chain: offers STARTTLS, together with SMTP_TLS_KEY",
    accepted: "the path of a file",
    parse: someText,
  }),
  SMTP_TLS_KEY: optional({
    name: "SMTP_TLS_KEY",
    fallback: null,
    meaning: "PEM file of the certificate's key",
    accepted: "the path of a file",
    parse: someText,
  }),
  ADMIN_TOKEN: optional({
    name: "ADMIN_TOKEN",
    fallback: null,
    meaning:
      "opens `/admin/v1` (suspend, unsuspend, plans, complaints, stats), and `/metrics` from other machines, to whoever sends it as a bearer token",
    accepted: "at least 16 characters without spaces",
    secret: true,
    parse: (text) => (/^\S{16,}$/.test(text) ? Option.some(Redacted.make(text)) : Option.none()),
  }),
  SUPPORT_EMAIL: optional({
    name: "SUPPORT_EMAIL",
    fallback: null,
    meaning: "the operator's address: `POST /v1/support` mails it; that path is unknown without it",
    accepted: "an email address",
    parse: emailAddress,
  }),
  SIGNUP: variable({
    name: "SIGNUP",
    fallback: "open",
    meaning:
      "who may open an account: `open`: anybody; `invite`: who has an invitation of the operator ([how](docs/operations.md#who-may-sign-up)); `closed`: nobody",
    accepted: "open, invite or closed",
    parse: oneOf("open", "invite", "closed"),
  }),
  SIGNUPS_PER_HOUR: variable({
    name: "SIGNUPS_PER_HOUR",
    fallback: "5",
    meaning: "signups per hour, for each client address; refused ones do not count",
    accepted: "a whole number from 1 to 100000",
    parse: integer(1, 100_000),
  }),
  SEND_VELOCITY_PER_MINUTE: variable({
    name: "SEND_VELOCITY_PER_MINUTE",
    fallback: "60",
    meaning: "sends per minute, for each mailbox",
    accepted: "a whole number from 1 to 100000",
    parse: integer(1, 100_000),
  }),
  HEADER_PREFIX: variable({
    name: "HEADER_PREFIX",
    fallback: "X-Service-",
    meaning: "prefix of the service's own headers",
    accepted: "letters, digits and hyphens, ending in a hyphen",
    parse: (text) => (/^[A-Za-z][A-Za-z0-9-]{0,40}-$/.test(text) ? Option.some(text) : Option.none()),
  }),
  LOG_LEVEL: variable({
    name: "LOG_LEVEL",
    fallback: "info",
    meaning: "how much is logged",
    accepted: Object.keys(levels).join(", "),
    parse: (text) => Option.fromNullable(levels[text.toLowerCase()]),
  }),
  LOG_FORMAT: optional({
    name: "LOG_FORMAT",
    fallback: "pretty on a terminal, else json",
    meaning: "how log lines look",
    accepted: "pretty or json",
    parse: oneOf("pretty", "json"),
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    fallback: null,
    meaning:
      "address of an OpenTelemetry collector (OTLP over HTTP): spans go to `{address}/v1/traces`; without it none are made ([how](docs/operations.md#traces))",
    accepted: "an http:// or https:// address without user and query",
    secret: mayHoldPassword,
    parse: publicUrl,
  }),
}

/** The variables, read at once. */
const all = Config.all({
  httpHost: variables.HTTP_HOST.config,
  httpPort: variables.HTTP_PORT.config,
  smtpHost: variables.SMTP_HOST.config,
  smtpPort: variables.SMTP_PORT.config,
  submissionPort: variables.SUBMISSION_PORT.config,
  submissionsPort: variables.SUBMISSIONS_PORT.config,
  baseUrl: variables.BASE_URL.config,
  platformDomain: variables.PLATFORM_DOMAIN.config,
  postmasterEmail: variables.POSTMASTER_EMAIL.config,
  database: variables.DATABASE_URL.config,
  blobs: withCredentials(variables.BLOB_URL.config),
  outbound: variables.OUTBOUND_URL.config,
  reports: variables.PROVIDER_REPORTS.config,
  spamFilter: variables.SPAM_FILTER.config,
  roles: variables.ROLES.config,
  billing: variables.BILLING.config,
  payments: paymentChoice(
    Config.all({
      billing: variables.BILLING.config,
      secretKey: variables.STRIPE_SECRET_KEY.config,
      webhookSecret: variables.STRIPE_WEBHOOK_SECRET.config,
      prices: variables.STRIPE_PRICES.config,
    }),
  ),
  defaultPlan: variables.DEFAULT_PLAN.config,
  webhookAllowPrivate: variables.WEBHOOK_ALLOW_PRIVATE.config,
  trustProxy: variables.TRUST_PROXY.config,
  secretKey: variables.SECRET_KEY.config,
  tlsCertificate: variables.SMTP_TLS_CERT.config,
  tlsKey: variables.SMTP_TLS_KEY.config,
  adminToken: variables.ADMIN_TOKEN.config,
  supportEmail: variables.SUPPORT_EMAIL.config,
  signup: variables.SIGNUP.config,
  signupsPerHour: variables.SIGNUPS_PER_HOUR.config,
  sendVelocityPerMinute: variables.SEND_VELOCITY_PER_MINUTE.config,
  headerPrefix: variables.HEADER_PREFIX.config,
  logLevel: variables.LOG_LEVEL.config,
  logFormat: variables.LOG_FORMAT.config,
  traceEndpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT.config,
})
export const serverConfig = withSharedKey(all)
export type ServerConfig = Config.Config.Success<typeof serverConfig>
