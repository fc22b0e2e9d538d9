/**
 * Added to the number in the id that primes a stream, once for each time that it was resumed. Ids must not repeat, so this
 * one differs from that of the event after which the stream goes on.
 */
export const ATTACHMENT = 1e10;

/** The number of the event that an event id stands for; not a whole number if the id was never given out. */
export function positionOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('.') + 1)) % ATTACHMENT;
}
