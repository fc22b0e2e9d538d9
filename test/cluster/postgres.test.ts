import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type PostgresClusterOptions, postgresCluster } from '../../src/node/server/postgres/index.js';
import type { Cluster } from '../../src/server/cluster/index.js';
import { endWhenReady } from '../services/ending-postgres.js';
import { type PostgresService, startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { describeContract } from './contract.js';
import { describeFaults, TIMEOUT_MS } from './faults.js';
import { recordTopic } from './recording.js';

/** Generous: a machine that is busy with something else is slow, and that is no failure. */
const PATIENT_MS = 30_000;

describe.runIf(isInstalled('postgres'))('on Postgres', () => {
  let postgres: PostgresService;

  describeContract('postgresCluster', {
    start: async () => {
      postgres = await startPostgres();
    },
    open: () => postgresCluster({ connectionString: postgres.connectionString, timeoutMs: PATIENT_MS }),
    stop: () => postgres?.stop(),
  });

  describeFaults('postgresCluster', {
    start: async () => {
      postgres = await startPostgres({ maxFileBytes: 8_388_608 });
      return postgres;
    },
    open: port =>
      postgresCluster({
        connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
        timeoutMs: TIMEOUT_MS,
      }),
    fill: async () => {
      await expect(postgres.query(FILL_VALUES)).rejects.toThrow('File too large');
      await expect(postgres.query(FILL_LOGS)).rejects.toThrow('File too large');
    },
    free: async () => {
      await postgres.query("DELETE FROM tenon.stored_values WHERE key LIKE 'junk %'");
      await postgres.query("DELETE FROM tenon.log_entries WHERE log = 'junk'");
      await postgres.query('VACUUM FULL tenon.stored_values');
      await postgres.query('VACUUM FULL tenon.log_entries');
    },
    setReadOnly: async isReadOnly => {
      const setting = `default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`;
      await postgres.query(`BEGIN READ WRITE; ALTER DATABASE postgres SET ${setting}; COMMIT`);
      await postgres.query(END_OTHERS);
    },
  });

  describe('postgresCluster alone', () => {
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres?.stop());

    const open = (options: PostgresClusterOptions = {}): Cluster => {
      const { connectionString } = postgres;
      const where = options.pool ? {} : { connectionString };
      const node = postgresCluster({ ...where, timeoutMs: PATIENT_MS, ...options });
      onTestFinished(() => node.close());
      return node;
    };

    it('makes its tables once, however many nodes start at the same time', async () => {
      const nodes = Array.from({ length: 8 }, () => open({ schema: 'together' }));
      expect(await Promise.all(nodes.map(node => node.read('key')))).toEqual(nodes.map(() => undefined));
      expect(await postgres.query('SELECT version FROM together.state')).toEqual([{ version: 1 }]);
    });

    it('survives a Postgres that ends a connection in the moment in which it is ready', async () => {
      const port = await endWhenReady(postgres.port, 20);
      const node = open({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
      const read = () => Promise.all(Array.from({ length: 8 }, () => node.read('key')));
      await expect.poll(() => read().catch(String)).toEqual(Array.from({ length: 8 }));
    });

    it('keeps schemas apart', async () => {
      const [one, other] = [open({ schema: 'one' }), open({ schema: 'other' })];
      await one.write('key', 'soup', { was: undefined, expiresAt: Date.now() + 600_000 });
      expect(await other.read('key')).toBeUndefined();
      const heard = await recordTopic(other, 'topic');
      await one.publish('topic', 'to one');
      await other.publish('topic', 'to other');
      await expect.poll(() => heard.messages).toEqual(['to other']);
    });

    it('reads the messages that it missed while its connection was lost, and tells of no gap', async () => {
      const [node, publisher] = [open(), open()];
      const heard = await recordTopic(node, 'missed');
      for (let round = 0; round < 5; round++) {
        await postgres.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%swept_to%' AND pid <> pg_backend_pid()",
        );
        await publisher.publish('missed', `${round}`);
      }
      await expect.poll(() => heard.messages).toEqual(['0', '1', '2', '3', '4']);
      expect(heard.gaps()).toBe(0);
    });

    it('tells of a gap when the messages that it missed are kept no longer', async () => {
      const [node, publisher] = [open(), open()];
      const heard = await recordTopic(node, 'old');
      await postgres.query(
        `BEGIN; LOCK TABLE tenon.messages; INSERT INTO tenon.messages (topic, message) VALUES ('old', 'gone');
          UPDATE tenon.state SET swept_to = (SELECT max(id) FROM tenon.messages); DELETE FROM tenon.messages; COMMIT`,
      );
      await publisher.publish('old', 'new');
      await expect.poll(() => heard.messages).toEqual(['new']);
      expect(heard.gaps()).toBe(1);
    });

    it('removes what has expired, and old messages', async () => {
      const node = open({ schema: 'swept' });
      const past = Date.now() - 1;
      await node.write('gone', '', { was: undefined, expiresAt: past });
      await node.write('kept', '', { was: undefined, expiresAt: Date.now() + 600_000 });
      await node.append('gone', [{ number: 1, text: '' }], { expiresAt: past, maxEntries: 9, maxBytes: 9 });
      await node.publish('topic', 'soup');
      await postgres.query('SELECT swept.sweep(0)');
      expect(
        await postgres.query(
          `SELECT (SELECT array_agg(key) FROM swept.stored_values) AS keys, (SELECT count(*)::int FROM swept.logs) AS logs,
            (SELECT count(*)::int FROM swept.log_entries) AS entries, (SELECT count(*)::int FROM swept.messages) AS messages`,
        ),
      ).toEqual([{ keys: ['kept'], logs: 0, entries: 0, messages: 0 }]);
    });

    it('works with a pool that the program has, and leaves it open', async () => {
      const pool = new pg.Pool({ connectionString: postgres.connectionString, max: 2 });
      pool.on('error', () => {});
      onTestFinished(() => pool.end());
      const node = open({ pool });
      const heard = await recordTopic(node, 'pooled');
      await Promise.all(Array.from({ length: 20 }, (_, index) => node.publish('pooled', `${index}`)));
      await expect.poll(() => heard.messages.length).toBe(20);
      await node.close();
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    it('refuses an isolation level with which groups could have too many keys', async () => {
      const pool = new pg.Pool({
        connectionString: postgres.connectionString,
        options: '-c default_transaction_isolation=serializable',
      });
      onTestFinished(() => pool.end());
      await expect(open({ pool }).read('key')).rejects.toThrow('read committed');
    });

    it.each([
      [{}, 'needs a connectionString or a pool'],
      [{ connectionString: 'postgres://x', pool: {} }, 'and not both'],
      [{ connectionString: 'postgres://x', schema: 'a"; DROP' }, 'must be a name'],
      [{ connectionString: 'postgres://x', timeoutMs: 0 }, 'greater than 0'],
      [{ connectionString: 'postgres://x', shema: 'a' }, 'did you mean "schema"?'],
    ])('refuses the options %j', (options, message) => {
      expect(() => postgresCluster(options as PostgresClusterOptions)).toThrow(message);
    });
  });
});

/** Text that does not get smaller when it is compressed, until there is no more room. */
const NOISE = "repeat((SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 2000)), 15)";
const FILL_VALUES = `INSERT INTO tenon.stored_values (key, value, version, expires_at)
  SELECT 'junk ' || n, ${NOISE}, '', 0 FROM generate_series(1, 20) AS n`;
const FILL_LOGS = `INSERT INTO tenon.log_entries (log, number, entry)
  SELECT 'junk', n, ${NOISE} FROM generate_series(1, 20) AS n`;
const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND datname = 'postgres'`;
