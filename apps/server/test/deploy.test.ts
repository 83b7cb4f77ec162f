/** compose.yaml, the Dockerfile and the systemd unit agree with the settings and with docs/operations.md. */
import { describe, expect, it } from "@effect/vitest"
import { variables } from "@mailroom/server/config/variables"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fileOf = (path: string) => new URL(`../../../${path}`, import.meta.url)
const textOf = (path: string): string => readFileSync(fileOf(path), "utf8")

const compose = textOf("compose.yaml")
const dockerfile = textOf("Dockerfile")

/** The block of `compose.yaml` that every process of the service shares. */
const shared = /^ {2}environment: &environment\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? ""

describe("compose.yaml", () => {
  const given = new Map(
    [...shared.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  )

  it("passes every setting to every process, or decides it", () => {
    const missing = Object.keys(variables).filter((name) => name !== "ROLES" && !given.has(name))
    expect(missing).toEqual([])
    expect(compose.match(/ROLES: (\w+)/g)).toEqual(["ROLES: http", "ROLES: smtp", "ROLES: worker"])
  })

  it("passes each under its own name, and an empty one where .env has none", () => {
    const fromEnvironment = [...given].filter(([name, value]) => name in variables && value.startsWith("$"))
    expect(fromEnvironment.length).toBeGreaterThan(15)
    for (const [name, value] of fromEnvironment)
      expect(value).toMatch(new RegExp(String.raw`^\$\{${name}:(?:-\S*|\?.*)\}$`))
  })

  it("gives a stop longer than the ten seconds in which requests and sessions finish", () => {
    const [, seconds] = /^ {2}stop_grace_period: (\d+)s$/m.exec(compose) ?? []
    expect(Number(seconds)).toBeGreaterThan(10)
  })

  it("pins every image to a version", () => {
    const images = [...compose.matchAll(/^ +image: (.+)$/gm)].map(([, image = ""]) => image)
    expect(images.filter((image) => image !== "mailroom")).toHaveLength(4)
    for (const image of images.filter((one) => one !== "mailroom")) expect(image).toMatch(/:v?\d+\.\d+/)
  })
})

/** The folders of the sources of every package. */
const sourceFolders = ["apps", "packages"].flatMap((kind) => {
  const root = fileURLToPath(fileOf(kind))
  return readdirSync(root)
    .map((name) => join(root, name, "src"))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
})

describe("the image", () => {
  it("is built from all sources", () => {
    const anywhere = [...textOf(".dockerignore").matchAll(/^\*\*\/(\S+)$/gm)].map(([, name = ""]) => name)
    expect(anywhere).toContain("node_modules")
    expect(sourceFolders.length).toBeGreaterThan(50)
    expect(anywhere.filter((name) => sourceFolders.includes(name))).toEqual([])
  })

  it("is built from pinned images", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = ""]) => image)
    expect(bases).toHaveLength(2)
    for (const base of bases) expect(base).toMatch(/:\d+\.\d+\.\d+-/)
  })

  it("has the tools that docs/operations.md backs up and restores with", () => {
    const section = /## Backup and restore\n([\s\S]*?)\n## /.exec(textOf("docs/operations.md"))?.[1] ?? ""
    const tools = [...section.matchAll(/\| `(?:umask \d+; )?(\w+) /g)].map(([, tool = ""]) => tool)
    const packageOf: Readonly<Record<string, string>> = {
      sqlite3: "sqlite3",
      pg_dump: "postgresql-client-18",
      pg_restore: "postgresql-client-18",
      rsync: "rsync",
    }
    expect([...new Set(tools)].sort()).toEqual(Object.keys(packageOf).sort())
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
    for (const tool of tools) expect(last, tool).toMatch(new RegExp(`[ =]${packageOf[tool]}(?= |$)`, "m"))
  })

  it("has a client of the Postgres that compose.yaml runs", () => {
    const server = /image: postgres:(\d+)\./.exec(compose)?.[1]
    expect(dockerfile).toContain(`postgresql-client-${server} `)
  })
})

describe("the systemd unit", () => {
  const unit = textOf("deploy/mailroom.service")

  it("starts the bundle as the image does, and names files that are there", () => {
    const flags = /^CMD \["node", "([^"]+)"/m.exec(dockerfile)?.[1]
    expect(unit).toContain(`ExecStart=/usr/bin/node ${flags} /opt/mailroom/apps/server/bundle/main.js\n`)
    for (const [, path = ""] of unit.matchAll(/\/opt\/mailroom\/(docs\/\S+)/g))
      expect(existsSync(fileOf(path)), path).toBe(true)
  })

  const [, upgrade = ""] = /## Upgrades[\s\S]*?```sh\n([\s\S]*?)```/.exec(textOf("docs/operations.md")) ?? []
  const commands = ["git", "systemctl", "npm", "npx", "node"]

  /** The commands of the documented upgrade that run, when `failing` fails. */
  const ran = (failing: string): ReadonlyArray<string> => {
    const stubs = commands.map((name) => `${name}() { echo "${name} $*"; test ${name} != ${failing}; }`)
    const { stdout } = spawnSync("sh", ["-c", [...stubs, upgrade].join("\n")], { encoding: "utf8" })
    return stdout.trim().split("\n")
  }

  it("is not stopped by an upgrade that cannot get the new version, nor started on one that is not built", () => {
    expect(ran("git")).toEqual(["git pull"])
    expect(ran("npx")).not.toContain("systemctl start mailroom")
    expect(ran("nothing").at(-1)).toBe("systemctl start mailroom")
  })

  it("is upgraded with all that builds it, and without a change to the lockfile that stops the next git pull", () => {
    expect(ran("nothing")).toContain("npm install --no-save --include=dev")
  })

  it("starts again after every failure but a wrong setting", () => {
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
    expect(unit).toMatch(/^Restart=always$/m)
    expect(unit).toMatch(/^RestartPreventExitStatus=78$/m)
    expect(textOf("docs/operations.md")).toContain("exit code is 78")
  })
})
