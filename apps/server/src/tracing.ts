/** Exports spans to a collector: OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/). */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Layer } from "effect"

/** Seconds between two exports. */
const EXPORT_INTERVAL = "5 seconds"

/** A lost collector may not hold up the end of the process. */
const SHUTDOWN_TIMEOUT = "1 second"

/**
 * The tracer of a process. It sends the spans that ended to `{endpoint}/v1/traces`. While the collector does not answer,
 * spans are dropped for a minute at a time. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are heeded.
 */
export const traceExport = (endpoint: string, roles: ReadonlySet<string>): Layer.Layer<never> =>
  OtlpTracer.layer({
    url: `${endpoint}/v1/traces`,
    resource: { serviceName: "mailroom", attributes: { "mailroom.roles": [...roles].join(",") } },
    exportInterval: EXPORT_INTERVAL,
    shutdownTimeout: SHUTDOWN_TIMEOUT,
  }).pipe(Layer.provide([FetchHttpClient.layer, OtlpSerialization.layerJson]))
