import { SenderAuthenticationInline } from "@mailroom/mail"
import { Layer } from "effect"
import { senderAuthenticationContract } from "./senderAuthentication.contract.js"
import { dnsWith } from "./support/senders.js"

senderAuthenticationContract(
  "SenderAuthenticationInline",
  Layer.provideMerge(SenderAuthenticationInline.layer, dnsWith({})),
)
