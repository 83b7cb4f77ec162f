/** What the search finds, and in which order. */
import { expect, it } from "vitest"
import { makeIndex } from "@mailroom/docs/search/index"
import { searchIn, wordsIn } from "@mailroom/docs/search/query"
import type { Page } from "@mailroom/docs/site/Page"

const page = (path: string, title: string, sections: Page["sections"]): Page => ({
  path,
  title,
  description: "",
  html: "",
  headings: [],
  sections: [{ anchor: "", heading: title, text: "" }, ...sections],
  layout: "text",
})

const index = makeIndex([
  page("errors", "Errors", [
    { anchor: "MAILBOX_NOT_FOUND", heading: "MAILBOX_NOT_FOUND", text: "no such mailbox" },
    { anchor: "repeat", heading: "Repeat", text: "an Idempotency-Key makes it safe" },
  ]),
  page("receive", "Receive mail", [
    { anchor: "wait", heading: "Wait", text: "for a message in a mailbox" },
    { anchor: "stream", heading: "Stream", text: "message.received comes here, wait no more" },
  ]),
])
const search = searchIn(index)
const urls = (query: string) => search(query).map(({ url }) => url)

it("a heading comes before a text with the word", () => {
  expect(urls("wait")).toEqual(["/docs/receive#wait", "/docs/receive#stream"])
})

it("every word of the query must be there; the last may be half a word", () => {
  expect(urls("mailbox mess")).toEqual(["/docs/receive#wait"])
  expect(urls("mailbox nothing")).toEqual([])
})

it("names are found whole, in parts, and in any case", () => {
  expect(wordsIn("MAILBOX_NOT_FOUND")).toEqual(["mailbox_not_found", "mailbox", "not", "found"])
  expect(urls("mailbox_not")).toEqual(["/docs/errors#MAILBOX_NOT_FOUND"])
  expect(urls("message.received")).toEqual(["/docs/receive#stream"])
  expect(urls("IDEMPOTENCY")).toEqual(["/docs/errors#repeat"])
})

it("words that are everywhere are passed over", () => {
  expect(urls("wait for the message")).toEqual(["/docs/receive#wait", "/docs/receive#stream"])
  expect(urls("the")).toEqual([])
})

it("a page is found by its title, and an empty query finds nothing", () => {
  expect(urls("receive mail")[0]).toBe("/docs/receive")
  expect(urls("  ")).toEqual([])
})
