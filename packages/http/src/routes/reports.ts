/** Reports of mail providers (docs/operations.md, Reports from a provider). */
import { Api, reportsBody } from "@mailroom/api"
import { ProviderReports, Reports, Settings } from "@mailroom/engine"
import { Effect } from "effect"
import { RequestBodies } from "../bodies/RequestBodies.js"
import { anonymous } from "../bodies/sender.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { HttpSettings } from "../HttpSettings.js"
import { unknownPath } from "../unknownPath.js"

export const reportRoutes = group(Api, "reports", (handlers) =>
  Effect.gen(function* () {
    const { provider, read } = yield* ProviderReports
    const reports = yield* Reports
    const bodies = yield* RequestBodies
    const { trustProxy } = yield* HttpSettings
    const { baseUrl } = yield* Settings
    const { answer } = yield* ErrorResponses

    return handlers.handleRaw(
      "take",
      ({ path, request }) =>
        path.provider === provider
          ? Effect.gen(function* () {
              // The signature is of the text as it was sent.
              const body = yield* bodies.text(request, anonymous(request, trustProxy), reportsBody)
              yield* reports.take(yield* read({ headers: request.headers, body }))
              return { received: true as const }
            }).pipe(answer)
          : Effect.succeed(unknownPath(baseUrl, request)),
      { uninterruptible: true },
    )
  }),
)
