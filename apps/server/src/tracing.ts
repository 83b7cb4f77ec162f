/** Exports spans to a collector: OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/). */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { ConfigProvider, Effect, Layer } from "effect"

const EXPORT_INTERVAL = "5 seconds"

/** How long an export waits for its answer. Spans pile up in memory meanwhile. */
const ANSWER_TIMEOUT = "3 seconds"

/** How long a stop of the process waits for the last export. */
const SHUTDOWN_TIMEOUT = "1 second"

const client = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((answer, request) =>
      Effect.timeoutFail(answer, {
        duration: ANSWER_TIMEOUT,
        onTimeout: () =>
          new HttpClientError.RequestError({
            request,
            reason: "Transport",
            description: "no answer in time",
          }),
      }),
    ),
  ),
).pipe(Layer.provide(FetchHttpClient.layer))

/** The name of the service where no variable names it. */
const serviceNamed = Layer.unwrapEffect(
  Effect.configProviderWith((variables) =>
    Effect.succeed(
      Layer.setConfigProvider(
        ConfigProvider.orElse(variables, () =>
          ConfigProvider.fromMap(new Map([["OTEL_SERVICE_NAME", "mailroom"]])),
        ),
      ),
    ),
  ),
)

/**
 * The tracer of a process. It sends the spans that ended to `{endpoint}/v1/traces`. After an export that failed four times
 * it drops spans for a minute. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES describe the service.
 */
export const traceExport = (endpoint: string, roles: ReadonlySet<string>): Layer.Layer<never> =>
  OtlpTracer.layer({
    url: `${endpoint}/v1/traces`,
    resource: { attributes: { "mailroom.roles": [...roles].join(",") } },
    exportInterval: EXPORT_INTERVAL,
    shutdownTimeout: SHUTDOWN_TIMEOUT,
  }).pipe(Layer.provide([client, OtlpSerialization.layerJson, serviceNamed]))
