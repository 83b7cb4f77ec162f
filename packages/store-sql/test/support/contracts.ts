/** Every contract of the stores. */
import { accountsContract } from "../accounts.contract.js"
import { arrivalsContract } from "../arrivals.contract.js"
import { auditContract } from "../audit.contract.js"
import { claimsContract } from "../claims.contract.js"
import { consumersContract } from "../consumers.contract.js"
import { correspondentsContract } from "../correspondents.contract.js"
import { domainsContract } from "../domains.contract.js"
import { attachmentTextsContract } from "../attachmentTexts.contract.js"
import { deliveriesContract } from "../deliveries.contract.js"
import { addressListsContract } from "../addressLists.contract.js"
import { adminContract } from "../admin.contract.js"
import { draftsContract } from "../drafts.contract.js"
import { eventsContract } from "../events.contract.js"
import { filteredPagesContract } from "../filteredPages.contract.js"
import { idempotencyContract } from "../idempotency.contract.js"
import { integrityContract } from "../integrity.contract.js"
import { invitationsContract } from "../invitations.contract.js"
import { mailboxesContract } from "../mailboxes.contract.js"
import { messagePagesContract } from "../messagePages.contract.js"
import { messagesContract } from "../messages.contract.js"
import { purgeContract } from "../purge.contract.js"
import { rawMailContract } from "../rawMail.contract.js"
import { removalContract } from "../removal.contract.js"
import { reputationContract } from "../reputation.contract.js"
import { reportsContract } from "../reports.contract.js"
import { searchContract } from "../search.contract.js"
import { sendsContract } from "../sends.contract.js"
import { servicesContract } from "../services.contract.js"
import { tenantTurnsContract } from "../tenantTurns.contract.js"
import { threadsContract } from "../threads.contract.js"
import { transactionsContract } from "../transactions.contract.js"
import { webhooksContract } from "../webhooks.contract.js"
import type { Database } from "./databases.js"

export const contracts: ReadonlyArray<(name: string, database: Database) => void> = [
  accountsContract,
  arrivalsContract,
  auditContract,
  claimsContract,
  consumersContract,
  correspondentsContract,
  attachmentTextsContract,
  domainsContract,
  deliveriesContract,
  addressListsContract,
  adminContract,
  draftsContract,
  eventsContract,
  filteredPagesContract,
  idempotencyContract,
  integrityContract,
  invitationsContract,
  mailboxesContract,
  messagePagesContract,
  messagesContract,
  purgeContract,
  rawMailContract,
  removalContract,
  reportsContract,
  reputationContract,
  searchContract,
  sendsContract,
  servicesContract,
  tenantTurnsContract,
  threadsContract,
  transactionsContract,
  webhooksContract,
]
