import { decodeBase64Url, encodeBase64Url } from '../../base/base64url.js';
import { UsageError } from '../../base/errors.js';
import type { TaskRecord } from './record.js';

/** What a token names: a task of a server, and the secret that clients of the task do not know. */
export interface TokenContent {
  readonly server: string;
  readonly id: string;
  readonly secret: string;
}

/** The token of a task that its handler defers. */
export function writeToken(server: string, { state, run }: TaskRecord): string {
  const content: TokenContent = { server, id: state.id, secret: run.secret ?? '' };
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(content)));
}

export function readToken(token: string): TokenContent {
  try {
    const bytes = decodeBase64Url(token);
    const { server, id, secret } = JSON.parse(new TextDecoder().decode(bytes)) as TokenContent;
    if (server && id && secret) return { server, id, secret };
  } catch {
    // Not a token; the error below says so.
  }
  throw new UsageError('this is no token of a task: use the text that ctx.task.defer() returned');
}
