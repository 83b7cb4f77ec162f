import { isReservedSlug, Slug } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accepts, drawn } from "./support/records.js"

describe("slugs", () => {
  it("resources.account.slug: have 3 to 30 characters", () => {
    expect(accepts(Slug, "ab")).toBe(false)
    expect(accepts(Slug, "abc")).toBe(true)
    expect(accepts(Slug, "a".repeat(30))).toBe(true)
    expect(accepts(Slug, "a".repeat(31))).toBe(false)
  })

  it("resources.account.slug: have lower-case alphanumerics and hyphens only", () => {
    for (const slug of ["acme", "acme-bot", "4711", "a-1-b"]) expect(accepts(Slug, slug), slug).toBe(true)
    for (const slug of ["Acme", "ac_me", "ac.me", "ac me", "acmé", "acme\n", "", "ａｃｍｅ"])
      expect(accepts(Slug, slug), slug).toBe(false)
  })

  it("resources.account.slug: are a subdomain, so no hyphen begins or ends them", () => {
    for (const slug of ["-acme", "acme-", "---"]) expect(accepts(Slug, slug), slug).toBe(false)
  })

  it.prop(
    "resources.account.slug: every slug is a host name label",
    [FastCheck.string({ unit: FastCheck.constantFrom(...Array.from("ab9-_.A ")), maxLength: 33 })],
    ([text]) => {
      const label = /^[a-z0-9-]{3,30}$/.test(text) && !text.startsWith("-") && !text.endsWith("-")
      expect(accepts(Slug, text)).toBe(label)
    },
    drawn,
  )
})

describe("reserved slugs", () => {
  for (const slug of "admin api app docs help mail mx ns postmaster root smtp status support webmail www".split(
    " ",
  ))
    it(`decisions.reserved-slugs: ${slug} is reserved`, () => {
      expect(isReservedSlug(slug)).toBe(true)
    })

  it("RFC 5890 §2.3.1: what would be read as an international name is reserved", () => {
    for (const slug of ["xn--bcher-kva", "xn--a"]) expect(isReservedSlug(slug), slug).toBe(true)
    for (const slug of ["xn-acme", "acme-xn--a"]) expect(isReservedSlug(slug), slug).toBe(false)
  })

  it("decisions.reserved-slugs: other names are free, also those that contain a reserved one", () => {
    for (const slug of ["acme", "mailer", "api-acme", "wwwacme", "constructor", "toString"])
      expect(isReservedSlug(slug), slug).toBe(false)
  })
})
