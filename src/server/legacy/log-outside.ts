import { createLogger, type Logger } from '../../protocol/logger.js';
import { encodeNotification } from '../../revisions/encode.js';
import { PacedNotices } from '../paced-notices.js';
import type { ReachableSession } from './ask-outside.js';

/** Log messages that belong to no request. */
export function logOutside(session: ReachableSession): Logger {
  const findOpen = () => {
    const channel = session.openOutside();
    return channel?.isClosed ? undefined : channel;
  };
  const notices = new PacedNotices(
    text => findOpen()?.send(text),
    () => findOpen()?.isFull ?? false,
    session.service.noticeRates,
  );
  return createLogger({
    get logLevel() {
      return session.logLevel ?? 'info';
    },
    notify(method, params) {
      if (!findOpen()) return;
      const encoded = encodeNotification(session.handshake.agreement, method, params);
      const passed = encoded && session.service.outgoing(method, encoded, session.peerDescription);
      if (passed) notices.notify(method, passed);
    },
  });
}
