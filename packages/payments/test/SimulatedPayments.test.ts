import { SimulatedPayments, Settings } from "@mailroom/engine"
import { testSettings } from "@mailroom/testing"
import { Effect, Layer } from "effect"
import { Owners, paymentsContract } from "./payments.contract.js"

const owners = Layer.succeed(Owners, { pay: ({ id }) => Effect.succeed(id) })

paymentsContract(
  "SimulatedPayments",
  Layer.merge(owners, Layer.provide(SimulatedPayments.layer, Layer.succeed(Settings, testSettings))),
)
