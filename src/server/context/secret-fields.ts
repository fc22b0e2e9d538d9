import { isObject, type JsonSchema } from '../../base/json.js';
import { tellOncePerProcess } from '../../base/once-per-process.js';
import { type Call, targetOf } from '../../protocol/call.js';

/** How fields are called whose values are secrets. */
const SECRET =
  /(^|_)(pass(word|wd|phrase|code)|pwd|secret|(api|private|access)_?key|(access|auth|bearer|refresh)_?token|credentials?|otp|cvc|cvv|card_?number)$/;

/**
 * Warns of the fields of a form that ask for a secret: a form passes through the client and its model.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#user-interaction-model
 */
export function warnOfSecrets(call: Call, { properties }: JsonSchema): void {
  const names = isObject(properties) ? Object.keys(properties) : [];
  for (const name of names.filter(isSecret)) {
    const text = `a form asks for "${name}", but forms must not ask for secrets: use ctx.elicitUrl, with a page of yours`;
    tellOncePerProcess(text, told => call.warn(told, targetOf(call.method, call.params) ?? call.method));
  }
}

function isSecret(name: string): boolean {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2').replace(/[^a-z\d]+/gi, '_');
  return SECRET.test(words.toLowerCase());
}
