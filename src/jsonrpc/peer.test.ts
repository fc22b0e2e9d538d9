import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ERROR, McpError } from '../protocol/errors.js';
import { RequestTimeout } from '../protocol/failures.js';
import type { Malformed, Response } from './message.js';
import { Peer } from './peer.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  // Whatever happens to a request, nothing of it is left.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A peer, and what it has sent. */
function createPeer() {
  const peer = new Peer();
  const sent: any[] = [];
  const ask = (options: Parameters<Peer['request']>[3] = { timeoutMs: 1000 }) =>
    peer.request('roots/list', { a: 1 }, text => sent.push(JSON.parse(text)), options);
  return { peer, sent, ask };
}

function result(id: Response['id'], value: object = {}): Response {
  return { kind: 'response', id, outcome: { result: value as Record<string, unknown> }, weight: 0 };
}

describe('a request', () => {
  test('is settled by its own answer, in any order', async () => {
    const { peer, sent, ask } = createPeer();
    const [first, second] = [ask(), ask()];
    expect(sent[0].id).not.toBe(sent[1].id);
    peer.settle(result(sent[1].id, { n: 2 }));
    peer.settle(result(sent[0].id, { n: 1 }));
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(peer.waiting).toBe(0);
  });

  test('is rejected by an error, with its code and data', async () => {
    const { peer, sent, ask } = createPeer();
    const asked = ask();
    peer.settle({
      kind: 'response',
      id: sent[0].id,
      outcome: { error: { code: -1, message: 'no', data: { a: 1 } } },
      weight: 0,
    });
    await expect(asked).rejects.toMatchObject({
      code: -1,
      message: 'the client answered roots/list with an error: no',
      data: { a: 1 },
    });
    await expect(asked).rejects.toBeInstanceOf(McpError);
  });

  test('is not settled by an answer to something else', async () => {
    const { peer, sent, ask } = createPeer();
    const asked = ask();
    for (const id of [undefined, sent[0].id + 1, String(sent[0].id), 0, ''])
      peer.settle(result(id, { wrong: true }));
    expect(peer.waiting).toBe(1);
    peer.settle(result(sent[0].id, { right: true }));
    peer.settle(result(sent[0].id, { late: true }));
    expect(await asked).toEqual({ right: true });
  });

  test('is rejected by a malformed answer of its own', async () => {
    const { peer, sent, ask } = createPeer();
    const asked = ask();
    const error = { code: ERROR.invalidRequest, message: 'result must be an object' };
    const refuse = (answerTo: Malformed['answerTo']) =>
      peer.settleMalformed({ kind: 'malformed', id: undefined, answerTo, error });
    for (const id of [undefined, sent[0].id + 1, String(sent[0].id)]) expect(refuse(id)).toBe(false);
    expect(peer.waiting).toBe(1);
    expect(refuse(sent[0].id)).toBe(true);
    expect(refuse(sent[0].id)).toBe(false);
    await expect(asked).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: "the client's answer to roots/list is malformed: result must be an object",
    });
  });

  // covers: 2025-06-18/lifecycle/server-requests-time-out, 2025-06-18/lifecycle/server-timeout-cancels
  // covers: 2025-11-25/schema/request-id-of-a-cancellation
  test('is given up after its time, and the other side is told', async () => {
    const { sent, ask } = createPeer();
    const asked = ask({ timeoutMs: 1000 });
    const rejected = expect(asked).rejects.toBeInstanceOf(RequestTimeout);
    await vi.advanceTimersByTimeAsync(1000);
    await rejected;
    expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: sent[0].id } });
  });

  // covers: 2025-06-18/lifecycle/maximum-timeout-in-spite-of-progress
  test('is given more time by progress, up to a maximum', async () => {
    const { peer, sent, ask } = createPeer();
    const seen: unknown[] = [];
    const asked = ask({
      timeoutMs: 1000,
      maxTimeoutMs: 2500,
      onProgress: progress => seen.push(progress.progress),
    });
    const rejected = expect(asked).rejects.toBeInstanceOf(RequestTimeout);
    const { progressToken } = sent[0].params._meta;
    for (const progress of [1, 2]) {
      await vi.advanceTimersByTimeAsync(900);
      peer.progress({ progressToken, progress });
    }
    expect(peer.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(700);
    await rejected;
    expect(seen).toEqual([1, 2]);
  });

  // covers: 2025-06-18/progress/active-tokens-are-tracked
  test('ignores progress that is none, or of somebody else', async () => {
    const { peer, sent, ask } = createPeer();
    const seen: unknown[] = [];
    const asked = ask({ timeoutMs: 1000, onProgress: progress => seen.push(progress) });
    const { progressToken } = sent[0].params._meta;
    for (const params of [
      {},
      { progressToken },
      { progressToken, progress: '1' },
      { progressToken: 'x', progress: 1 },
      { progressToken: { toString: 1 }, progress: 1 },
    ]) {
      peer.progress(params);
    }
    peer.progress({ progressToken, progress: 1, total: '2', message: 3 });
    peer.settle(result(sent[0].id));
    await asked;
    peer.progress({ progressToken, progress: 2 });
    expect(seen).toEqual([{ progress: 1 }]);
  });

  test('is withdrawn by its signal, and the other side is told', async () => {
    const { sent, ask } = createPeer();
    const controller = new AbortController();
    const asked = ask({ timeoutMs: 1000, signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(sent[1].method).toBe('notifications/cancelled');
    expect(() => ask({ timeoutMs: 1000, signal: controller.signal })).toThrow(reason);
    expect(sent).toHaveLength(2);
  });

  test('ends with the connection, and all others with it', async () => {
    const { peer, sent, ask } = createPeer();
    const asked = [ask(), ask(), ask()];
    const gone = new Error('gone');
    peer.close(gone);
    expect(await Promise.allSettled(asked)).toEqual(asked.map(() => ({ status: 'rejected', reason: gone })));
    expect(sent).toHaveLength(3);
    peer.settle(result(sent[0].id));
    expect(peer.waiting).toBe(0);
  });
});
