import { isPagePath, matchPath, safeNext } from "@mailroom/dashboard/rules/paths"
import { describe, expect, it } from "vitest"

const ORIGIN = "https://mail.example.com"

describe("where to go after signing in", () => {
  it.each(["/dashboard", "/dashboard/mail/1?unread=true#last", "/onboarding", "/operator/accounts?q=a%2Fb"])(
    "%s is a page of the dashboard, and stays",
    (next) => {
      expect(safeNext(next, ORIGIN)).toBe(next)
    },
  )

  it.each([
    null,
    "",
    "dashboard",
    "//evil.test",
    "///evil.test/dashboard",
    "/\\evil.test",
    "\\\\evil.test",
    "https://evil.test/dashboard",
    "HTTPS:evil.test",
    "javascript:alert(1)",
    "data:text/html,x",
    "/\tdashboard",
    "/\n/evil.test",
    "/ /evil.test",
    "/dashboard/../../evil",
    "/dashboard/..//evil.test",
    "/dashboardx",
    "/onboarding/x",
    "/signin?next=/dashboard",
    "/docs",
    "/v1/account",
    "//",
    "/\u0000",
  ])("%j leads to the dashboard instead", (next) => {
    expect(safeNext(next, ORIGIN)).toBe("/dashboard")
  })
})

describe("the path of a page", () => {
  it("gives its variable parts decoded", () => {
    expect(matchPath("/dashboard/mail/:mailboxId/:threadId", "/dashboard/mail/a%20b/c/")).toEqual({
      mailboxId: "a b",
      threadId: "c",
    })
  })

  it.each([
    ["/dashboard", "/dashboard/mail"],
    ["/dashboard/mail/:id", "/dashboard/mail"],
    ["/dashboard/mail/:id", "/dashboard/mail/"],
    ["/dashboard/mail/:id", "/dashboard/mail/%E0%A4"],
    ["/dashboard/mail", "/dashboard/Mail"],
  ])("%s does not match %s", (pattern, path) => {
    expect(matchPath(pattern, path)).toBeNull()
  })

  it("is told from paths of the API and of pages without script", () => {
    const paths = [
      "/signup",
      "/dashboard",
      "/dashboard/x/y",
      "/operator/x",
      "/",
      "/docs",
      "/v1/account",
      "/dashboards",
    ]
    expect(paths.filter(isPagePath)).toEqual(["/signup", "/dashboard", "/dashboard/x/y", "/operator/x"])
  })
})
