/** Slugs: the permanent subdomain of an account (spec: service.slug, decisions.reserved-slugs). */
import { Schema } from "effect"

export const Slug = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9](?:[a-z0-9-]{1,28}[a-z0-9])$/, {
    message: () =>
      "a slug has 3 to 30 lower-case letters, digits and hyphens, and neither starts nor ends with a hyphen",
  }),
).annotations({
  identifier: "Slug",
  description: "3 to 30 lower-case letters, digits and hyphens; neither the first nor the last is a hyphen",
  examples: ["acme-bot"],
})

const reserved: ReadonlySet<string> = new Set(
  (
    "abuse account accounts admin administrator api app assets auth autoconfig autodiscover billing blog bounce " +
    "bounces cdn console dashboard dev dns docs download email ftp help hostmaster imap info internal localhost " +
    "login mail mailer-daemon mailroom mcp metrics mta-sts mx no-reply noreply ns ns1 ns2 pop pop3 postmaster " +
    "public root security signup simulator smtp ssl static status stats support system test webhook webhooks webmail www"
  ).split(" "),
)

/** `xn--` begins the ASCII form of an international name, which clients would display differently (RFC 5890 §2.3.1). */
export const isReservedSlug = (slug: string): boolean => reserved.has(slug) || slug.startsWith("xn--")
