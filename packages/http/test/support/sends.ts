/** Mail that an owner sends. */
import { Message, type SendBody } from "@mailroom/domain"
import { Schema } from "effect"
import type { Owner } from "./accounts.js"
import { ask } from "./contract.js"

export const One = Schema.Struct({ message: Message })

const plain = { to: ["bob@partner.dev"], subject: "Hello", bodyText: "How are you?" }

export const send = ({ key, mailboxId }: Owner, body: Partial<Record<keyof SendBody, unknown>> = {}) =>
  ask(`POST /v1/mailboxes/${mailboxId}/messages`, { key, body: { ...plain, ...body } })
