import { ConnectionError } from 'tenon/client';
import { expect } from 'vitest';
import type { Way } from './call.mjs';
import type { Places, TransportName } from './places.js';

const CAST = { hero: 'Ada', villain: 'Moriarty' };
const QUESTIONS = ['Who is the hero?', 'Who is the villain?'];

/** A call, from its beginning to its end. */
export interface Play {
  readonly title: string;
  /** Whether the server is at work, and a client of a task knows of it. */
  isAtWork(): boolean;
  readonly ended: Promise<void>;
}

/**
 * Calls the tool, answers its two questions, and waits for the result. Where the process that works is killed:
 * - A task goes on in another process. Nothing is asked or booked a second time.
 * - A round of 2026-07-28 can be sent again. Nothing is asked a second time, but the steps of that round run again.
 * - Another plain call ends with a typed error. The client may call again, and then everything is done again.
 */
export function playFilm(places: Places, transport: TransportName, way: Way): Play {
  const title = titleOf(transport, way);
  const asked: string[] = [];
  const saved: unknown[] = [];
  const events = { asked: (text: string) => asked.push(text), save: (state: unknown) => saved.push(state) };
  const call = () => places.call(transport, way, title, events);
  const isKilled = places.kill !== undefined;
  const isLost = isKilled && !outlives(transport, way);

  const play = async () => {
    if (isLost) await expect(call()).rejects.toThrow(ConnectionError);
    const { structuredContent } = await call();
    expect(structuredContent).toEqual({ ...CAST, contract: `contract for ${title}` });
    expect(asked).toEqual(isLost ? [QUESTIONS[0], ...QUESTIONS] : QUESTIONS);
    expect(places.ledger.workers('book', title)).toHaveLength(isKilled && !way.isTask ? 2 : 1);
    const workers = places.ledger.workers('shoot', title);
    expect(workers).toHaveLength(isKilled ? 2 : 1);
    expect(new Set(workers).size).toBe(workers.length);
    if (way.isTask) expect(saved.at(-1)).toMatchObject({ tool: 'film', status: 'completed' });
  };
  return {
    title,
    isAtWork: () => places.ledger.workers('shoot', title).length > 0 && (!way.isTask || saved.length > 0),
    ended: play(),
  };
}

/** The name of the film of a call, different for each. */
export function titleOf(transport: TransportName, way: Way): string {
  return `${way.name} over ${transport}`;
}

/** Whether a call can go on in another process. */
function outlives(transport: TransportName, way: Way): boolean {
  // A server in memory shares no keys, so that no other one takes its rounds.
  return way.isTask === true || (way.isByRound === true && transport !== 'memory');
}
