import type { JsonObject } from '../../base/json.js';
import { invalidParams } from '../../protocol/errors.js';
import type { Claim, NoticeClaim } from '../../protocol/extensions.js';
import { type Checked, compileSchema, type Infer, type Schema } from '../schema/schema.js';

/** Notices that clients can listen to. Made by `notice`. */
export interface ExtensionNotice {
  /** The notification that carries a notice. */
  readonly method: string;
  /** The shape of the filter member; it is `true` if there is none. */
  readonly filter?: Schema | undefined;
  readonly wants?: ((wanted: never, params: JsonObject) => boolean) | undefined;
}

/**
 * Notices that clients can listen to: `server.announce(method, params)` sends one to every client whose filter wants it.
 * The schema must be one that checks at once, without a promise.
 *
 * @example
 * const changed = notice('notifications/com.example/changed');
 * const byGenre = notice('notifications/com.example/added', {
 *   filter: z.array(z.string()),
 *   wants: (genres, params) => genres.includes(params.genre as string),
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
 */
export function notice<const S extends Schema>(
  method: string,
  options: {
    filter?: S | undefined;
    wants?: ((wanted: Infer<S>, params: JsonObject) => boolean) | undefined;
  } = {},
): ExtensionNotice {
  return { method, ...options };
}

/** The claim of an extension on a member of the filter of `subscriptions/listen`. */
export function compileNotice(
  member: string,
  { method, filter, wants }: ExtensionNotice,
  claim: Claim,
  report: (error: unknown, where: string) => void,
): NoticeClaim {
  const what = `the filter "${member}"`;
  const schema = filter && compileSchema(filter, what, 'input', report);
  return {
    ...claim,
    method,
    agree(asked) {
      if (asked === undefined || asked === false) return undefined;
      if (!schema) {
        if (asked !== true) throw invalidParams(`notifications.${member} must be a boolean`);
        return true;
      }
      const checked = schema.check(asked);
      if (checked instanceof Promise) throw new TypeError(`${what} has a schema that cannot check at once`);
      return acceptedValue(checked, member);
    },
    wants: (agreed, params) => wants?.(agreed as never, params) ?? true,
  };
}

function acceptedValue(checked: Checked, member: string): unknown {
  if ('problem' in checked) throw invalidParams(`notifications.${member}: ${checked.problem}`);
  return checked.value;
}
