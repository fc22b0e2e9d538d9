import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { HandlerContext, QuestionContext } from '../answer-options.js';
import type { OwnMethod, OwnNotification, OwnResultType, ResultContext, ValueCheck } from '../extension.js';

/**
 * A notification of servers that an extension takes, checked and typed by a schema. One that does not fit is left out.
 *
 * @example
 * const found = notification(z.object({ book: z.string() }), ({ book }, { server }) => show(server, book));
 */
export function notification<S extends StandardSchemaV1>(
  params: S,
  handler: (params: StandardSchemaV1.InferOutput<S>, context: HandlerContext) => Awaitable<void>,
): OwnNotification {
  return { check: checkBy(params), handler };
}

/**
 * The answer to a request of servers, on revisions where servers send requests. Parameters that do not fit the schema are
 * refused with `-32602`.
 *
 * @example
 * const pick = answer(z.object({ books: z.array(z.string()) }), async ({ books }) => ({ book: await askUser(books) }));
 */
export function answer<S extends StandardSchemaV1>(
  params: S,
  handler: (params: StandardSchemaV1.InferOutput<S>, context: QuestionContext) => Awaitable<object>,
): OwnMethod {
  return { check: checkBy(params), handler };
}

/**
 * A type of results. With a handler, the call goes on until that has made the final result; without one, `client.request`
 * returns the result as it is, once it fits the schema.
 *
 * @example
 * const started = resultType(z.object({ search: z.string() }), ({ search }, { request }) =>
 *   request('com.example/wait', { search }),
 * );
 */
export function resultType<S extends StandardSchemaV1>(
  result: S,
  handler?: (result: StandardSchemaV1.InferOutput<S>, context: ResultContext) => Awaitable<JsonObject>,
): OwnResultType {
  return { check: checkBy(result), handler };
}

function checkBy(schema: StandardSchemaV1): ValueCheck {
  return value => andThen(schema['~standard'].validate(value), readOutcome);
}

function readOutcome(outcome: StandardSchemaV1.Result<unknown>): { value: unknown } | { problem: string } {
  if (!outcome.issues) return { value: outcome.value };
  const shown = outcome.issues.slice(0, 3).map(({ path = [], message }) => {
    const place = path.map(step => String(typeof step === 'object' ? step.key : step)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  return { problem: shown.join('; ') };
}
