import type { ConnectTarget } from 'tenon/client';
import { type ServedPage, servePage } from '../../src/playground/serve.js';

/** Serves the built page for a target, on any free port. */
export function openPage(target: ConnectTarget, name = 'a server'): Promise<ServedPage> {
  const url = typeof target === 'string' ? target : undefined;
  return servePage(
    {
      target,
      state: { target: url ?? name, url, words: [url ?? name], reloads: false },
      assets: new URL('../../dist/playground/', import.meta.url),
    },
    0,
  );
}
