import { isObject, type JsonObject } from '../../../base/json.js';
import { mapSubschemas, type Schema } from './clean.js';
import { mustMatch, withNotes } from './describe.js';
import { expandReferences } from './references.js';

/**
 * A schema whose patterns have no lookarounds; those that had some are told in the description. Newer models of OpenAI
 * refuse a whole request for one such pattern, also where the function is not strict.
 */
export function withoutLookarounds(root: JsonObject): JsonObject {
  const visit = (schema: Schema): Schema => {
    if (typeof schema === 'boolean') return schema;
    const { pattern, patternProperties, ...rest } = mapSubschemas(schema, visit);
    const moved: JsonObject = {};
    let kept: JsonObject = rest;
    if (looksAround(pattern)) moved.pattern = pattern;
    else if (pattern !== undefined) kept.pattern = pattern;
    if (isObject(patternProperties) && Object.keys(patternProperties).some(looksAround)) {
      const { additionalProperties, ...others } = kept;
      Object.assign(moved, {
        patternProperties,
        ...(additionalProperties !== undefined && { additionalProperties }),
      });
      kept = others;
    } else if (patternProperties !== undefined) kept.patternProperties = patternProperties;
    return Object.keys(moved).length > 0 ? withNotes(kept, [mustMatch(expandReferences(moved, root))]) : kept;
  };
  return visit(root) as JsonObject;
}

function looksAround(pattern: unknown): boolean {
  return typeof pattern === 'string' && /\(\?<?[=!]/.test(pattern);
}
