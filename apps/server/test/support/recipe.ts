/** The programs of docs/recipes, exactly as they are printed, in processes of their own. */
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Account } from "./account.js"
import { type RunningProgram, spawnNode, type Variables } from "./process.js"
import type { Server } from "./server.js"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Recipe {
  /** Runs Node with these arguments in the folder of the program, with the address of the server and the key of the account. */
  readonly node: (
    args: ReadonlyArray<string>,
    variables?: Variables,
  ) => Effect.Effect<RunningProgram, never, Scope.Scope>
}

const programOf = async (page: string): Promise<string> => {
  const text = await readFile(join(root, "docs/recipes", page), "utf8")
  const [program, ...more] = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code)
  if (program === undefined || more.length > 0) throw new Error(`${page} must have one program`)
  return program
}

/** The program of a page, saved as `file` in a folder in which the packages of Mailroom are installed. */
export const recipe = (
  page: string,
  file: string,
  server: Pick<Server, "url">,
  account: Pick<Account, "key">,
): Effect.Effect<Recipe, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.promise(async () => {
      await mkdir(join(folder, "node_modules"))
      await symlink(join(root, "node_modules/@mailroom"), join(folder, "node_modules/@mailroom"))
      await writeFile(join(folder, file), await programOf(page))
    })
    return {
      node: (args, variables = {}) =>
        spawnNode(folder, { ...variables, MAILROOM_URL: server.url, MAILROOM_API_KEY: account.key }, args),
    }
  })

/** What the program has printed, once it has all these texts. */
export const printed = (program: RunningProgram, ...texts: ReadonlyArray<string>): Effect.Effect<string> =>
  eventually(
    "the program has printed it",
    Effect.sync(() => ({ out: program.stdout(), err: program.stderr(), ended: program.hasEnded() })),
    ({ out, ended }) => ended || texts.every((text) => out.includes(text)),
  ).pipe(
    Effect.flatMap(({ out, err }) =>
      texts.every((text) => out.includes(text))
        ? Effect.succeed(out)
        : Effect.dieMessage(`The program ended before it printed ${texts.join(", ")}:\n${out}\n${err}`),
    ),
  )
