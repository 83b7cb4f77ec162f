import { MailSigner } from "@mailroom/engine"
import { MailSignerInline, SenderAuthenticationInline } from "@mailroom/mail"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mailSignerContract, mailsToSign, signingKey } from "./mailSigner.contract.js"
import { dnsWith, keyRecords } from "./support/senders.js"

mailSignerContract(
  "MailSignerInline",
  Layer.provideMerge(SenderAuthenticationInline.layer, dnsWith({})).pipe(Layer.merge(MailSignerInline.layer)),
)

const verify = `
import base64, dkim, sys
key = sys.argv[1].encode()
for mail in sys.stdin.read().split():
    print(dkim.verify(base64.b64decode(mail), dnsfunc=lambda name, timeout=5: key))
`
const hasDkimpy = spawnSync("/usr/bin/python3", ["-c", "import dkim"]).status === 0

it.effect.skipIf(!hasDkimpy)("MailSignerInline signs what Debian's python3-dkim verifies", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_700_000_000_000)
    const { sign } = yield* MailSigner
    const signed = yield* Effect.forEach(mailsToSign, ([, raw]) => sign(raw, signingKey))
    const input = signed.map((raw) => Buffer.from(raw).toString("base64")).join("\n")
    const verdicts = execFileSync("/usr/bin/python3", ["-c", verify, keyRecords.rsa], { input }).toString()
    expect(verdicts.trim().split("\n")).toEqual(mailsToSign.map(() => "True"))
  }).pipe(Effect.provide(MailSignerInline.layer)),
)
