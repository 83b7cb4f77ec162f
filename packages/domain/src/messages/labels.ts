/** Changing the labels and the read mark of a message (spec: lists.labels.add). */
import { Either } from "effect"
import { InvalidInput } from "../errors.js"
import { LABELS_MAX } from "../limits.js"
import type { Instant } from "../time.js"

export interface Flags {
  readonly labels: ReadonlyArray<string>
  /** null while unread */
  readonly readAt: Instant | null
}

/** What a client changes; absent fields do not change. */
export interface FlagsPatch {
  readonly labels?: ReadonlyArray<string> | undefined
  readonly addLabels?: ReadonlyArray<string> | undefined
  readonly removeLabels?: ReadonlyArray<string> | undefined
  readonly read?: boolean | undefined
}

const patchLabels = (
  before: ReadonlyArray<string>,
  { labels, addLabels = [], removeLabels = [] }: FlagsPatch,
): ReadonlyArray<string> =>
  labels !== undefined
    ? [...new Set(labels)]
    : [...new Set([...before.filter((label) => !removeLabels.includes(label)), ...addLabels])]

/**
 * The labels and the read mark after a patch. A label that is removed and added is added. A message that is read keeps the
 * time of its reading. `InvalidInput` for more than 20 labels.
 */
export const patchFlags = (
  before: Flags,
  patch: FlagsPatch,
  now: Instant,
): Either.Either<Flags, InvalidInput> => {
  const labels = patchLabels(before.labels, patch)
  if (labels.length > LABELS_MAX && labels.length > before.labels.length)
    return Either.left(
      new InvalidInput({
        issues: [{ path: "addLabels", message: `a message has at most ${LABELS_MAX} labels` }],
      }),
    )
  const { read } = patch
  const readAt = read === undefined ? before.readAt : read ? (before.readAt ?? now) : null
  return Either.right({ labels, readAt })
}
