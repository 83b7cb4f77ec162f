/**
 * Search finds the text of attachments (docs/decisions/0070): files of messages wait to be read, and a message is queued again
 * when a text was kept.
 */
import type { Dialect } from "../dialect.js"

const sqlite: ReadonlyArray<string> = [
  `CREATE TRIGGER search_documents_replaced BEFORE INSERT ON search_documents BEGIN
    DELETE FROM search_documents WHERE message_id = new.message_id;
  END`,
  // Trees of words that a merge in the background may merge.
  `INSERT INTO search_words (search_words, rank) VALUES ('usermerge', 2)`,
]

const postgres: ReadonlyArray<string> = [
  `CREATE FUNCTION replace_search_document() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM search_documents WHERE message_id = NEW.message_id;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER search_documents_replaced BEFORE INSERT ON search_documents
    FOR EACH ROW EXECUTE FUNCTION replace_search_document()`,
  // Postgres thinks a query with many words costs more than reading the whole table, so this leaves it no choice. The words stay
  // behind: they are most of a row.
  `CREATE FUNCTION search_documents_matching(queries tsquery[])
    RETURNS TABLE (document bigint, message_id text, mailbox_id text, segment_id bigint, created_at bigint,
      size_bytes bigint, facts bigint, incomplete smallint)
    LANGUAGE sql STABLE SET enable_seqscan = off AS $$
      SELECT d.document, d.message_id, d.mailbox_id, d.segment_id, d.created_at, d.size_bytes, d.facts, d.incomplete
      FROM unnest(queries) AS query CROSS JOIN LATERAL (
        SELECT * FROM search_documents WHERE tokens @@ query OFFSET 0) AS d
    $$`,
]

export const searchFileColumns = ({ searchIndex }: Dialect): ReadonlyArray<string> => [
  // How often the message changed while it was queued.
  `ALTER TABLE search_queue ADD COLUMN revision BIGINT NOT NULL DEFAULT 0`,
  // A trigger, because the previous version adds messages without looking whether the index has them.
  ...(searchIndex === "fts5" ? sqlite : postgres),

  // When the file may be read in the background; null: it does not wait. Small files of earlier versions wait too.
  `ALTER TABLE attachments ADD COLUMN text_due_at BIGINT DEFAULT 0`,
  `ALTER TABLE attachments ADD COLUMN text_attempts SMALLINT NOT NULL DEFAULT 0`,
  `UPDATE attachments SET text_due_at = NULL WHERE id IN (SELECT attachment_id FROM attachment_texts)`,
  `CREATE INDEX attachments_waiting ON attachments (account_id, created_at DESC, id DESC)
    WHERE message_id IS NOT NULL AND size_bytes < 1048576
      AND substr(content_type, 1, 6) <> 'image/' AND text_due_at IS NOT NULL`,

  // Messages whose files have been read already.
  `INSERT INTO search_queue (created_at, message_id, account_id, revision)
    SELECT DISTINCT m.created_at, m.id, m.account_id, 1 FROM attachment_texts AS t
      JOIN attachments AS a ON a.id = t.attachment_id JOIN messages AS m ON m.id = a.message_id
    WHERE m.id IS NOT NULL ON CONFLICT (created_at, message_id) DO NOTHING`,
]
