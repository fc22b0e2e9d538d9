import { UsageError } from '../../base/errors.js';
import { asJson, isObject, type JsonObject, type JsonSchema } from '../../base/json.js';
import { type CacheHint, withCacheHint } from '../../protocol/caching.js';
import type { Result } from '../../protocol/call.js';
import type { Role } from '../../protocol/content.js';
import { isMetaKey } from '../../protocol/meta-key.js';
import { OWN_RESULT } from '../../protocol/own-result.js';
import { isImplementation } from '../../protocol/request-meta.js';
import { checkBlock, contentsProblem, isBlock } from './returned.js';

type List = [member: string, isItem: (item: JsonObject) => boolean];

/** The member of each result that is a list, and the test of its items. */
const LISTS: ReadonlyMap<string, List> = new Map<string, List>([
  ['tools/call', ['content', isContent]],
  ['prompts/get', ['messages', ({ role, content }) => ROLES.has(role) && isContent(content)]],
  ['resources/read', ['contents', item => contentsProblem(item) === undefined]],
  ['tools/list', ['tools', item => isText(item.name) && isObject(item.inputSchema)]],
  ['prompts/list', ['prompts', item => isText(item.name)]],
  ['resources/list', ['resources', item => isText(item.name) && isText(item.uri)]],
  ['resources/templates/list', ['resourceTemplates', item => isText(item.name) && isText(item.uriTemplate)]],
]);

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant'] satisfies Role[]);

/** The test of the other results with members that clients need, and what is wrong with one that fails it. */
const OBJECTS: ReadonlyMap<string, [isValid: (result: JsonObject) => boolean, problem: string]> = new Map([
  [
    'initialize',
    [
      ({ protocolVersion, capabilities, serverInfo, instructions = '' }: JsonObject) =>
        [protocolVersion, instructions].every(isText) &&
        isObject(capabilities) &&
        isImplementation(serverInfo),
      'has no valid protocolVersion, capabilities, serverInfo or instructions',
    ],
  ],
  [
    'server/discover',
    [
      ({ supportedVersions, capabilities }: JsonObject) =>
        Array.isArray(supportedVersions) && supportedVersions.every(isText) && isObject(capabilities),
      'has no valid supportedVersions or capabilities',
    ],
  ],
  ['ping', [({ _meta, ...others }: JsonObject) => Object.keys(others).length === 0, 'is not empty']],
  [
    'completion/complete',
    [
      ({ completion }: JsonObject) =>
        isObject(completion) && Array.isArray(completion.values) && completion.values.every(isText),
      'has no completion with a list of texts as values',
    ],
  ],
]);

/** The results that clients may keep. */
const CACHED: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

const NOT_CACHED: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/**
 * A result that came out of middleware, which may have made or changed it, as it may be sent. `outputSchema` is the
 * one of the tool, if its structured content is another than the tool returned.
 */
export async function checkResult(
  method: string,
  given: Result,
  outputSchema: JsonSchema | undefined,
): Promise<Result> {
  if (!isObject(given)) throw wrong(method, 'is not an object');
  const { structuredContent, ...others } = given;
  const result: JsonObject = {
    ...asJson(others),
    ...(structuredContent !== undefined && { structuredContent }),
  };
  const { resultType = 'complete' } = result;
  // Questions, and results that extensions brought, have other members.
  if (resultType !== 'complete' || OWN_RESULT in given) return result;
  const [member, isItem] = LISTS.get(method) ?? [];
  const list = member !== undefined && result[member];
  if (isItem && !(Array.isArray(list) && list.every(item => isObject(item) && isItem(item))))
    throw wrong(method, `has no valid list "${member}"`);
  const [isValid, problem = ''] = OBJECTS.get(method) ?? [];
  if (isValid?.(result) === false) throw wrong(method, problem);
  const { isError = false, _meta = {} } = result;
  if (typeof isError !== 'boolean') throw wrong(method, 'has an isError that is neither true nor false');
  const malformed = isObject(_meta) ? Object.keys(_meta).find(key => !isMetaKey(key)) : '_meta';
  if (malformed !== undefined) throw wrong(method, `has the malformed key "${malformed}" in _meta`);
  if (outputSchema && !isError) await checkOutput(method, structuredContent, outputSchema);
  if (!CACHED.has(method)) return result;
  const { ttlMs, cacheScope } = { ...NOT_CACHED, ...result } as CacheHint;
  return withCacheHint(result, { ttlMs, cacheScope });
}

async function checkOutput(method: string, value: unknown, schema: JsonSchema): Promise<void> {
  const { checkAsJson } = await import('../schema/json-schema.js');
  const checked = checkAsJson(schema, `the output schema of ${method}`, value);
  if ('problem' in checked)
    throw wrong(method, `has structured content that its output schema refuses: ${checked.problem}`);
}

function isContent(block: unknown): boolean {
  return isBlock(block) && checkBlock(block, 'middleware') !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function wrong(method: string, problem: string): UsageError {
  return new UsageError(`the result of ${method} that middleware returned ${problem}`);
}
