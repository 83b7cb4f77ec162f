/** JSON responses. */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

interface Options {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** From JSON text that is there already. */
export const jsonText = (text: string, options: Options = {}): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, { ...options, contentType: "application/json" })

export const json = (body: unknown, options: Options = {}): HttpServerResponse.HttpServerResponse =>
  jsonText(JSON.stringify(body), options)
