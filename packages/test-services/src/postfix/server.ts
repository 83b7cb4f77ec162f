/**
 * A real Postfix for tests, with its own folders and port: the relay of `deploy/postfix/main.cf`, and behind it a remote
 * domain with one mailbox. It neither reads nor changes files of the system's Postfix.
 */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../freePort.js"
import { temporaryFolder } from "../temporaryFolder.js"
import { eventually } from "../observing.js"
import { parseSettings, servicesText, type Settings, settingsText } from "./settings.js"

/** The remote domain behind the relay, and its only mailbox. */
export const WORLD_DOMAIN = "partner.dev"
export const WORLD_ADDRESS = `ada@${WORLD_DOMAIN}`

export interface PostfixOptions {
  /** domains, with their subdomains, whose mail goes to `port` on loopback */
  readonly mailroom: { readonly domains: ReadonlyArray<string>; readonly port: number }
  /** settings that replace those of `main.cf` */
  readonly settings?: Settings
}

export interface PostfixServer {
  /** port of the SMTP listener, which relays for this machine */
  readonly port: number
  /** the mails delivered to `WORLD_ADDRESS`, in any order */
  readonly mailbox: Effect.Effect<ReadonlyArray<Buffer>>
  /** number of mails delivered to `WORLD_ADDRESS` */
  readonly delivered: Effect.Effect<number>
  /** the log so far */
  readonly log: Effect.Effect<string>
}

/** Path of the master process on Debian and its derivatives. */
const MASTER = "/usr/lib/postfix/sbin/master"

/** Whether Postfix is installed and this process is root, which alone may start it. */
export const postfixAvailable = existsSync(MASTER) && process.getuid?.() === 0

/** User that delivers to the mailbox: not root, and not below 100 (`virtual_minimum_uid`). */
const DELIVERING_USER = 65534

/** Folders of the queue besides `pid`. `postfix start` would create them, but also checks every file, which takes 2 s. */
const QUEUES =
  "active bounce corrupt defer deferred flush hold incoming maildrop private public saved trace".split(" ")

const postfixUser = async (): Promise<number> =>
  Number(/^postfix:[^:]*:(\d+):/m.exec(await readFile("/etc/passwd", "utf8"))?.[1] ?? 0)

const RECOMMENDED = fileURLToPath(new URL("../../../../../deploy/postfix/main.cf", import.meta.url))

const settingsFor = (folder: string, { mailroom, settings }: PostfixOptions): Settings => {
  const next = `smtp:[127.0.0.1]:${mailroom.port}`
  const routes = mailroom.domains.flatMap((domain) => [`{ ${domain} = ${next} }`, `{ .${domain} = ${next} }`])
  return {
    queue_directory: join(folder, "queue"),
    data_directory: join(folder, "data"),
    maillog_file: join(folder, "log"),
    maillog_file_prefixes: folder,
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    mynetworks: "127.0.0.0/8",
    myhostname: `mx.${WORLD_DOMAIN}`,
    transport_maps: `inline:{ ${routes.join(", ")} }`,
    virtual_mailbox_domains: WORLD_DOMAIN,
    virtual_mailbox_base: join(folder, "mail"),
    virtual_mailbox_maps: `inline:{ { ${WORLD_ADDRESS} = ada/ } }`,
    virtual_uid_maps: `static:${DELIVERING_USER}`,
    virtual_gid_maps: `static:${DELIVERING_USER}`,
    // Accept mail for unknown recipients and bounce it, as servers behind a gateway do.
    smtpd_reject_unlisted_recipient: "no",
    smtpd_peername_lookup: "no",
    smtp_tls_security_level: "none",
    smtp_tls_session_cache_database: "",
    ...settings,
  }
}

const write = async (folder: string, port: number, options: PostfixOptions): Promise<void> => {
  const recommended = parseSettings(await readFile(RECOMMENDED, "utf8"))
  // Postfix drops root privileges, so its users need access.
  await chmod(folder, 0o755)
  for (const name of ["config", "queue", "queue/pid"]) await mkdir(join(folder, name))
  const user = await postfixUser()
  for (const name of ["data", ...QUEUES.map((queue) => `queue/${queue}`)]) {
    await mkdir(join(folder, name))
    await chown(join(folder, name), user, 0)
  }
  await mkdir(join(folder, "mail"))
  await chown(join(folder, "mail"), DELIVERING_USER, DELIVERING_USER)
  const main = settingsText({ ...recommended, ...settingsFor(folder, options) })
  await writeFile(join(folder, "config", "main.cf"), main)
  await writeFile(join(folder, "config", "master.cf"), servicesText(port))
}

const namesIn = (folder: string): Promise<ReadonlyArray<string>> => readdir(folder).catch(() => [])

const mailsIn = async (folder: string): Promise<ReadonlyArray<Buffer>> =>
  Promise.all((await namesIn(folder)).map((name) => readFile(join(folder, name))))

/** Starts a Postfix and stops it when the scope closes. */
export const postfixServer = (options: PostfixOptions): Effect.Effect<PostfixServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const port = yield* freePort
    yield* Effect.promise(() => write(folder, port, options))
    yield* Effect.acquireRelease(
      // In a process group of its own, so that one signal ends all its processes.
      Effect.sync(() =>
        spawn(MASTER, ["-c", join(folder, "config"), "-d"], { detached: true, stdio: "ignore" }),
      ),
      (child) =>
        Effect.async<void>((resume) => {
          if (child.pid === undefined || child.exitCode !== null) return resume(Effect.void)
          child.once("close", () => resume(Effect.void))
          process.kill(-child.pid, "SIGTERM")
        }),
    )
    const log = Effect.promise(() => readFile(join(folder, "log"), "utf8").catch(() => ""))
    yield* eventually("Postfix", log, (text) => text.includes("daemon started"))
    const maildir = join(folder, "mail", "ada", "new")
    return {
      port,
      mailbox: Effect.promise(() => mailsIn(maildir)),
      delivered: Effect.map(
        Effect.promise(() => namesIn(maildir)),
        ({ length }) => length,
      ),
      log,
    }
  })
