/** The page at `/`: what the service is, how to begin, and its documents. It works without script and without the dashboard. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { escapeHtml, type Plan, plans } from "@mailroom/domain"
import { type EngineSettings, Settings } from "@mailroom/engine"
import { Effect, Option } from "effect"
import { DashboardFiles } from "../DashboardFiles.js"
import { HttpSettings } from "../HttpSettings.js"
import { isLocalClient } from "../requests.js"
import { MARK } from "./design.js"
import { pageHeaders, policyWithStyle } from "./headers.js"
import { documentText } from "./html.js"
import { landingStyle } from "./landingStyle.js"

/** What is shown beside the texts that all have. */
interface Shown {
  readonly settings: EngineSettings
  /** whether there are pages to sign up and to sign in */
  readonly hasDashboard: boolean
  /** whether the client may read the development outbox */
  readonly hasOutbox: boolean
}

const link = (href: string, text: string, className = ""): string =>
  `<a href="${href}"${className === "" ? "" : ` class="${className}"`}>${text}</a>`

const head = ({ hasDashboard }: Shown): string =>
  `<header class="top"><a class="brand" href="/">${MARK}Mailroom</a><nav aria-label="Main">${link("/docs", "Docs")}` +
  `${hasDashboard ? link("/signin", "Sign in") : ""}</nav></header>`

const mayJoin = ({ hasDashboard, settings }: Shown): boolean => hasDashboard && settings.signup !== "closed"

const sample = ({ settings: { baseUrl, platformDomain } }: Shown): string => {
  const shell = (text: string) => `<span class="in"><span class="faint">$</span> ${text}</span>\n`
  return (
    `<figure class="window"><figcaption>From nothing to a code in two calls</figcaption><pre tabindex="0">` +
    shell(`curl ${escapeHtml(baseUrl)}/v1/signup --json '{"slug": "acme", …}'`) +
    `{ "mailbox": { "address": <b>"agent@acme.${escapeHtml(platformDomain)}"</b> },\n  "api_key": { "key": "mr_5f0c…" } }\n\n` +
    shell(`curl "${escapeHtml(baseUrl)}/v1/messages/wait?hasCode=true" -H …`) +
    `{ "message": {\n    "fromAddress": "login@bank.example",\n    "subject": "Your sign-in code",\n` +
    `    "codes": [{ "code": <b>"481 207"</b> }],\n    "trust": { "level": <b>"verified"</b> } } }` +
    `</pre></figure>`
  )
}

const hero = (shown: Shown): string =>
  `<section class="hero"><div><h1>Mailboxes for software agents</h1>` +
  `<p class="lead">An agent signs up over HTTP and has a real address. Mail arrives as JSON the moment it is there, and the ` +
  `answer leaves in the same thread. You see everything, approve what matters, and stop it with one switch.</p>` +
  `<p class="actions">${mayJoin(shown) ? link("/signup", "Create an account", "button") : ""}` +
  `${link("/docs", "Read the docs", "button second")}</p></div>${sample(shown)}</section>`

const features: ReadonlyArray<readonly [title: string, text: string]> = [
  [
    "Mail, live",
    "A stream of events, signed webhooks, or one call that waits. Nothing is missed and nothing comes twice.",
  ],
  [
    "Threads that hold",
    "Replies, forwards, attachments and their text, invitations, codes and links: found and ready to use.",
  ],
  [
    "A person decides",
    "Hold what goes to strangers, or everything. You read the whole mail, then approve it or send it back.",
  ],
  [
    "Told whom to believe",
    "SPF, DKIM and DMARC become one level of trust with its reasons. Suspicious mail can wait outside.",
  ],
  [
    "Tools for models",
    "An MCP server, a typed client, a command line, SMTP submission, and an OpenAPI document.",
  ],
  [
    "Yours to run",
    "One process with SQLite, or many on Postgres and S3. Open source, and your mail stays with you.",
  ],
]

const featureList = `<section aria-labelledby="what"><h2 id="what">What an agent gets</h2><ul class="features">${features
  .map(([title, text]) => `<li><h3>${title}</h3><p>${text}</p></li>`)
  .join("")}</ul></section>`

/** Made once: making one takes longer than the whole page. */
const numbers = new Intl.NumberFormat("en")

const amount = (limit: number | null): string => (limit === null ? "Unlimited" : numbers.format(limit))

const planCard = (name: Plan, shown: Shown): string => {
  const { priceUsd, mailboxes, sendsPerDay, inboundPerMonth, customDomains } = plans[name]
  const lines = [
    `${amount(mailboxes)} mailboxes`,
    `${amount(sendsPerDay)} sends a day for each`,
    `${amount(inboundPerMonth)} received mails a month`,
    customDomains === 0 ? "" : `${amount(customDomains)} custom domain${customDomains === 1 ? "" : "s"}`,
  ].filter((line) => line !== "")
  const join = mayJoin(shown) ? link(`/signup?plan=${name}`, `Choose ${name}`, "button second") : ""
  return (
    `<li><h3>${name}</h3><p class="price"><b>$${priceUsd}</b> a month</p>` +
    `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>${join}</li>`
  )
}

const paidPlans = ["Developer", "Growth", "Scale"] as const

const planList = (shown: Shown): string =>
  shown.settings.billing === "none"
    ? ""
    : `<section aria-labelledby="plans"><h2 id="plans">Plans</h2>` +
      `<p class="lead">Begin without a card: three days, and ten mails each way between you and your agent.</p>` +
      `<ul class="plans">${paidPlans.map((name) => planCard(name, shown)).join("")}</ul></section>`

const foot = ({ hasOutbox }: Shown): string =>
  `<footer><nav aria-label="Documents">${link("/docs", "Docs")}${link("/openapi.json", "OpenAPI")}` +
  `${link("/llms.txt", "For language models")}${link("/skill.md", "Skill")}` +
  `${hasOutbox ? link("/dev/outbox", "Development outbox") : ""}</nav></footer>`

const headers = {
  ...pageHeaders,
  "cache-control": "no-store",
  "content-security-policy": policyWithStyle(landingStyle),
}

const landing = (shown: Shown) =>
  HttpServerResponse.html(
    documentText({
      title: "Mailboxes for software agents",
      style: landingStyle,
      body: `${head(shown)}<main>${hero(shown)}${featureList}${planList(shown)}</main>${foot(shown)}`,
    }),
  ).pipe(HttpServerResponse.setHeaders(headers))

export const landingPage = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { developmentOutbox, trustProxy } = yield* HttpSettings
    const settings = yield* Settings
    const hasDashboard = Option.isSome(yield* DashboardFiles)
    const withOutbox = landing({ settings, hasDashboard, hasOutbox: true })
    const without = landing({ settings, hasDashboard, hasOutbox: false })
    const shown = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      developmentOutbox && isLocalClient(request, trustProxy, settings.baseUrl) ? withOutbox : without,
    )
    yield* router.get("/", shown)
  }),
)
