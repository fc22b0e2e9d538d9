import { expect } from 'vitest';
import { legacy, modern, openSession, textOf } from './messages.js';
import { exchange, type RawRequest } from './raw-http.js';

/** The same request in both eras. */
export async function bothEras(port: number, method: string, params: object): Promise<RawRequest[]> {
  return [modern(method, params), legacy(await openSession(port), method, params)];
}

/** Checks that a server with a tool called `fine` still works. */
export async function expectFine(port: number): Promise<void> {
  for (const request of await bothEras(port, 'tools/call', { name: 'fine' })) {
    expect(textOf(await exchange(port, request))).toBe('fine');
  }
}
