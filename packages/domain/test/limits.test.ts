import * as domain from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

describe("limits", () => {
  it("decisions.values.bytes: MB and GB are binary", () => {
    expect(domain.ATTACHMENT_MAX_BYTES).toBe(26_214_400)
    expect(domain.GB).toBe(1_073_741_824)
  })

  it("limits.size.subject: a subject has at most 998 characters", () => {
    expect(domain.SUBJECT_MAX_LENGTH).toBe(998)
  })

  it("decisions.sizes.attachment: 25 MB each attachment, 25 MB all attachments, 40 MB the encoded message", () => {
    expect(domain.ATTACHMENTS_MAX_BYTES).toBe(26_214_400)
    expect(domain.MESSAGE_MAX_BYTES).toBe(41_943_040)
  })

  it("decisions.body.attachments-20: 20 attachments a message", () => {
    expect(domain.ATTACHMENTS_MAX_COUNT).toBe(20)
  })

  it("decisions.body.to: at most 50 recipients in `to`", () => {
    expect(domain.RECIPIENTS_MAX_COUNT).toBe(50)
  })

  it("decisions.message.truncated: a body inside a list is cut at 64 kB", () => {
    expect(domain.LIST_BODY_MAX_LENGTH).toBe(65_536)
  })

  it("limits.size.page: a page has 50 messages unless asked, 100 at most; a thread list 50 threads", () => {
    expect(domain.MESSAGES_PAGE_DEFAULT).toBe(50)
    expect(domain.MESSAGES_PAGE_MAX).toBe(100)
    expect(domain.THREADS_MAX).toBe(50)
  })

  it("events.stream.rule-1: 5 connections, a heartbeat every 30 s, 4.5 minutes, replay of 100 events in an hour", () => {
    expect(domain.STREAMS_MAX_PER_ACCOUNT).toBe(5)
    expect(domain.STREAM_HEARTBEAT).toBe(30_000)
    expect(domain.STREAM_LIFETIME).toBe(270_000)
    expect(domain.REPLAY_MAX_EVENTS).toBe(100)
    expect(domain.REPLAY_TTL).toBe(3_600_000)
  })

  it("limits.size.download: download and checkout links work for 24 hours", () => {
    expect(domain.DOWNLOAD_URL_TTL).toBe(86_400_000)
    expect(domain.CHECKOUT_TTL).toBe(86_400_000)
  })

  it("decisions.trial.starts: a trial has 10 sends, 10 receives and 3 days", () => {
    expect(domain.TRIAL_SENDS).toBe(10)
    expect(domain.TRIAL_RECEIVES).toBe(10)
    expect(domain.TRIAL_DURATION).toBe(259_200_000)
  })

  it("limits.rate.check-slug: 30 slug checks a minute", () => {
    expect(domain.SLUG_CHECKS_PER_MINUTE_PER_IP).toBe(30)
  })

  it("decisions.webhook.headers-10: a webhook attempt takes at most 15 s, a webhook has at most 10 headers", () => {
    expect(domain.WEBHOOK_TIMEOUT).toBe(15_000)
    expect(domain.WEBHOOK_MAX_HEADERS).toBe(10)
  })

  it("decisions.smtp.loop: more than 50 Received headers are a loop", () => {
    expect(domain.RECEIVED_MAX_COUNT).toBe(50)
  })

  it("decisions/0015: a domain is checked every 5 minutes, fails after 72 hours, is checked daily for 30 days more", () => {
    expect(domain.DOMAIN_CHECK_INTERVAL).toBe(300_000)
    expect(domain.DOMAIN_FAILS_AFTER).toBe(259_200_000)
    expect(domain.DOMAIN_RECHECK_INTERVAL).toBe(86_400_000)
    expect(domain.DOMAIN_RECHECKS_FOR).toBe(2_592_000_000)
  })

  it("decisions.suppressions.list: a page has 50 suppressions unless asked, 100 at most", () => {
    expect(domain.SUPPRESSIONS_PAGE_DEFAULT).toBe(50)
    expect(domain.SUPPRESSIONS_PAGE_MAX).toBe(100)
  })

  it("decisions.threading.subject-window: a subject joins a thread that was active in the last 30 days", () => {
    expect(domain.THREAD_SUBJECT_WINDOW).toBe(2_592_000_000)
  })
})
