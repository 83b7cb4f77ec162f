/** What a key may do (docs/specification/keys.md). */
import {
  allPermissions,
  defaultPermissions,
  grantPermissions,
  mayDo,
  type Permission,
  permissionsOf,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { mailboxId, refusal } from "./support/records.js"

const scope = [mailboxId]

describe("permissions", () => {
  it("keys.permissions.denied: an action needs one of its permissions, and some need none", () => {
    expect(mayDo(["send"], ["send", "manage"])).toBe(true)
    expect(mayDo(["manage"], ["send", "manage"])).toBe(true)
    expect(mayDo(["read", "draft"], ["send", "manage"])).toBe(false)
    expect(mayDo([], ["read"])).toBe(false)
    expect(mayDo([], [])).toBe(true)
  })

  it("keys.permissions.default: without a list a full key may do everything, a scoped one reads, sends and drafts", () => {
    expect(defaultPermissions(null)).toEqual(allPermissions)
    expect(defaultPermissions(scope)).toEqual(["read", "send", "draft"])
    expect(permissionsOf({ mailboxIds: null, permissions: null })).toEqual(allPermissions)
    expect(permissionsOf({ mailboxIds: null, permissions: ["read"] })).toEqual(["read"])
  })

  it("keys.permissions.presets: a preset stands for its list", () => {
    expect(grantPermissions(allPermissions, null, "readOnly")).toEqual(Either.right(["read"]))
    expect(grantPermissions(allPermissions, null, "draftOnly")).toEqual(Either.right(["read", "draft"]))
  })

  it("keeps the order of permissions, and each once", () => {
    expect(grantPermissions(allPermissions, null, ["manage", "read", "read"])).toEqual(
      Either.right(["read", "manage"]),
    )
  })

  it("keys.permissions.review: a scoped key never has review", () => {
    const wanted: ReadonlyArray<Permission> = ["read", "review"]
    expect(refusal(grantPermissions(allPermissions, scope, wanted))).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "permissions" }],
    })
    expect(grantPermissions(allPermissions, null, wanted)).toEqual(Either.right(wanted))
    expect(grantPermissions(allPermissions, scope, ["read", "manage"])).toEqual(
      Either.right(["read", "manage"]),
    )
  })

  it("keys.permissions.beyond: a key never makes a key that may do more than itself, also not by leaving them out", () => {
    const creator: ReadonlyArray<Permission> = ["read", "manage"]
    expect(grantPermissions(creator, null, ["read", "manage"])).toEqual(Either.right(["read", "manage"]))
    expect(grantPermissions(creator, scope, "readOnly")).toEqual(Either.right(["read"]))
    expect(refusal(grantPermissions(creator, null, ["read", "send"]))).toMatchObject({
      _tag: "PermissionDenied",
      required: ["send"],
    })
    expect(refusal(grantPermissions(creator, null, null))).toMatchObject({
      required: ["send", "draft", "review"],
    })
    expect(refusal(grantPermissions(creator, scope, null))).toMatchObject({ required: ["send", "draft"] })
  })
})
