/** Whose webhooks are posted in these tests. */
import { AccountId } from "@mailroom/domain"

export const account = AccountId.make("00000000-0000-7000-8000-000000000001")
export const otherAccount = AccountId.make("00000000-0000-7000-8000-000000000002")
