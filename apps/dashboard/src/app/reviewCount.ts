/** How many sends wait for the owner's approval. */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { mailroom } from "../data/client.js"
import { useLiveRefresh } from "../data/live.js"
import { account } from "../data/session.js"

/** The most that the navigation counts; beyond, it shows `99+`. */
export const COUNTED_MAX = 99

/** null until it is known; `COUNTED_MAX + 1` for more */
export const reviewCount = signal<number | null>(null)

/** Counts again, such as after an approval. */
export const countReviews = async (): Promise<void> => {
  try {
    const { items, hasMore } = await mailroom.reviews.list({ bodies: "preview", limit: COUNTED_MAX + 1 })
    reviewCount.value = hasMore ? COUNTED_MAX + 1 : items.length
  } catch {
    // While payment is required nobody may read them.
    reviewCount.value = null
  }
}

/** Keeps the count fresh while the frame is there. */
export const useReviewCount = (): void => {
  const state = account.value?.state
  useEffect(() => {
    if (state === "payment_required" || state === "suspended") reviewCount.value = null
    else void countReviews()
  }, [state])
  useLiveRefresh(
    ["draft.review_requested", "draft.approved", "draft.rejected", "draft.expired", "draft.withdrawn"],
    countReviews,
  )
}
