import type { JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import { invalidParams } from '../../protocol/errors.js';
import type { Claim, NoticeClaim } from '../../protocol/extensions.js';
import { type Checked, compileSchema, type Infer, type Schema } from '../schema/schema.js';
import { decide } from './decide.js';

/** Notices that clients can listen to. Made by `notice`. */
export interface ExtensionNotice {
  /** The notification that carries a notice. */
  readonly method: string;
  /** The shape of the filter member; it is `true` if there is none. */
  readonly filter?: Schema | undefined;
  readonly wants?: ((wanted: never, params: JsonObject) => boolean) | undefined;
  readonly accept?: ((wanted: never, caller: Caller | undefined) => Awaitable<unknown>) | undefined;
}

/**
 * Notices that clients can listen to: `server.announce(method, params)` sends one to every client whose filter wants it.
 * `accept` returns the part of a filter that a caller may listen to, and undefined for nothing. On the handshake revisions,
 * which have no filters, a notice with `accept` reaches only those whom `announce` names.
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
    accept?: ((wanted: Infer<S>, caller: Caller | undefined) => Awaitable<Infer<S> | undefined>) | undefined;
  } = {},
): ExtensionNotice {
  return { method, ...options };
}

/** The claim of an extension on a member of the filter of `subscriptions/listen`. */
export function compileNotice(
  member: string,
  { method, filter, wants, accept }: ExtensionNotice,
  claim: Claim,
  report: (error: unknown, where: string) => void,
): NoticeClaim {
  const schema = filter && compileSchema(filter, `the filter "${member}"`, 'input', report);
  const who = `\`wants\` of the filter "${member}"`;
  return {
    ...claim,
    method,
    isRestricted: accept !== undefined,
    agree(asked, caller) {
      if (asked === undefined || asked === false) return undefined;
      if (!schema) {
        if (asked !== true) throw invalidParams(`notifications.${member} must be a boolean`);
        return accept ? accept(true as never, caller) : true;
      }
      return andThen(schema.check(asked), checked => {
        const wanted = acceptedValue(checked, member);
        return accept ? accept(wanted as never, caller) : wanted;
      });
    },
    wants: (agreed, params) =>
      !wants || Boolean(decide(() => wants(agreed as never, params) ?? true, who, report)),
  };
}

function acceptedValue(checked: Checked, member: string): unknown {
  if ('problem' in checked) throw invalidParams(`notifications.${member}: ${checked.problem}`);
  return checked.value;
}
