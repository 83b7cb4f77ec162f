/** The client in a page of a browser, on a running server. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { SharedServer } from "../../../../apps/server/test/support/server.js"
import { pageAt } from "../support/browser.js"
import { jobAnswer, prepareJob } from "../support/live.js"

/** The client and the job as one script, which sets `runJob`. */
const script = Effect.promise(async () => {
  const contents = `
    import { Mailroom } from "@mailroom/client"
    import { mainJob } from "./support/job.mjs"
    globalThis.runJob = (job) => mainJob(new Mailroom(job), job)`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
  })
  return outputFiles[0]?.text ?? ""
})

layer(SharedServer.layer(), { excludeTestServices: true })("the main job", (it) => {
  it.scoped("in a page of Chromium", () =>
    Effect.gen(function* () {
      const job = yield* prepareJob(yield* SharedServer, "inpage")
      const page = yield* pageAt(job.baseUrl)
      yield* Effect.flatMap(script, (content) => Effect.promise(() => page.addScriptTag({ content })))
      const answer = yield* Effect.promise(() =>
        page.evaluate(`runJob(${JSON.stringify(job)})`).catch((error: Error) => error.message),
      )
      expect(answer).toEqual(jobAnswer("inpage"))
    }),
  )
})
