/** Mailboxes. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { policyChangeOf } from "@mailroom/domain"
import { Mailboxes } from "@mailroom/engine"
import { Effect } from "effect"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

export const mailboxRoutes = group(Api, "mailboxes", (handlers) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, mailboxes.list).pipe(Effect.map((found) => ({ mailboxes: found }))),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            mailboxes.create(principal, {
              localPart: payload.address,
              displayName: payload.displayName ?? null,
              domainId: payload.domainId ?? null,
              policies: policyChangeOf(payload),
            }),
          ).pipe(
            Effect.map((mailbox) => ({ mailbox })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle("get", ({ path }) =>
        Effect.flatMap(CurrentPrincipal, (principal) => mailboxes.get(principal, path.id)).pipe(
          Effect.map((mailbox) => ({ mailbox })),
          answer,
        ),
      )
      .handle(
        "update",
        ({ path, payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            mailboxes.update(principal, path.id, {
              displayName: payload.displayName,
              status: payload.status,
              policies: policyChangeOf(payload),
            }),
          ).pipe(
            Effect.map((mailbox) => ({ mailbox })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => mailboxes.remove(principal, path.id)).pipe(
            Effect.as({ deleted: true as const }),
            answer,
          ),
        { uninterruptible: true },
      )
  }),
)
