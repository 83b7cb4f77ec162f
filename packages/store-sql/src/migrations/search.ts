/**
 * The search index (docs/decisions/0061). Triggers queue every new message for it and remove deleted messages, so that a
 * process of the previous version, which knows nothing of the index, keeps it right too.
 */
import type { Dialect } from "../dialect.js"

/** The columns of the index of words on SQLite. `mailbox` holds one token, the id of the mailbox. */
export const WORD_COLUMNS = ["subject", "sender", "recipients", "cc", "body", "filename", "mailbox"] as const

const sqlite: ReadonlyArray<string> = [
  // The tokenizer `ascii` splits at spaces only: tokens have no other separator in them, and no capital to fold.
  `CREATE VIRTUAL TABLE search_words USING fts5 (${WORD_COLUMNS.join(", ")},
    content = '', contentless_delete = 1, tokenize = 'ascii')`,

  `CREATE TRIGGER messages_queued_for_search AFTER INSERT ON messages BEGIN
    INSERT INTO search_queue (created_at, message_id, account_id) VALUES (new.created_at, new.id, new.account_id);
  END`,
  `CREATE TRIGGER messages_removed_from_search AFTER DELETE ON messages BEGIN
    DELETE FROM search_queue WHERE created_at = old.created_at AND message_id = old.id;
    DELETE FROM search_documents WHERE message_id = old.id;
  END`,
  `CREATE TRIGGER search_documents_removed AFTER DELETE ON search_documents BEGIN
    DELETE FROM search_words WHERE rowid = old.document;
  END`,
]

const postgres: ReadonlyArray<string> = [
  `ALTER TABLE search_documents ADD COLUMN tokens TSVECTOR NOT NULL`,
  // Every search reads the list of pending entries, so it is short: 256 kB, some 60 messages. Without it adding takes more
  // than twice as long.
  `CREATE INDEX search_documents_tokens ON search_documents USING gin (tokens)
    WITH (fastupdate = on, gin_pending_list_limit = 256)`,

  `CREATE FUNCTION queue_for_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO search_queue (created_at, message_id, account_id) SELECT created_at, id, account_id FROM added;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER messages_queued_for_search AFTER INSERT ON messages
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_for_search()`,
  // The order of locks is that of the indexer: rows of the queue in the order of its key, then documents.
  `CREATE FUNCTION remove_from_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM 1 FROM search_queue AS q JOIN removed AS r ON q.created_at = r.created_at AND q.message_id = r.id
      ORDER BY q.created_at, q.message_id FOR UPDATE OF q;
    DELETE FROM search_queue AS q USING removed AS r WHERE q.created_at = r.created_at AND q.message_id = r.id;
    DELETE FROM search_documents AS d USING removed AS r WHERE d.message_id = r.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER messages_removed_from_search AFTER DELETE ON messages
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_from_search()`,
]

export const searchTables = ({ id, clustered, numbered, searchIndex }: Dialect): ReadonlyArray<string> => [
  // Messages that are not in the index yet.
  `CREATE TABLE search_queue (
    created_at BIGINT NOT NULL,
    message_id ${id} NOT NULL,
    account_id ${id} NOT NULL,
    PRIMARY KEY (created_at, message_id)
  ) ${clustered}`,
  `CREATE INDEX search_queue_account ON search_queue (account_id, created_at, message_id)`,

  `CREATE TABLE search_segments (
    id ${numbered},
    account_id ${id} NOT NULL,
    starts_at BIGINT NOT NULL,
    newest_at BIGINT NOT NULL,
    messages BIGINT NOT NULL
  )`,
  `CREATE INDEX search_segments_account ON search_segments (account_id, starts_at)`,

  // `facts` is a set of bits. `incomplete`: the words or their order exceed what the index can hold.
  `CREATE TABLE search_documents (
    document ${numbered},
    message_id ${id} NOT NULL,
    mailbox_id ${id} NOT NULL,
    segment_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    facts BIGINT NOT NULL,
    incomplete SMALLINT NOT NULL
  )`,
  `CREATE UNIQUE INDEX search_documents_message ON search_documents (message_id)`,
  `CREATE INDEX search_documents_segment ON search_documents (segment_id, created_at, message_id)`,

  // One row: the process that writes the index.
  `CREATE TABLE search_writer (
    name ${id} NOT NULL PRIMARY KEY,
    locked_until BIGINT NOT NULL,
    locked_by ${id} NOT NULL
  )`,
  `INSERT INTO search_writer (name, locked_until, locked_by) VALUES ('writer', 0, '')`,

  ...(searchIndex === "fts5" ? sqlite : postgres),

  // The messages that are stored already, which the indexer works off while the service runs.
  `INSERT INTO search_queue (created_at, message_id, account_id) SELECT created_at, id, account_id FROM messages`,
]
