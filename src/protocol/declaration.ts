import { UsageError } from '../base/errors.js';
import { isObject, quoteBriefly } from '../base/json.js';

/** The shape that a member of an extension must have. */
export interface MemberShape {
  /** Completes "must be …". */
  readonly is: string;
  fits(value: unknown): boolean;
  /** The shape of the values of an object, or of the items of a list. */
  readonly each?: MemberShape | undefined;
}

export const TEXT: MemberShape = { is: 'a text', fits: value => typeof value === 'string' };
export const FUNCTION: MemberShape = { is: 'a function', fits: isFunction };
export const TEXTS: MemberShape = listOf(TEXT, 'texts');
export const MIDDLEWARE: MemberShape = listOf(
  {
    is: 'a function, or an object with request, question, receive, send',
    fits: value => isFunction(value) || isLayer(value),
  },
  'middleware',
);

export function objectOf(each: MemberShape): MemberShape {
  return { is: 'an object', fits: value => isObject(value) && !(Symbol.iterator in value), each };
}

/** A value that a function makes, recognised by some of its members. */
export function madeBy(
  name: string,
  fits: (value: Readonly<Record<string, unknown>>) => boolean,
): MemberShape {
  return { is: `made by \`${name}\``, fits: value => isObject(value) && fits(value) };
}

/** Throws if a member of an extension has another shape. The compiler finds that, too, but not in JavaScript. */
export function checkDeclaration(
  definition: object,
  id: string,
  shapes: Readonly<Record<string, MemberShape>>,
): void {
  for (const [member, shape] of Object.entries(shapes)) {
    const value: unknown = (definition as Readonly<Record<string, unknown>>)[member];
    if (value !== undefined) checkShape(value, shape, member, id);
  }
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function checkShape(value: unknown, { is, fits, each }: MemberShape, where: string, id: string): void {
  if (!fits(value)) {
    const got = isFunction(value) ? 'a function' : quoteBriefly(value);
    throw new UsageError(`\`${where}\` of the extension "${id}" must be ${is}, not ${got}`);
  }
  if (!each) return;
  const names = Array.isArray(value) ? value.map((_, at) => `[${at}]`) : [];
  Object.entries(value as object).forEach(([name, item], at) => {
    checkShape(item, each, `${where}${names[at] ?? `["${name}"]`}`, id);
  });
}

function listOf(each: MemberShape, what: string): MemberShape {
  return { is: `a list of ${what}`, fits: Array.isArray, each };
}

function isLayer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const kinds = [value.request, value.question, value.receive, value.send];
  const given = kinds.filter(run => run !== undefined);
  return given.length > 0 && given.every(isFunction);
}
