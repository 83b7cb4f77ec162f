/** The snippets of the guides run as they are printed, against a service, and print what the page shows. */
import { expect, it, layer } from "@effect/vitest"
import { freePort, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { mkdir, readFile, symlink } from "node:fs/promises"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { root } from "@mailroom/docs/site/root"
import { SharedServer } from "../../../server/test/support/server.js"
import { blocksOf, isShown, kindOf, outputsOf, scriptOf } from "../support/guide.js"
import { newReader, verified } from "../support/reader.js"
import { shell } from "../support/shell.js"

const folder = join(root, "docs/guides")
const guides = readdirSync(folder).filter((name) => name !== "README.md")

/** As `mailroom dev` runs it, with a lower limit, which a guide reaches. */
const settings = {
  BILLING: "none",
  DEFAULT_PLAN: "Scale",
  WEBHOOK_ALLOW_PRIVATE: "true",
  SIGNUPS_PER_HOUR: "100",
  SEND_VELOCITY_PER_MINUTE: "10",
}

const readGuide = (name: string) => readFile(join(folder, name), "utf8")

/** A folder with the packages that programs import. */
const workplace = Effect.tap(temporaryFolder, (place) =>
  Effect.promise(async () => {
    await mkdir(join(place, "node_modules"))
    for (const name of ["@mailroom", "mailroom"])
      await symlink(join(root, "node_modules", name), join(place, "node_modules", name))
  }),
)

/** The ports that pages name for programs of the reader. */
const withFreePorts = (script: string) =>
  Effect.gen(function* () {
    const [web, smtp] = [yield* freePort, yield* freePort]
    return script.replace("PORT=8080", `PORT=${web}`).replace("SMTP_PORT=2525", `SMTP_PORT=${smtp}`)
  })

layer(SharedServer.layer(settings), { excludeTestServices: true })("the guide", (it) => {
  it.scoped.each(guides)("%s does what it says", (name) =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const blocks = blocksOf(yield* Effect.promise(() => readGuide(name)))
      const reader = yield* Effect.flatMap(newReader(server, name.replace(".md", "")), verified)
      const printed = yield* shell(yield* workplace, yield* withFreePorts(scriptOf(blocks)), {
        MAILROOM_URL: server.url,
        MAILROOM_SMTP: `127.0.0.1:${server.smtpPort}`,
        MAILROOM_API_KEY: reader.key,
        ADDRESS: reader.address,
        MAILBOX: reader.mailboxId,
      })
      const outputs = outputsOf(printed.stdout)
      const ran = blocks.filter((block) => ["run", "output"].includes(kindOf(block)))
      let position = -1
      for (const block of ran) {
        if (kindOf(block) === "run") position += 1
        else if (!isShown(block.code, outputs[position] ?? ""))
          expect(`${outputs[position]}\n${printed.stderr}`).toBe(block.code)
      }
      // The last part is empty: every block has ended.
      expect(outputs.length - 1, printed.stderr).toBe(position + 1)
    }),
  )
})

it("few blocks of the guides are not run, each for a reason", async () => {
  const reasons = (await Promise.all(guides.map(readGuide)))
    .flatMap(blocksOf)
    .flatMap(({ notRun }) => notRun ?? [])
  expect(reasons.toSorted()).toEqual([
    "does-not-end",
    "is-the-service-of-this-page",
    "needs-DNS",
    "needs-Docker",
    "needs-the-npm-registry",
    "needs-the-npm-registry",
    "runs-in-the-folder-of-the-service",
  ])
})

it("an output with other words than the page shows is found", () => {
  expect(isShown('{"a":1,…"c":3}', '{"a":1, "b":2, "c":3}')).toBe(true)
  expect(isShown('{"a":1,…"c":3}', '{"a":1, "b":2, "c":4}')).toBe(false)
})
