/** Whether an agent has called yet (decisions §3, post-verify-target). */
import type { AccountId } from "@mailroom/domain"
import { Effect } from "effect"
import type { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"

export const anyKeyUsed = (keys: typeof ApiKeyStore.Service, accountId: AccountId): Effect.Effect<boolean> =>
  Effect.map(keys.list(accountId), (all) => all.some(({ lastUsedAt }) => lastUsedAt !== null))
