import { andThen } from '../../base/settle.js';
import type { Service } from '../../protocol/service.js';
import type { Seal } from './seal.js';

/**
 * A seal whose tokens are valid only at servers of the same name, so that two servers which share keys by mistake do
 * not take each other's sessions and states. Nodes of one server must therefore have the same name; if they have not,
 * the first foreign token is reported.
 */
export function forServer(seal: Seal, service: Pick<Service, 'info' | 'warn'>): Seal {
  const { name } = service.info;
  const head = `${JSON.stringify(name)}\n`;
  let hasWarned = false;
  const warn = (other: string) => {
    if (hasWarned) return;
    hasWarned = true;
    const problem = `a session or state of server ${other} came to "${name}", which has the same keys: `;
    service.warn(`${problem}give nodes of one server the same name, and other servers other keys`, 'keys');
  };

  return {
    seal: (purpose, bound, text) => seal.seal(purpose, bound, head + text),
    open: (purpose, bound, token) =>
      andThen(seal.open(purpose, bound, token), text => {
        if (text === undefined || text.startsWith(head)) return text?.slice(head.length);
        warn(text.slice(0, text.indexOf('\n')));
        return undefined;
      }),
  };
}
