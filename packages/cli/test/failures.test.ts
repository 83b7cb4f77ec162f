/** What a command prints when it fails, and its exit codes. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { exitCodes } from "../src/exitCodes.js"
import { startCli } from "./support/cli.js"

const { agent } = startCli()

it("every failure is two lines, an exit code by its kind, and no key or stack trace", async () => {
  const { cli, key } = await agent()
  const cases = [
    [["frobnicate"], {}, exitCodes.usage],
    [["inbox", "--frobnicate"], {}, exitCodes.usage],
    [["inbox", "--limit", "0"], {}, exitCodes.usage],
    [["inbox", "--since", "yesterday"], {}, exitCodes.usage],
    [["send", "--to", "a@corp.dev"], {}, exitCodes.usage],
    [["send", "--to", "a@corp.dev", "--subject", "x"], {}, exitCodes.usage],
    [
      ["send", "--to", "a@corp.dev", "--subject", "x", "--attach", "/none", "--text", "x"],
      {},
      exitCodes.usage,
    ],
    [["mailboxes", "remove", "agent"], { input: "" }, exitCodes.usage],
    [["send", "--to", "not an address", "--subject", "x", "--text", "x"], {}, exitCodes.refused],
    [["read", "none"], {}, exitCodes.nothing],
    [["inbox", "--mailbox", "none"], {}, exitCodes.nothing],
    [["whoami"], { environment: { MAILROOM_API_KEY: "mr_0" } }, exitCodes.signedOut],
    [["whoami", "--profile", "none"], {}, exitCodes.signedOut],
  ] as const
  for (const [words, given, code] of cases) {
    const ran = await cli(words, given)
    expect({ words, code: ran.code, out: ran.out }).toEqual({ words, code, out: "" })
    expect(ran.err.trimEnd().split("\n")).toHaveLength(2)
    expect(ran.err).not.toMatch(/mr_|^\s+at /m)
    expect(ran.err).not.toContain(key)
  }
  const refused = await cli(["send", "--to", "x", "--subject", "x", "--text", "x", "--json"])
  expect(JSON.parse(refused.err)).toMatchObject({ code: "VALIDATION_FAILED", exitCode: exitCodes.refused })
})

it("a refused request names the options that are wrong, once, and the help of the command", async () => {
  const { cli } = await agent()
  const refused = await cli(["send", "--to", "a@corp.dev", "--to", "x", "--subject", "", "--text", "x"])
  expect(refused.err.split("\n")).toEqual([
    expect.stringMatching(/^--to number 2: must be one email address.*; --subject: must have/),
    "mailroom send --help shows how it is used.",
    "",
  ])
  expect(refused.err).not.toContain("example.org")
  const words = ["drafts", "create", "--text", "x", "--at", "soon"]
  expect((await cli(words)).err).toMatch(/^--at: must be .*\nmailroom drafts create --help /)
  const test = await cli(["send", "--to", "ada@example.org", "--subject", "x", "--text", "x"])
  expect(test.err).toMatch(/: test domain\nTest domains, .*delivered@simulator/)
})

it("a key that cannot be sent is told before a request, and not repeated", async () => {
  const { cli } = await agent()
  const refused = await cli(["whoami"], { environment: { MAILROOM_API_KEY: "mr_1234…" } })
  expect(refused).toMatchObject({ code: exitCodes.signedOut, out: "" })
  expect(refused.err).toMatch(/^The API key has a character .*\n.*mailroom login/)
  expect(refused.err).not.toContain("mr_")
})

it("a service that redirects has another URL, which the failure names", async () => {
  const { cli } = await agent()
  const failed = await cli(["whoami"], {
    fetch: async () => Response.redirect("https://mail.test/v1/whoami", 302),
  })
  expect(failed).toMatchObject({ code: exitCodes.unreachable, out: "" })
  expect(failed.err).toMatch(/ redirects to https:\/\/mail\.test, .*\n.*MAILROOM_URL/)
})

it("the exit codes are those of the documentation", () => {
  const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8")
  const documented = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))
  expect(documented).toEqual(Object.values(exitCodes))
})
