import type { PostgresClient } from './pool.js';

/** The number of the schema below. A change of it needs a new number, and statements that lead there from the last. */
const SCHEMA_VERSION = 1;
/** The first half of the keys of advisory locks, so that they meet no locks of others. */
const LOCKS = 73_685;

/** Makes the tables and functions if they are not there. Many nodes may do so at once. */
export async function migrate(client: PostgresClient, schema: string): Promise<void> {
  if ((await readVersion(client, schema)) === SCHEMA_VERSION) return;
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCKS}, hashtext($1))`, [schema]);
    // Another node may have been quicker.
    if ((await readVersion(client, schema)) === undefined) await client.query(createSchema(schema));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function readVersion(client: PostgresClient, schema: string): Promise<number | undefined> {
  // Not to_regclass(), which may remember that there was no table.
  const tables = 'SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = $2';
  if ((await client.query(tables, [schema, 'state'])).rows.length === 0) return undefined;
  const state = await client.query(`SELECT version FROM ${schema}.state`);
  return state.rows[0]?.version as number;
}

/** Instants are milliseconds since 1970, by the clock of Postgres. */
function createSchema(schema: string): string {
  return `
DO $do$ BEGIN
  -- Even with IF NOT EXISTS, this needs a right that whoever prepared the schema may have kept.
  IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
END $do$;

CREATE TABLE ${schema}.state (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  version integer NOT NULL,
  -- Tells a store that was made anew from the one before.
  store_id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- The last message that was removed because of its age.
  swept_to bigint NOT NULL DEFAULT 0
);
INSERT INTO ${schema}.state (version) VALUES (${SCHEMA_VERSION});

CREATE TABLE ${schema}.stored_values (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  version text NOT NULL,
  expires_at bigint NOT NULL,
  group_name text COLLATE "C",
  arrival bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX ON ${schema}.stored_values (group_name, arrival) WHERE group_name IS NOT NULL;
CREATE INDEX ON ${schema}.stored_values (expires_at);

CREATE TABLE ${schema}.messages (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  message text NOT NULL,
  published_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON ${schema}.messages (published_at);

CREATE TABLE ${schema}.logs (
  name text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL,
  last_number bigint NOT NULL
);
CREATE INDEX ON ${schema}.logs (expires_at);
CREATE TABLE ${schema}.log_entries (
  log text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (log, number)
);

CREATE FUNCTION ${schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Returns 'written', 'conflict' or 'full'.
CREATE FUNCTION ${schema}.write_value(
  a_key text, was text, new_version text, a_value text, expiry bigint, a_group text, group_limit bigint
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF was IS NOT NULL THEN
    UPDATE ${schema}.stored_values SET value = a_value, version = new_version, expires_at = expiry
      WHERE key = a_key AND version = was AND expires_at > ${schema}.now_ms();
    RETURN CASE WHEN FOUND THEN 'written' ELSE 'conflict' END;
  END IF;
  IF a_group IS NOT NULL THEN
    -- One at a time adds to a group, so that the number of its keys is true.
    PERFORM pg_advisory_xact_lock(hashtextextended('${schema}:' || a_group, ${LOCKS}));
    IF EXISTS (SELECT FROM ${schema}.stored_values WHERE key = a_key AND expires_at > ${schema}.now_ms()) THEN
      RETURN 'conflict';
    END IF;
    IF group_limit <= (
      SELECT count(*) FROM ${schema}.stored_values
        WHERE group_name = a_group AND expires_at > ${schema}.now_ms()
    ) THEN
      RETURN 'full';
    END IF;
  END IF;
  DELETE FROM ${schema}.stored_values WHERE key = a_key AND expires_at <= ${schema}.now_ms();
  INSERT INTO ${schema}.stored_values (key, value, version, expires_at, group_name)
    VALUES (a_key, a_value, new_version, expiry, a_group) ON CONFLICT (key) DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'written' ELSE 'conflict' END;
END $$;

-- One node at a time publishes: the order of ids is then the order of commits, and who reads after an id misses nothing.
CREATE FUNCTION ${schema}.publish(topics text[], texts text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(${LOCKS + 1}, hashtext('${schema}'));
  INSERT INTO ${schema}.messages (topic, message)
    SELECT a_topic, a_text FROM unnest(topics, texts) WITH ORDINALITY AS sent (a_topic, a_text, place)
    ORDER BY place;
  PERFORM pg_notify('${channelOf(schema)}', '');
END $$;

CREATE FUNCTION ${schema}.append_entries(
  a_log text, expiry bigint, max_entries bigint, max_bytes bigint, numbers bigint[], texts text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE found_log ${schema}.logs;
BEGIN
  -- Updates nothing, but locks the log.
  INSERT INTO ${schema}.logs AS known (name, expires_at, last_number) VALUES (a_log, expiry, -1)
    ON CONFLICT (name) DO UPDATE SET expires_at = known.expires_at RETURNING * INTO found_log;
  IF found_log.expires_at <= ${schema}.now_ms() THEN
    DELETE FROM ${schema}.log_entries WHERE log = a_log;
    found_log.last_number := -1;
  END IF;
  INSERT INTO ${schema}.log_entries (log, number, entry)
    SELECT a_log, a_number, a_text FROM unnest(numbers, texts) AS sent (a_number, a_text)
    WHERE a_number > found_log.last_number;
  DELETE FROM ${schema}.log_entries WHERE log = a_log AND number <= (
    SELECT max(number) FROM (
      SELECT number, row_number() OVER newest AS place, sum(octet_length(entry)) OVER newest AS bytes
        FROM ${schema}.log_entries WHERE log = a_log WINDOW newest AS (ORDER BY number DESC)
    ) AS measured WHERE place > max_entries OR bytes > max_bytes
  );
  UPDATE ${schema}.logs SET expires_at = expiry,
    last_number = greatest(found_log.last_number, (SELECT max(sent) FROM unnest(numbers) AS sent))
    WHERE name = a_log;
END $$;

-- Removes what has expired, and messages that are older than so many milliseconds.
CREATE FUNCTION ${schema}.sweep(keep_ms bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE oldest bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(${LOCKS + 2}, hashtext('${schema}')) THEN RETURN; END IF;
  DELETE FROM ${schema}.stored_values WHERE key IN (
    SELECT key FROM ${schema}.stored_values WHERE expires_at <= ${schema}.now_ms()
      LIMIT 10000 FOR UPDATE SKIP LOCKED
  );
  WITH gone AS (
    DELETE FROM ${schema}.logs WHERE name IN (
      SELECT name FROM ${schema}.logs WHERE expires_at <= ${schema}.now_ms() LIMIT 1000 FOR UPDATE SKIP LOCKED
    ) RETURNING name
  )
  DELETE FROM ${schema}.log_entries WHERE log IN (SELECT name FROM gone);
  SELECT max(id) INTO oldest FROM ${schema}.messages
    WHERE published_at < clock_timestamp() - keep_ms * interval '1 millisecond';
  IF oldest IS NOT NULL THEN
    UPDATE ${schema}.state SET swept_to = greatest(swept_to, oldest);
    DELETE FROM ${schema}.messages WHERE id <= oldest;
  END IF;
END $$;
`;
}

/** The channel that tells of new messages. */
export function channelOf(schema: string): string {
  return `tenon_${schema}`;
}
