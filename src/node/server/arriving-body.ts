import type { IncomingMessage } from 'node:http';
import { onStandstill } from '../../base/standstill.js';
import { BodyProblem } from '../../server/http/exchange.js';
import { type Account, type Evictable, NoRoom } from '../../server/ledger.js';
import { BODY_MS, BODY_SILENCE_MS } from '../../server/limits.js';
import { Pieces } from '../pieces.js';

/** The exchange that a body belongs to. */
export interface BodyReader {
  /** Charged for the pieces of the body. */
  readonly account: Account;
  /** Gives back the memory of the request. Its connection is closed after the response, without waiting for the body. */
  letGo(): void;
}

/** Reads a body that arrives in pieces. They are booked, and have to arrive in time. */
export function gatherBody(
  request: IncomingMessage,
  limit: number,
  reader: BodyReader,
  done: (body: Buffer | BodyProblem | NoRoom) => void,
): void {
  const { account } = reader;
  const pieces = new Pieces();
  let isOver = false;
  const finish = (body: Buffer | BodyProblem | NoRoom) => {
    if (isOver) return;
    isOver = true;
    stopWaiting();
    account.ledger.evictable.delete(arriving);
    account.remove(booked);
    if (!Buffer.isBuffer(body) && !request.destroyed) discardBody(request);
    done(body);
  };
  let booked = 0;
  const arriving: Evictable = {
    wasUsed: false,
    evict() {
      // The head may take more than the pieces that have arrived.
      reader.letGo();
      finish(new NoRoom(503));
      return true;
    },
  };
  const stopWaiting = awaitBody(request, () => finish(BodyProblem.tooSlow()));
  account.ledger.evictable.add(arriving);
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    const refusal = account.refusal(chunk.length, true);
    if (refusal) return finish(refusal);
    // It may have been evicted itself.
    if (isOver) return;
    // The first piece comes with the head, also if no other follows.
    arriving.wasUsed = pieces.size > 0;
    pieces.add(withoutRest(chunk));
    booked += chunk.length;
    account.add(chunk.length);
    if (pieces.size > limit) finish(BodyProblem.tooLarge(limit));
  });
  request.on('end', () => {
    if (!isOver) finish(pieces.take());
  });
  request.on('close', () => finish(BodyProblem.cutOff()));
}

/** A small piece would keep the whole buffer that node has read it into, and that was not booked. */
function withoutRest(piece: Buffer): Buffer {
  return piece.length * 2 < piece.buffer.byteLength ? Buffer.from(piece) : piece;
}

/** Reads the rest of a refused body, so that the connection can be used again; not for ever. */
export function discardBody(request: IncomingMessage): void {
  const { socket } = request;
  const stopWaiting = awaitBody(request, () => socket.destroy());
  request.once('close', stopWaiting);
  request.resume();
}

/** Calls back if a body takes too long, or pauses for too long. Returns a function that stops that. */
function awaitBody({ socket }: IncomingMessage, onLate: () => void): () => void {
  return onStandstill(() => socket.bytesRead, BODY_SILENCE_MS, onLate, BODY_MS);
}
