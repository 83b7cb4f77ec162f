/** Custom domains. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { Domains } from "@mailroom/engine"
import { Effect } from "effect"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

export const domainRoutes = group(Api, "domains", (handlers) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, domains.list).pipe(Effect.map((found) => ({ domains: found }))),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => domains.create(principal, payload.domain)).pipe(
            answer,
          ),
        { uninterruptible: true },
      )
      .handle("get", ({ path }) =>
        Effect.flatMap(CurrentPrincipal, (principal) => domains.get(principal, path.id)).pipe(answer),
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => domains.remove(principal, path.id)).pipe(
            Effect.as({ deleted: true as const }),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "verify",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => domains.verify(principal, path.id)).pipe(
            Effect.map((checked) => ({
              ...checked,
              verification: { allVerified: checked.domain.status === "VERIFIED" },
            })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "rotateDkim",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => domains.rotateDkim(principal, path.id)).pipe(
            answer,
          ),
        { uninterruptible: true },
      )
  }),
)
