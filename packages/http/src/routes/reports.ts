/** What mail providers report (decisions §6). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Api } from "@mailroom/api"
import { SizeExceeded } from "@mailroom/domain"
import { ProviderReports, Reports, Settings } from "@mailroom/engine"
import { Effect } from "effect"
import { REPORTS_MAX_BYTES } from "../bodyLimits.js"
import { Refusals } from "../errors.js"
import { group } from "../group.js"
import { unknownPath } from "../unknownPath.js"

const tooLarge = new SizeExceeded({ what: "the reports", limitBytes: REPORTS_MAX_BYTES })

/** As it came: that is what is signed. One that says that it is too large is not read at all. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest) =>
  Number(request.headers["content-length"] ?? 0) > REPORTS_MAX_BYTES
    ? Effect.fail(tooLarge)
    : Effect.filterOrFail(
        Effect.orDie(request.text),
        (body) => Buffer.byteLength(body) <= REPORTS_MAX_BYTES,
        () => tooLarge,
      )

export const reportRoutes = group(Api, "reports", (handlers) =>
  Effect.gen(function* () {
    const { provider, read } = yield* ProviderReports
    const reports = yield* Reports
    const { baseUrl } = yield* Settings
    const { answer } = yield* Refusals

    return handlers.handleRaw(
      "take",
      ({ path, request }) =>
        path.provider === provider
          ? Effect.gen(function* () {
              const body = yield* bodyOf(request)
              yield* reports.take(yield* read({ headers: request.headers, body }))
              return { received: true as const }
            }).pipe(answer)
          : Effect.succeed(unknownPath(baseUrl, request)),
      { uninterruptible: true },
    )
  }),
)
