/** Recipients as people write them. */
import {
  isAddress,
  recipientOf,
  recipientText,
  recipientsIssue,
  splitRecipients,
  withRecipients,
} from "@mailroom/dashboard/rules/recipients"
import { describe, expect, it } from "vitest"

describe("recipients", () => {
  it.each([
    ["ada@acme.dev", ["ada@acme.dev"]],
    [
      "ada@acme.dev, bob@acme.dev;carol@acme.dev\ndan@acme.dev",
      ["ada@acme.dev", "bob@acme.dev", "carol@acme.dev", "dan@acme.dev"],
    ],
    ["ada@acme.dev bob@acme.dev", ["ada@acme.dev", "bob@acme.dev"]],
    ['"Doe, Ada" <ada@acme.dev>, Bob <bob@acme.dev>', ['"Doe, Ada" <ada@acme.dev>', "Bob <bob@acme.dev>"]],
    ["Ada Lovelace", ["Ada Lovelace"]],
    [" , ;\n", []],
  ])("%j is a list of %j", (text, list) => {
    expect(splitRecipients(text)).toEqual(list)
  })

  it.each([
    ["ada@acme.dev", { address: "ada@acme.dev", name: null }],
    ["Ada <ada@acme.dev>", { address: "ada@acme.dev", name: "Ada" }],
    [String.raw`"Doe, \"A\"" <ada@acme.dev>`, { address: "ada@acme.dev", name: 'Doe, "A"' }],
  ])("%s has a name and an address", (text, recipient) => {
    expect(recipientOf(text)).toEqual(recipient)
  })

  it("with any name are written so that they read back", () => {
    const recipient = { address: "ada@acme.dev", name: String.raw`Doe, "A" \ <x>` }
    expect(recipientOf(recipientText(recipient))).toEqual(recipient)
  })

  it.each(["ada", "ada@", "@acme.dev", "ada@acme", "a b@acme.dev", "<ada@acme.dev>", "ada@acme.dev."])(
    "%s is no address",
    (text) => {
      expect(isAddress(text)).toBe(false)
    },
  )

  it("are each there once, whatever their case and name", () => {
    expect(withRecipients(["Ada@acme.dev"], ["Ada <ada@acme.dev>", "bob@acme.dev", "bob@acme.dev"])).toEqual([
      "Ada@acme.dev",
      "bob@acme.dev",
    ])
  })

  it("are 50 at most", () => {
    const many = Array.from({ length: 51 }, (_, at) => `a${at}@acme.dev`)
    expect(recipientsIssue(many.slice(1))).toBeUndefined()
    expect(recipientsIssue(many)).toBe("These are 51 recipients. At most 50 are allowed here.")
  })
})
