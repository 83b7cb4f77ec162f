import { isDisposableDomain, isTestDomain } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

describe("test domains", () => {
  for (const domain of [
    "example.com",
    "example.net",
    "example.org",
    "EXAMPLE.com",
    "test",
    "acme.test",
    "a.b.example",
    "nowhere.invalid",
    "localhost",
    "mail.localhost",
    "Acme.TEST",
  ])
    it(`decisions.send.test-domains: ${domain} is one`, () => {
      expect(isTestDomain(`ada@${domain}`)).toBe(true)
    })

  for (const domain of [
    "acme.dev",
    "test.com",
    "contest",
    "mytest.org",
    "example.de",
    "notexample.com",
    "localhost.dev",
    "example.com.dev",
  ])
    it(`decisions.send.test-domains: ${domain} is none`, () => {
      expect(isTestDomain(`ada@${domain}`)).toBe(false)
    })
})

describe("disposable addresses", () => {
  for (const domain of ["mailinator.com", "yopmail.com", "guerrillamail.com", "MAILINATOR.com"])
    it(`messages.send.rule-3-disposable: ${domain} is disposable`, () => {
      expect(isDisposableDomain(`ada@${domain}`)).toBe(true)
    })

  it("messages.send.rule-3-disposable: so are all its subdomains", () => {
    expect(isDisposableDomain("ada@team.mailinator.com")).toBe(true)
    expect(isDisposableDomain("ada@a.b.c.mailinator.com")).toBe(true)
  })

  for (const domain of [
    "notmailinator.com",
    "mailinator.com.acme.dev",
    "mailinator.acme.dev",
    "com",
    "acme.dev",
  ])
    it(`messages.send.rule-3-disposable: ${domain} is not`, () => {
      expect(isDisposableDomain(`ada@${domain}`)).toBe(false)
    })

  it("messages.send.rule-3-disposable: the local part does not matter", () => {
    expect(isDisposableDomain("mailinator.com@acme.dev")).toBe(false)
  })
})
