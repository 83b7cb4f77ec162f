import { FarSide, outboundMailContract } from "./relay.contract.js"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Layer } from "effect"

const farSide = Layer.effect(
  FarSide,
  Effect.map(MemoryRelay, (relay) => ({
    received: Effect.map(relay.sent, (mails) =>
      mails.map(({ envelope, raw }) => ({ ...envelope, raw: Buffer.from(raw).toString("latin1") })),
    ),
    answer: relay.answer,
    losesAnswers: relay.loseAnswers,
    unreachable: relay.reachable(false),
  })),
)

outboundMailContract("MemoryRelay", Layer.provideMerge(farSide, MemoryRelay.layer))
