/** The services of a request. */
import * as Etag from "@effect/platform/Etag"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpPlatform from "@effect/platform/HttpPlatform"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Path from "@effect/platform/Path"
import { CurrentPrincipal } from "@mailroom/api"
import { Context, Scope, Tracer } from "effect"

const ofRouter = [HttpPlatform.HttpPlatform, Etag.Generator, FileSystem.FileSystem, Path.Path] as const

const ofHandler = [
  HttpServerRequest.HttpServerRequest,
  HttpServerRequest.ParsedSearchParams,
  HttpRouter.RouteContext,
  Scope.Scope,
  Tracer.ParentSpan,
  CurrentPrincipal,
] as const

/**
 * Picks the services that the router needs. Each request copies its context several times, and an open response keeps a copy; handlers
 * got the other services when they were built.
 */
export const routerServices = Context.pick(...ofRouter)

/** Picks the services that a handler may ask for while it runs. The library gives it all that its group was built with, some 200. */
export const handlerServices = Context.pick(...ofRouter, ...ofHandler)

export type HandlerServices = Context.Tag.Identifier<(typeof ofRouter)[number] | (typeof ofHandler)[number]>
