/** Uploads and downloads of attachments. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Api, CurrentPrincipal } from "@mailroom/api"
import { safeFilename } from "@mailroom/domain"
import { Attachments, AttachmentTexts } from "@mailroom/engine"
import { Effect, Option, Stream } from "effect"
import { attachmentDisposition, parseRange } from "../downloads.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { json } from "../json.js"
import { fromOwnScript } from "../requests.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

const mimeType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(?:\s*;.*)?$/i

export const attachmentRoutes = group(Api, "attachments", (handlers) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    const texts = yield* AttachmentTexts
    const files = yield* FileSystem.FileSystem
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    return (
      handlers
        // Reading the body can be interrupted: a client that disconnects while it sends leaves nothing behind.
        .handle("upload", ({ payload: { file } }) =>
          Effect.gen(function* () {
            const { size } = yield* Effect.orDie(files.stat(file.path))
            const uploaded = yield* attachments.upload(yield* CurrentPrincipal, {
              filename: safeFilename(file.name, "upload"),
              contentType: mimeType.test(file.contentType) ? file.contentType : "application/octet-stream",
              sizeBytes: Number(size),
              content: Stream.orDie(files.stream(file.path)),
            })
            const { id, filename, contentType, sizeBytes } = uploaded
            return { id, filename, contentType, sizeBytes }
          }).pipe(answer, Effect.uninterruptible),
        )
        .handle("get", ({ path }) =>
          answer(Effect.flatMap(CurrentPrincipal, (principal) => attachments.get(principal, path.id))),
        )
        .handle("text", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const principal = yield* CurrentPrincipal
            const part = yield* texts.read(principal, path.id, urlParams)
            return yield* unreadAnswers.count(principal.account.id, json(part))
          }).pipe(answer),
        )
        .handle(
          "remove",
          ({ path }) =>
            Effect.flatMap(CurrentPrincipal, (principal) => attachments.remove(principal, path.id)).pipe(
              Effect.as({ deleted: true as const }),
              answer,
            ),
          { uninterruptible: true },
        )
        .handle("download", ({ path, urlParams, request }) =>
          Effect.gen(function* () {
            const link = { id: path.id, expiresAt: urlParams.expires, signature: urlParams.signature }
            // The dashboard's policy keeps its scripts from the store, which would need a rule for its origin too.
            const elsewhere = fromOwnScript(request)
              ? Option.none()
              : yield* attachments.location(link, attachmentDisposition)
            if (Option.isSome(elsewhere))
              return HttpServerResponse.empty({
                status: 302,
                headers: { location: elsewhere.value, "cache-control": "no-store" },
              })
            const { attachment, open } = yield* attachments.download(link)
            const { sizeBytes } = attachment
            const range = parseRange(request.headers["range"], sizeBytes)
            const headers = {
              "accept-ranges": "bytes",
              "cache-control": "private, max-age=0",
              "content-disposition": attachmentDisposition(attachment.filename),
              "x-content-type-options": "nosniff",
            }
            if (range === "unsatisfiable")
              return HttpServerResponse.empty({
                status: 416,
                headers: { ...headers, "content-range": `bytes */${sizeBytes}` },
              })
            yield* unreadAnswers.countDownload(attachment.accountId, sizeBytes)
            const { content } = yield* open(range)
            return HttpServerResponse.stream(content, {
              status: range === null ? 200 : 206,
              contentType: attachment.contentType,
              contentLength: range === null ? sizeBytes : range.end - range.start + 1,
              headers:
                range === null
                  ? headers
                  : { ...headers, "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` },
            })
          }).pipe(answer),
        )
    )
  }),
)
