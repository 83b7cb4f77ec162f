import { describe, expect, it } from "@effect/vitest"
import {
  isReservedSlug,
  type ReportedMail,
  SIMULATED_DELAY,
  simulatedReactions,
  simulatedReport,
  simulatorBehaviour,
  SimulatorBehaviour,
} from "@mailroom/domain"

const PLATFORM = "mailroom.dev"
const behaviour = (address: string) => simulatorBehaviour(address, PLATFORM)

describe("the addresses of the simulator", () => {
  for (const name of SimulatorBehaviour.literals)
    it(`${name}@, in any case, with and without a tag`, () => {
      for (const local of [name, name.toUpperCase(), `${name}+run-7`, `${name}+a+b`])
        expect(behaviour(`${local}@simulator.${PLATFORM}`)).toBe(name)
    })

  it("are no other names, domains and tags", () => {
    for (const address of [
      `nobody@simulator.${PLATFORM}`,
      `bounced-@simulator.${PLATFORM}`,
      `bounced+ü@simulator.${PLATFORM}`,
      `bounced@a.simulator.${PLATFORM}`,
      `bounced@${PLATFORM}`,
      "bounced@simulator.elsewhere.dev",
      "bounced",
    ])
      expect(behaviour(address)).toBeNull()
  })

  it("are at a subdomain that no account can have", () => {
    expect(isReservedSlug("simulator")).toBe(true)
  })
})

describe("the reactions of the simulator", () => {
  const kinds = (name: SimulatorBehaviour, automated = false) =>
    simulatedReactions(name, automated).map(({ kind, after }) => `${kind} after ${after}`)

  it("are those of the behaviour", () => {
    expect(Object.fromEntries(SimulatorBehaviour.literals.map((name) => [name, kinds(name)]))).toEqual({
      delivered: ["delivered after 0"],
      bounced: ["bounced after 0"],
      "soft-bounced": ["soft-bounced after 0"],
      complained: ["delivered after 0", "complained after 0"],
      "auto-reply": ["delivered after 0", "auto-reply after 0"],
      delayed: ["delayed after 0", `delivered after ${SIMULATED_DELAY}`],
      never: [],
    })
  })

  it("RFC 3834 §2: nobody answers the mail of a machine automatically", () => {
    expect(kinds("auto-reply", true)).toEqual(["delivered after 0"])
  })
})

describe("a report of the simulator", () => {
  const mail: ReportedMail = {
    recipient: `bounced+7@simulator.${PLATFORM}`,
    returnPath: `bounces+00-11@acme.${PLATFORM}`,
    envelopeId: "0190",
    header: "Subject: Hello\r\n",
    sentAt: Date.UTC(2026, 2, 10, 12),
    platformDomain: PLATFORM,
  }

  it("RFC 3464: names the recipient, the outcome and the reply, and encloses the header", () => {
    const report = simulatedReport("bounced", mail, mail.sentAt)
    for (const line of [
      `To: <${mail.returnPath}>`,
      "Date: Tue, 10 Mar 2026 12:00:00 +0000",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="simulator-0190"',
      "Original-Envelope-Id: 0190",
      `Final-Recipient: rfc822; ${mail.recipient}`,
      "Action: failed",
      "Status: 5.1.1",
      "Diagnostic-Code: smtp; 550 5.1.1 No such user",
      "Subject: Hello",
      "--simulator-0190--",
    ])
      expect(report.split("\r\n")).toContain(line)
    expect(report.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
  })

  it("RFC 3464 §2.3.9: of a delay says how long the mail is tried", () => {
    const lines = simulatedReport("delayed", mail, mail.sentAt).split("\r\n")
    expect(lines).toContain("Action: delayed")
    expect(lines).toContain("Will-Retry-Until: Tue, 10 Mar 2026 12:00:10 +0000")
  })

  it("RFC 5965: of a complaint names the return path and the recipient", () => {
    const lines = simulatedReport("complained", mail, mail.sentAt).split("\r\n")
    for (const line of [
      "Feedback-Type: abuse",
      "Version: 1",
      `Original-Mail-From: <${mail.returnPath}>`,
      `Original-Rcpt-To: <${mail.recipient}>`,
    ])
      expect(lines).toContain(line)
  })
})
