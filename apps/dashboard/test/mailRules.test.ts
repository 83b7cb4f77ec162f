/** The rules of the pages of mail: folders, lists, files, invitations, search, policies. */
import { workerText } from "@mailroom/dashboard/rules/claims"
import { imageSourceOf, linkOf } from "@mailroom/dashboard/components/htmlMail/allowed"
import { fileTypeText, listedFiles } from "@mailroom/dashboard/rules/files"
import { filterOf, viewOf } from "@mailroom/dashboard/rules/folders"
import { ownAnswer, whenText } from "@mailroom/dashboard/rules/invitations"
import { addressesText, inOrder, othersOf, statusWords } from "@mailroom/dashboard/rules/messages"
import { reviewHours, reviewHoursWith } from "@mailroom/dashboard/rules/policies"
import { highlightParts, withExample } from "@mailroom/dashboard/rules/searchHelp"
import { describe, expect, it } from "vitest"

const view = (query: string) => viewOf(new URLSearchParams(query))

describe("folders", () => {
  it("an address that names no folder, or another, shows received mail", () => {
    expect(view("")).toEqual({ folder: "inbox", mailboxId: null, label: null, search: "" })
    expect(view("folder=trash&q=+x+&mailbox=m").folder).toBe("inbox")
    expect(view("folder=trash&q=+x+&mailbox=m")).toMatchObject({ search: "x", mailboxId: "m" })
  })

  it("each folder is a filter of the service", () => {
    expect(filterOf(view("folder=unread"))).toEqual({ direction: "INBOUND", unread: true })
    expect(filterOf(view("folder=sent&label=todo"))).toEqual({ direction: "OUTBOUND", labels: "todo" })
    expect(filterOf(view("folder=all"))).toEqual({})
    expect(filterOf(view("folder=quarantine"))).toMatchObject({ quarantined: true })
  })
})

describe("lists of messages", () => {
  it("threads show the others, and all when there are none", () => {
    const own = new Set(["agent@x.dev"])
    expect(othersOf(["Agent@x.dev", "bob@y.org"], own)).toEqual(["bob@y.org"])
    expect(othersOf(["agent@x.dev"], own)).toEqual(["agent@x.dev"])
  })

  it("two addresses are shown, and how many more", () => {
    expect(addressesText(["a@x", "b@x"])).toBe("a@x, b@x")
    expect(addressesText(["a@x", "b@x", "c@x", "d@x"])).toBe("a@x, b@x and 2 more")
  })

  it("received messages have no state of delivery, failed ones are bad", () => {
    expect(statusWords("RECEIVED")).toBeNull()
    expect(statusWords("BOUNCED")?.tone).toBe("bad")
    expect(statusWords("UNKNOWN")?.tone).toBe("warn")
  })
})

describe("files", () => {
  const file = {
    id: "f",
    messageId: "m",
    filename: "logo.png",
    contentType: "image/png",
    sizeBytes: 1,
    contentId: "logo@x",
    createdAt: "2026-01-01T00:00:00Z",
  }

  it("pictures that the HTML shows are not listed as files", () => {
    expect(listedFiles({ attachments: [file], bodyHtml: '<img src="cid:logo@x">' })).toEqual([])
    expect(listedFiles({ attachments: [file], bodyHtml: '<img src="cid:logo%40x">' })).toEqual([])
    expect(listedFiles({ attachments: [file], bodyHtml: "<p>no picture</p>" })).toEqual([file])
    expect(listedFiles({ attachments: [file], bodyHtml: null })).toEqual([file])
  })

  it("a type that is not known has the ending of its name", () => {
    expect(fileTypeText("application/pdf", "a.pdf")).toBe("PDF")
    expect(fileTypeText("application/octet-stream", "model.step")).toBe("STEP file")
    expect(fileTypeText("application/octet-stream", "README")).toBe("File")
  })
})

