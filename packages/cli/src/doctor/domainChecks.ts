/** Checks a mail domain from outside: its DNS records, and the servers that receive its mail. */
import { Clock, Effect } from "effect"
import { type Finding, finding, ok, problem, skipped, type Verdict, warning } from "./Finding.js"
import { answer, Dns, fetchedText, reasonOf, smtpServer } from "./network.js"
import {
  judgeCertificate,
  judgeDkim,
  judgeDmarc,
  judgeMtaSts,
  judgeSpf,
  judgeTlsReporting,
} from "./records.js"

const SMTP_PORT = 25

const noAnswer = skipped("The name servers do not answer.", "Try again; if it stays, ask who runs your DNS.")

/** Judges the TXT records of a name. */
const txtCheck = (check: string, name: string, judge: (records: ReadonlyArray<string>) => Verdict) =>
  Effect.flatMap(Dns, ({ txt }) =>
    Effect.map(
      answer(() => txt(name)),
      (records) => finding(check, name)(records === null ? noAnswer : judge(records)),
    ),
  )

/** The reverse name of an address has to lead back to it: many servers refuse mail of others (RFC 1912 §2.1). */
const ptrCheck = Effect.fnUntraced(function* (address: string) {
  const { names, addresses } = yield* Dns
  const of = finding("ptr", address)
  const [name] = (yield* answer(() => names(address))) ?? []
  if (name === undefined)
    return of(
      warning(
        "The address has no name (PTR).",
        "Ask who gave you the address to set its PTR record; hosts that only receive need none.",
      ),
    )
  const back = (yield* answer(() => addresses(name))) ?? []
  return of(
    back.includes(address)
      ? ok(`${name} leads back to it.`)
      : warning(`Its name ${name} does not lead back to it.`, `Publish an address record of ${name}.`),
  )
})

/** Says hello to a host that receives mail, and looks at its certificate. */
export const smtpChecks = (host: string, port: number) =>
  Effect.gen(function* () {
    const subject = `${host}:${port}`
    const now = yield* Clock.currentTimeMillis
    const { banner, certificate } = yield* Effect.tryPromise(() => smtpServer(host, port))
    return [
      finding(
        "smtp",
        subject,
      )(
        banner.startsWith("220")
          ? ok(banner.trim())
          : problem(`It greets with ${banner.trim()}`, "Look at the log of the server."),
      ),
      finding(
        "smtp-tls",
        subject,
      )(
        certificate === null
          ? warning(
              "It offers no STARTTLS: mail to it is not encrypted.",
              "Set SMTP_TLS_CERT and SMTP_TLS_KEY.",
            )
          : judgeCertificate(certificate.reason, certificate.validTo, now),
      ),
    ]
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed([
        finding(
          "smtp",
          `${host}:${port}`,
        )(
          problem(
            `No connection: ${reasonOf(error)}.`,
            port === SMTP_PORT
              ? "Open port 25, and run this where it is not blocked: many networks block it."
              : "Check that the server runs, and its firewall.",
          ),
        ),
      ]),
    ),
  )

const hostChecks = Effect.fnUntraced(function* (host: string) {
  const { addresses } = yield* Dns
  const found = yield* answer(() => addresses(host))
  const of = finding("mx-host", host)
  if (found === null) return [of(noAnswer)]
  if (found.length === 0) return [of(problem("It has no address.", `Publish an address record of ${host}.`))]
  const servers = yield* smtpChecks(host, SMTP_PORT)
  const reverse = yield* Effect.forEach(found, ptrCheck, { concurrency: "unbounded" })
  return [of(ok(found.join(", "))), ...servers, ...reverse]
})

/** All checks of a domain. `selectors`: the names of its DKIM keys, which DNS does not list. */
export const domainChecks = Effect.fnUntraced(function* (domain: string, selectors: ReadonlyArray<string>) {
  const { mx, txt } = yield* Dns
  const found = yield* answer(() => mx(domain))
  const hosts = (found ?? []).toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange)
  const of = finding("mx", domain)
  const mxFinding =
    found === null
      ? of(noAnswer)
      : of(
          hosts.length === 0
            ? problem(
                "There is no MX record: the domain gets no mail.",
                "Publish an MX record that names the host of the service.",
              )
            : ok(hosts.join(", ")),
        )
  const [policyRecords, policy] = yield* Effect.all(
    [
      answer(() => txt(`_mta-sts.${domain}`)),
      fetchedText(`https://mta-sts.${domain}/.well-known/mta-sts.txt`),
    ],
    { concurrency: "unbounded" },
  )
  const records = yield* Effect.all(
    [
      txtCheck("spf", domain, judgeSpf),
      ...selectors.map((selector) => txtCheck("dkim", `${selector}._domainkey.${domain}`, judgeDkim)),
      txtCheck("dmarc", `_dmarc.${domain}`, judgeDmarc),
      txtCheck("tls-rpt", `_smtp._tls.${domain}`, judgeTlsReporting),
    ],
    { concurrency: "unbounded" },
  )
  const noSelector: ReadonlyArray<Finding> =
    selectors.length > 0
      ? []
      : [
          finding(
            "dkim",
            domain,
          )(
            skipped(
              "DNS does not list DKIM keys.",
              "Name the selector with --selector; mailroom domains show has it.",
            ),
          ),
        ]
  const sts = finding(
    "mta-sts",
    domain,
  )(policyRecords === null ? noAnswer : judgeMtaSts(policyRecords, policy, hosts))
  const servers = yield* Effect.forEach(hosts, hostChecks, { concurrency: "unbounded" })
  return [mxFinding, ...records, ...noSelector, sts, ...servers.flat()]
})
