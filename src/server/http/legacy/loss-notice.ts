import { notificationText } from '../../../jsonrpc/message.js';
import { isAtLeast } from '../../../protocol/logging.js';
import type { HttpSession } from './sessions.js';

const METHOD = 'notifications/message';
const LEVEL = 'warning';

/** Tells the client of a resumed stream that it missed messages for good; undefined if it wants no such message. */
export function lossNotice({ handshake, logLevel = LEVEL }: HttpSession, lost: number): string | undefined {
  if (!handshake.agreement.maySend('server', METHOD) || !isAtLeast(LEVEL, logLevel)) return undefined;
  const data = `${lost} messages of this stream are lost: they were sent before it was resumed, and are no longer kept`;
  return notificationText(METHOD, { level: LEVEL, logger: 'tenon', data });
}
