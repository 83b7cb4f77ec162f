/** The schema, as a list of migrations. A released migration is never edited: each change is a new migration. */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { type Dialect, dialectOf } from "../dialect.js"
import { accountRemoval } from "./accountRemoval.js"
import { accountTables } from "./accounts.js"
import { adminIndexes } from "./admin.js"
import { apiKeyIndexes } from "./apiKeys.js"
import { attachmentTextTable } from "./attachmentTexts.js"
import { billingIndexes } from "./billing.js"
import { billingModeTable } from "./billingModes.js"
import { bodyColumns } from "./bodies.js"
import { claimantColumn } from "./claimants.js"
import { claimTables } from "./claims.js"
import { compatibility } from "./compatibility.js"
import { consumerTables } from "./consumers.js"
import { correspondentTables } from "./correspondents.js"
import { deliveryOrder } from "./delivery.js"
import { draftTables } from "./drafts.js"
import { domainColumns } from "./domains.js"
import { eventTimes } from "./eventTimes.js"
import { heldLeases } from "./heldLeases.js"
import { idempotencyTables } from "./idempotency.js"
import { invitationTables } from "./invitations.js"
import { jobLines } from "./jobLines.js"
import { largeAnswers } from "./largeAnswers.js"
import { leaseHolders } from "./leases.js"
import { mailboxSuppressionTable } from "./mailboxSuppressions.js"
import { mailTables } from "./mail.js"
import { messageTermTables } from "./messageTerms.js"
import { permissionTables } from "./permissions.js"
import { reportTables } from "./reports.js"
import { removedSendTable } from "./removedSends.js"
import { passOnJobs } from "./passOnJobs.js"
import { reputationTables } from "./reputation.js"
import { searchTables } from "./search.js"
import { searchFileColumns } from "./searchFiles.js"
import { sendTables } from "./sends.js"
import { senderTables } from "./senders.js"
import { signInNetworkTables } from "./signInNetworks.js"
import { stepTables } from "./steps.js"
import { takeoverColumns } from "./takeovers.js"
import { tenantTurns } from "./tenantTurns.js"
import { webhookChanges } from "./webhooks.js"
import { workTables } from "./work.js"
import { writeCheckTable } from "./writeChecks.js"

/**
 * Runs statements on the connection of the migrator's transaction. Calling the connection directly is several times
 * faster than the client. The statements run once, so they are not prepared.
 */
const statements = (of: (dialect: Dialect) => ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [connection] = yield* Effect.flatten(Effect.serviceOption(SqlClient.TransactionConnection))
    yield* Effect.forEach(
      of(dialectOf(sql)),
      (statement) => connection.executeUnprepared(statement, [], undefined),
      { discard: true },
    )
  })

/** By number. The migrator skips every number below the highest that has run, so a new migration takes the highest. */
const migrations = {
  "0001_initial": statements((dialect) => [
    ...accountTables(dialect),
    ...mailTables(dialect),
    ...workTables(dialect),
  ]),
  "0002_domains": statements(domainColumns),
  "0003_webhooks": statements(webhookChanges),
  "0004_account_removal": statements(accountRemoval),
  "0005_billing": statements(billingIndexes),
  "0006_admin": statements(adminIndexes),
  "0008_idempotency": statements(idempotencyTables),
  "0009_leases": statements(leaseHolders),
  "0010_compatibility": statements(compatibility),
  "0011_reports": statements(reportTables),
  "0012_bodies": statements(bodyColumns),
  "0013_delivery": statements(deliveryOrder),
  "0014_job_lines": statements(jobLines),
  "0015_held_leases": statements(heldLeases),
  "0017_steps": statements(stepTables),
  "0016_sends": statements(sendTables),
  "0018_sign_in_networks": statements(signInNetworkTables),
  "0019_write_checks": statements(writeCheckTable),
  "0020_invitations": statements(invitationTables),
  "0021_message_terms": statements(messageTermTables),
  "0022_search": statements(searchTables),
  "0023_claims": statements(claimTables),
  "0024_attachment_texts": statements(attachmentTextTable),
  "0025_senders": statements(senderTables),
  "0026_permissions": statements(permissionTables),
  "0027_drafts": statements(draftTables),
  "0028_correspondents": statements(correspondentTables),
  "0029_reputation": statements(reputationTables),
  "0030_mailbox_suppressions": statements(mailboxSuppressionTable),
  "0031_search_files": statements(searchFileColumns),
  "0033_consumers": statements(consumerTables),
  "0034_removed_sends": statements(removedSendTable),
  "0035_takeovers": statements(takeoverColumns),
  "0036_tenant_turns": statements(tenantTurns),
  "0037_claimants": statements(claimantColumn),
  "0038_pass_on_jobs": statements(passOnJobs),
  "0039_large_answers": statements(() => largeAnswers),
  "0040_api_keys": statements(() => apiKeyIndexes),
  "0041_event_times": statements(() => eventTimes),
  "0042_billing_modes": statements(() => billingModeTable),
}

/** The table of the migrations that have run. */
export const MIGRATIONS_TABLE = "schema_migrations"

/** The number of the newest migration that this version knows. */
export const SCHEMA_VERSION = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** Brings the database to this version's schema. Does nothing when the schema is this version's or newer. */
export const migrate = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: MIGRATIONS_TABLE,
})
