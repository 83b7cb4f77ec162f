/**
 * A mail that is being written. It is kept as a draft of the service: a moment after each change, and before it is sent. Requests
 * of one mail follow each other.
 */
import { type Draft, DraftNotFoundError, type Message, type SendResult } from "@mailroom/client"
import { computed, type Signal, signal } from "@preact/signals"
import { mailroom } from "../../data/client.js"
import { draftFields, isWholeInForm, isWorthKeeping, type Writing } from "../../rules/writing.js"

/** Milliseconds after the last change until the draft is saved. */
const AUTOSAVE = 1_200

export type SaveState =
  | { readonly kind: "clean" }
  | { readonly kind: "waiting" }
  | { readonly kind: "saving" }
  | { readonly kind: "saved"; readonly at: Date }
  | { readonly kind: "failed"; readonly error: unknown }

/** Where writing begins: with a draft, or with fields that are not kept yet. */
export interface Beginning {
  readonly mailboxId: string
  readonly writing: Writing
  readonly draft: Draft | null
  /** the message that is answered or forwarded, to read beside it */
  readonly message: Message | null
}

const textOf = (writing: Writing): string => JSON.stringify(draftFields(writing))

/** The fields of a new draft: absent ones are empty. `before`: the same mail in another mailbox. */
const newDraft = (writing: Writing, before: Draft | null) => {
  const { subject, bodyText, bodyHtml, inReplyTo, ...lists } = draftFields(writing)
  return {
    ...lists,
    ...(before !== null && { headers: before.headers, labels: before.labels, bulk: before.bulk }),
    ...(before !== null && before.replyTo !== null && { replyTo: before.replyTo }),
    ...(subject !== null && { subject }),
    ...(bodyText !== null && { bodyText }),
    ...(bodyHtml !== null && { bodyHtml }),
    ...(inReplyTo !== null && { inReplyTo }),
  }
}

/** Deletes a draft. One that was deleted elsewhere, such as in another tab, is what is wanted. */
const removeDraft = async ({ mailboxId, id }: Draft): Promise<void> => {
  try {
    await mailroom.drafts.remove(mailboxId, id)
  } catch (error) {
    if (!(error instanceof DraftNotFoundError)) throw error
  }
}

