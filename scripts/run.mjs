/**
 * `npm start` and `npm test` on a fresh machine: installs packages when the lockfile has changed, builds what has changed,
 * bundles the programs that the task needs, and then runs it. Plain Node, because it runs before anything is installed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
// Not by name: a Node before 18.14 has no `availableParallelism`, and could not say that it is too old.
import * as os from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const stamp = join(root, "node_modules", ".mailroom-installed")

const fail = (message, status = 1) => {
  process.stderr.write(`${message}\n`)
  process.exit(status)
}

const [major] = process.versions.node.split(".").map(Number)
if (major < 20) fail(`Mailroom needs Node 20 or newer; this is ${process.version}.`)

const run = (command, args) => {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" })
  if (error) fail(`${command} cannot be run: ${error.message}`)
  if (status !== 0) process.exit(status ?? (signal ? 1 : 0))
}

/**
 * Not `npm ci`: it removes all packages first, and refuses a lockfile that leaves out an optional package of another platform. `--include=dev`, because npm leaves out what
 * builds Mailroom where NODE_ENV is production.
 */
const INSTALL = ["install", "--no-save", "--include=dev", "--no-audit", "--no-fund"]

/** Identifies an installation: the lockfile, what npm installs of it, and the Node that native modules are built for. */
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(INSTALL.join(" "))
  .update(`${process.version} ${process.platform} ${process.arch}`)
  .digest("hex")

const install = () => {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  run("npm", INSTALL)
  writeFileSync(stamp, wanted)
}

const build = () => run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-b"])

/** In a process of its own: what it loads and leaves would stay in the memory of the service that is started next. */
const bundle = (...folders) => run(process.execPath, [join(root, "scripts", "bundle.mjs"), ...folders])

/** One more than there are cores: tests of sockets and of processes wait for a third of their time. */
const WORKERS = os.availableParallelism() + 1

const vitest = (...args) =>
  run(process.execPath, [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    `--maxWorkers=${WORKERS}`,
    // With fewer, the pool ends an idle worker twice, and the run with it (issue 8564 of vitest).
    `--minWorkers=${WORKERS}`,
    ...args,
  ])

/**
 * Tests with a command of their own: those of pages need a browser, which no package of npm has; the others take long.
 * They kill processes, run the examples of the documentation, or compile generated clients.
 */
const PAGES = "test/browser"
const CRASHES = "test/crash"
const EXAMPLES = "test/examples"
const GENERATED = "packages/generated-clients"
const elsewhere = [PAGES, CRASHES, EXAMPLES, GENERATED]
const chosen = process.argv.slice(3)
/** `npm test` runs these only when an argument names them. */
const excluded = elsewhere.filter((folder) => !chosen.some((argument) => argument.includes(folder)))

/** They have more random searches and more races than `npm test` has. */
const SAMPLES = [
  "packages/store-sql/test/sqlite.test.ts",
  "packages/store-sql/test/postgres.test.ts",
  "packages/engine/test/races/pairs.test.ts",
]

const tasks = {
  start: async () => {
    process.chdir(root)
    await import(new URL("../apps/server/bundle/main.js", import.meta.url).href)
  },
  test: () => vitest(...excluded.flatMap((folder) => ["--exclude", `**/${folder}/**`]), ...chosen),
  pages: () => vitest(...(chosen.length > 0 ? chosen : [PAGES])),
  crashes: () => vitest(`${CRASHES}/`),
  examples: () => vitest(EXAMPLES),
  generated: () => vitest(GENERATED),
  samples: () => {
    Object.assign(process.env, { SEARCH_QUERIES: "300", RACE_PAIRS: "20" })
    vitest(...SAMPLES, "-t", "(search finds what|a sample of)")
  },
  packages: () => vitest("--config", join("scripts", "test", "vitest.config.ts"), ...chosen),
}

const task = tasks[process.argv[2]]
if (task === undefined) fail(`Usage: node scripts/run.mjs ${Object.keys(tasks).join("|")}`)
install()
build()
if (process.argv[2] === "start") bundle("apps/server")
else bundle()
await task()
