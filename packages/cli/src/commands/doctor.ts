/** `doctor`: what is wrong with a mail domain, a service, or the machine of a service, and what to do. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { Effect, Option } from "effect"
import { domainChecks, smtpChecks } from "../doctor/domainChecks.js"
import type { Finding } from "../doctor/Finding.js"
import { serviceChecks } from "../doctor/serviceChecks.js"
import { CliError, usageError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { flag, json, optionalText, texts } from "../options.js"
import { selectedProfile, serviceUrl } from "../session/credentials.js"
import { Output, type Styles } from "../terminal/Output.js"
import { safeLine } from "../terminal/safeText.js"
import { environmentValue, Shell } from "../terminal/Shell.js"

/** Signs that do without colours. */
const SIGNS = { ok: "ok      ", warning: "warning ", problem: "PROBLEM ", skipped: "skipped " } as const

const lineOf = (
  { bold, faint, red, green }: Styles,
  { check, subject, state, message, hint }: Finding,
): string => {
  const paint = { ok: green, warning: bold, problem: red, skipped: faint }[state]
  const first = `${paint(SIGNS[state])} ${check.padEnd(8)} ${safeLine(subject)}: ${safeLine(message)}`
  return hint === "" ? first : `${first}\n           ${safeLine(hint)}`
}

/** `host:port` of an SMTP server. */
const smtpTarget = (target: string) => {
  const [, host, port] = /^([^:\s]+|\[[0-9a-f:]+\]):(\d{1,5})$/i.exec(target) ?? []
  return host === undefined || port === undefined
    ? usageError(`${target} is no SMTP server.`, "Write it as mx.example.com:25.")
    : Effect.succeed({ host: host.replace(/^\[|\]$/g, ""), port: Number(port) })
}

/** The URL that is given, or, without a domain, that of the environment or the profile. */
const urlToCheck = Effect.fnUntraced(function* (url: Option.Option<string>, isOnly: boolean) {
  if (Option.isSome(url)) return yield* Effect.asSome(serviceUrl(url.value))
  if (!isOnly) return Option.none<string>()
  const shell = yield* Shell
  const { profile } = yield* selectedProfile({ profile: Option.none() })
  const known = environmentValue(shell, "MAILROOM_URL") ?? profile?.url
  return known === undefined
    ? yield* usageError("There is nothing to check.", "Name a domain, or a service with --url.")
    : yield* Effect.asSome(serviceUrl(known))
})

const checked = Effect.fnUntraced(function* (
  domain: Option.Option<string>,
  url: Option.Option<string>,
  smtp: Option.Option<string>,
  selectors: ReadonlyArray<string>,
  isServer: boolean,
) {
  const { fetch } = yield* Shell
  const isUrlOnly = Option.isNone(domain) && Option.isNone(smtp) && !isServer
  const service = yield* urlToCheck(url, isUrlOnly)
  const receiver = yield* Effect.transposeMapOption(smtp, smtpTarget)
  const none: Effect.Effect<ReadonlyArray<Finding>> = Effect.succeed([])
  const parts = yield* Effect.all(
    [
      Option.isSome(service) ? serviceChecks(fetch, service.value) : none,
      Option.isSome(receiver) ? smtpChecks(receiver.value.host, receiver.value.port) : none,
      Option.isSome(domain) ? domainChecks(domain.value, selectors) : none,
      isServer
        ? Effect.flatMap(
            Effect.promise(() => import("../doctor/serverChecks.js")),
            ({ serverChecks }) => serverChecks,
          )
        : none,
    ],
    { concurrency: "unbounded" },
  )
  return parts.flat()
})

export const doctor = Command.make(
  "doctor",
  {
    domain: Args.text({ name: "domain" }).pipe(
      Args.withDescription("a mail domain: MX, SPF, DKIM, DMARC, MTA-STS, TLS reports, and its servers"),
      Args.optional,
    ),
    url: optionalText("url", "a service: connection, certificate, readiness, clock, version"),
    smtp: optionalText("smtp", "a server that receives mail, as mx.example.com:25"),
    selectors: texts("selector", "selector of a DKIM key of the domain"),
    server: flag("server", "on the machine of a service, with its settings: relay and disk"),
    json,
  },
  ({ domain, url, smtp, selectors, server, json }) =>
    Effect.gen(function* () {
      const output = yield* Output
      const items = yield* checked(domain, url, smtp, selectors, server)
      if (json) yield* output.json({ items, hasMore: false })
      else yield* output.write(items.map((item) => lineOf(output.styles, item)).join("\n"))
      const problems = items.filter(({ state }) => state === "problem").length
      if (problems > 0)
        return yield* new CliError({
          exitCode: exitCodes.failure,
          message: problems === 1 ? "There is a problem." : `There are ${problems} problems.`,
          hint: "The lines above say what to do.",
        })
    }).pipe(Effect.provide(Output.layer(json))),
).pipe(
  Command.withDescription(
    "Check a domain, a service, or without either the service of the profile; exits with 1 for a problem",
  ),
)
