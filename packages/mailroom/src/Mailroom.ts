/** Mailroom inside your own process, as one layer (docs/embedding.md). */
import type { EnginePorts, EngineServices } from "@mailroom/engine"
import { BlobsUnusable, NodeMailroom, type NodeMailroomError, StoreUnusable } from "@mailroom/node"
import { type ConfigError, Effect, Layer } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { Events } from "./Events.js"
import type { MailroomFailure } from "./failures.js"
import { Mailboxes } from "./Mailboxes.js"
import { Messages } from "./Messages.js"
import { OnceKeys } from "./OnceKeys.js"
import { type PortUnusable, Receiver } from "./Receiver.js"
import {
  checkedOptions,
  domainOfOptions,
  engineSettings,
  type DatabaseUrlInvalid,
  type FolderMissing,
  type MailroomOptions,
  nodeOptions,
  optionsFromConfig,
  type OptionsInvalid,
} from "./options.js"

/** What a program uses; the engine below it has the rest, with `EmbeddedAccount` as the caller. */
export type MailroomServices = EmbeddedAccount | Events | Mailboxes | Messages

/** Why an embedded Mailroom does not start. */
export type StartError =
  | DatabaseUrlInvalid
  | FolderMissing
  | MailroomFailure
  | NodeMailroomError
  | OptionsInvalid
  | PortUnusable

/** The error of a database or a folder that cannot be used, with the option that says where it is. */
const withOption =
  (options: MailroomOptions) =>
  (error: NodeMailroomError): NodeMailroomError => {
    const told = (option: keyof MailroomOptions) => `${error.message} \`${option}\` says where it is.`
    switch (error._tag) {
      case "BlobsUnusable": {
        const { place, cause } = error
        return new BlobsUnusable({ place, cause, message: told("folder") })
      }
      case "StoreUnusable": {
        const { database, cause } = error
        const message = told(options.database === undefined ? "folder" : "database")
        return new StoreUnusable({ database, cause, message })
      }
      default:
        return error
    }
  }

/** The services over an engine that is there: one of `layer`, or one in memory from `@mailroom/testing`. */
const over = (domain: string): Layer.Layer<MailroomServices, MailroomFailure, EngineServices> =>
  Layer.mergeAll(Mailboxes.layer, Events.layer).pipe(
    Layer.provideMerge(Messages.layer),
    Layer.provide(OnceKeys.layer),
    Layer.provideMerge(EmbeddedAccount.layer(domain)),
  )

/** The whole Mailroom: storage, background work, and the SMTP receiver, which is the last to start. */
const layer = (
  given: MailroomOptions = {},
): Layer.Layer<MailroomServices | Receiver | EngineServices | EnginePorts, StartError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const options = yield* checkedOptions(given)
      const stored = yield* nodeOptions(options)
      return Receiver.layer(options).pipe(
        Layer.provideMerge(over(domainOfOptions(options))),
        Layer.provideMerge(
          Layer.mapError(NodeMailroom.layer(engineSettings(options), stored), withOption(options)),
        ),
      )
    }),
  )

/** As `layer`, with the options from the configuration: `MAILROOM_FOLDER`, `MAILROOM_DOMAIN`, … (`MailroomOptions`). */
const layerConfig: Layer.Layer<
  MailroomServices | Receiver | EngineServices | EnginePorts,
  StartError | ConfigError.ConfigError
> = Layer.unwrapEffect(Effect.map(optionsFromConfig, layer))

/** `settings`: of the engine of an embedded Mailroom, for an engine that `over` gets. */
export const Mailroom = { layer, layerConfig, over, settings: engineSettings }