describe("invitations", () => {
  it("a whole day ends the day before its end", () => {
    expect(whenText({ start: "2026-03-10", end: "2026-03-11" }, "en-GB")).toBe("Tuesday, 10 March 2026")
    expect(whenText({ start: "2026-03-10", end: "2026-03-13" }, "en-GB")).toBe(
      "Tuesday, 10 March 2026 to Thursday, 12 March 2026",
    )
    expect(whenText({ start: null, end: null })).toBe("Without a time")
  })

  it("only a request asks the mailbox, and only one that invites it", () => {
    const attendees = [{ address: "Agent@x.dev", name: null, status: "needs-action" }] as const
    const mailbox = { fullAddress: "agent@x.dev" }
    expect(ownAnswer({ method: "REQUEST", attendees }, mailbox)).toBe("needs-action")
    expect(ownAnswer({ method: "CANCEL", attendees }, mailbox)).toBeNull()
    expect(ownAnswer({ method: "REQUEST", attendees: [] }, mailbox)).toBeNull()
  })
})

describe("search", () => {
  it("an example is added to what is written", () => {
    expect(withExample("", "is:unread")).toBe("is:unread")
    expect(withExample("invoice ", "is:unread")).toBe("invoice is:unread")
  })

  it("a highlight becomes parts, never HTML", () => {
    expect(highlightParts("a &lt;b&gt; <mark>c&amp;d</mark> &#39;e")).toEqual([
      { text: "a <b> ", isMarked: false },
      { text: "c&d", isMarked: true },
      { text: " 'e", isMarked: false },
    ])
  })
})

describe("policies", () => {
  it("hours that are no choice of the page are one more choice", () => {
    expect(reviewHoursWith(72)).toBe(reviewHours)
    expect(reviewHoursWith(5).at(-1)).toEqual({ value: "5", label: "5 hours" })
  })
})

describe("what a mail may lead to", () => {
  it("links are followed by http, https and mailto alone", () => {
    expect(linkOf("https://example.com/a b")).toBe("https://example.com/a%20b")
    expect(linkOf("mailto:ada@example.com")).toBe("mailto:ada@example.com")
    for (const href of [
      "javascript:alert(1)",
      " java\nscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "#top",
      "/relative",
      "",
    ])
      expect(linkOf(href), href).toBeNull()
  })

  it("pictures are of the mail, in it, or elsewhere by https", () => {
    expect(imageSourceOf("cid:logo%40x")).toEqual({ kind: "inline", contentId: "logo@x" })
    expect(imageSourceOf("data:image/png;base64,AA")?.kind).toBe("data")
    expect(imageSourceOf("http://example.com/a.png")).toEqual({
      kind: "remote",
      url: "https://example.com/a.png",
    })
    expect(imageSourceOf("//example.com/a.png")).toEqual({ kind: "remote", url: "https://example.com/a.png" })
    for (const src of ["x.png", "/v1/account", "data:text/html,x", "blob:https://x/1", "javascript:1"])
      expect(imageSourceOf(src), src).toBeNull()
  })
})

describe("claims in words", () => {
  it.each([
    [{ kind: "key", id: "k", name: "Worker 1" }, "“Worker 1”"],
    [{ kind: "session" }, "you"],
    [{ kind: "embedded" }, "a program on this server"],
    [null, "a worker"],
  ] as const)("%j is %s", (claimedBy, text) => expect(workerText(claimedBy)).toBe(text))
})

describe("the messages of a thread", () => {
  it("are in the order of their times, then of their ids, each once", () => {
    const [one, two, three] = [
      { id: "b", createdAt: "2026-03-09T12:00:00.000Z" },
      { id: "c", createdAt: "2026-03-09T12:00:00.000Z" },
      { id: "a", createdAt: "2026-03-09T12:00:00.001Z" },
    ]
    expect(inOrder([three, two, one, two])).toEqual([one, two, three])
  })
})
