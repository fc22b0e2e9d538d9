import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import { WAYS } from './everywhere/call.mjs';
import { openOneProcess } from './everywhere/one-process.js';
import { type Places, TRANSPORTS } from './everywhere/places.js';
import { type Play, playFilm, titleOf } from './everywhere/scenario.js';
import { openTwoProcesses } from './everywhere/two-processes.js';

const ROWS = TRANSPORTS.flatMap(transport => WAYS.map(way => [transport, way] as const));

describe('a handler with two questions, a step and long work ends in one process as', () => {
  describeRows(openOneProcess);
});

describe.runIf(isInstalled('redis'))('it ends at another node on Redis when its own is killed, as', () => {
  describeRows(async () => {
    const redis = await startRedis();
    return withStore(await openTwoProcesses(redis.url), redis);
  });
});

describe.runIf(isInstalled('postgres'))(
  'it ends at another node on Postgres when its own is killed, as',
  () => {
    describeRows(async () => {
      const postgres = await startPostgres();
      return withStore(await openTwoProcesses(postgres.connectionString), postgres);
    });
  },
);

/** All calls run at the same time; each test is about the end of one. */
function describeRows(open: () => Promise<Places>): void {
  let places: Places;
  let plays: Play[];

  beforeAll(async () => {
    places = await open();
    plays = ROWS.map(([transport, way]) => playFilm(places, transport, way));
    void Promise.allSettled(plays.map(({ ended }) => ended));
    if (!places.kill) return;
    const waiting = () => plays.filter(play => !play.isAtWork()).map(({ title }) => title);
    await vi.waitFor(() => expect(waiting()).toEqual([]), { timeout: 200_000, interval: 20 });
    places.kill();
  });
  afterAll(() => places?.stop());

  it.each(ROWS.map(row => titleOf(...row)))('%s', title => plays.find(play => play.title === title)?.ended);
}

function withStore(places: Places, store: { stop(): Promise<void> }): Places {
  const stop = async () => {
    await places.stop();
    await store.stop();
  };
  return { ...places, stop };
}
