/** What a request starts with. */
import * as Etag from "@effect/platform/Etag"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpPlatform from "@effect/platform/HttpPlatform"
import * as Path from "@effect/platform/Path"
import { Context } from "effect"

/**
 * Picks the services that the router needs. Each request copies its context several times, and an open response keeps a copy; handlers
 * got the other services when they were built.
 */
export const routerServices = Context.pick(
  HttpPlatform.HttpPlatform,
  Etag.Generator,
  FileSystem.FileSystem,
  Path.Path,
)