export class Composition {
  readonly writing: Signal<Writing>
  readonly mailboxId: Signal<string>
  readonly draft: Signal<Draft | null>
  readonly state = signal<SaveState>({ kind: "clean" })
  /** whether it was sent, scheduled or discarded: nothing is saved any more */
  readonly hasEnded = signal(false)
  /** whether there are changes that the service does not have */
  readonly isDirty = computed(
    () => this.state.value.kind !== "clean" && this.state.value.kind !== "saved" && !this.hasEnded.value,
  )
  #saved: string
  /** drafts of the mail in mailboxes that it has left, until they are removed: a scheduled one would be sent as well */
  #left: Array<Draft> = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(readonly beginning: Beginning) {
    const { mailboxId, writing, draft } = beginning
    this.writing = signal(writing)
    this.mailboxId = signal(mailboxId)
    this.draft = signal(draft)
    this.#saved = textOf(writing)
  }

  change(change: Partial<Writing>): void {
    this.writing.value = { ...this.writing.value, ...change }
    this.#later()
  }

  /** Another mailbox sends the mail. A draft belongs to its mailbox, so it is written again there. */
  moveTo(mailboxId: string): void {
    this.mailboxId.value = mailboxId
    this.#saved = ""
    this.#later()
  }

  #later(): void {
    if (this.hasEnded.value) return
    if (this.draft.value === null && !isWorthKeeping(this.writing.value, this.beginning.writing)) return
    clearTimeout(this.#timer)
    this.state.value = { kind: "waiting" }
    this.#timer = setTimeout(() => void this.#autosave(), AUTOSAVE)
  }

  /** Does nothing when the requests before have sent or discarded the mail. */
  async #autosave(): Promise<void> {
    try {
      await this.#inTurn(async () => {
        if (!this.hasEnded.value) await this.#save()
      })
    } catch {
      // The failure is shown by `state`.
    }
  }

  /** Runs after the requests before, whatever became of them. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#last.then(act, act)
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Saves what is not saved yet. */
  save(): Promise<Draft> {
    clearTimeout(this.#timer)
    return this.#inTurn(() => this.#save())
  }

  async #save(): Promise<Draft> {
    const before = this.draft.value
    const written = this.writing.value
    if (before !== null && textOf(written) === this.#saved && this.#left.length === 0) {
      if (this.state.value.kind === "waiting") this.state.value = { kind: "clean" }
      return before
    }
    this.state.value = { kind: "saving" }
    try {
      const draft = await this.#write(before, written)
      if (before !== null && before.id !== draft.id) this.#left.push(before)
      this.#keep(draft, written)
      await this.#removeLeft()
      return draft
    } catch (error) {
      this.state.value = { kind: "failed", error }
      throw error
    }
  }

  async #write(before: Draft | null, written: Writing): Promise<Draft> {
    const mailboxId = this.mailboxId.value
    if (before !== null && before.mailboxId === mailboxId)
      // A mail must not leave half-written: a change ends the schedule.
      return mailroom.drafts.update(mailboxId, before.id, {
        ...draftFields(written),
        ...(before.status === "SCHEDULED" && { sendAt: null }),
      })
    return mailroom.drafts.create(mailboxId, newDraft(written, before))
  }

  /** Where it fails, the next save tries again, and nothing is sent before. */
  async #removeLeft(): Promise<void> {
    for (const draft of this.#left) await removeDraft(draft)
    this.#left = []
  }

  /** Files get the ids that they have in the draft, such as those of a forwarded message. */
  #keep(draft: Draft, written: Writing): void {
    const renamed = new Map(written.files.map(({ id }, at) => [id, draft.attachments[at]]))
    const files = this.writing.value.files.map((file) => renamed.get(file.id) ?? file)
    const isUnchanged = textOf(this.writing.value) === textOf(written)
    this.writing.value = { ...this.writing.value, files }
    this.draft.value = draft
    this.#saved = textOf({ ...written, files: draft.attachments })
    if (isUnchanged) this.state.value = { kind: "saved", at: new Date() }
    else this.#later()
  }

  /** What was written is kept as another draft, because the first is gone. */
  keepAnew(): Promise<Draft> {
    this.draft.value = null
    return this.save()
  }

  /**
   * A policy of the mailbox may hold the mail. Whoever wrote it is the one who approves, and it is exactly what they wrote. What
   * the page does not show of the draft of an agent is left to the review queue.
   */
  async #approved(result: SendResult): Promise<SendResult> {
    const { draft } = result
    if (draft?.status !== "PENDING_REVIEW") return result
    return isWholeInForm(draft, this.beginning.draft === null)
      ? mailroom.reviews.approve(draft.id, { digest: draft.digest })
      : result
  }

  /** Sends it now. */
  async send(): Promise<SendResult> {
    const draft = await this.save()
    return this.#inTurn(async () => {
      const result = await this.#approved(await mailroom.drafts.send(draft.mailboxId, draft.id))
      if (result.message === undefined) this.draft.value = result.draft
      // Approved, and then refused: the page shows the reason, and the mail can be changed.
      if (result.draft?.status !== "FAILED") this.#end()
      return result
    })
  }

  /** Sends it at a time. */
  async schedule(at: Date): Promise<SendResult> {
    const draft = await this.save()
    return this.#inTurn(async () => {
      const scheduled = await mailroom.drafts.update(draft.mailboxId, draft.id, { sendAt: at.toISOString() })
      const result = await this.#approved({ draft: scheduled })
      this.#end()
      return result
    })
  }

  /** Deletes it. Where that fails, writing goes on as before, and is saved. */
  async discard(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.#inTurn(() => this.#remove())
    } catch (error) {
      if (this.state.value.kind === "waiting") this.#later()
      throw error
    }
  }

  async #remove(): Promise<void> {
    await this.#removeLeft()
    if (this.draft.value !== null) await removeDraft(this.draft.value)
    this.#end()
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.hasEnded.value = true
    this.state.value = { kind: "clean" }
  }
}
