import type { JsonObject } from '../base/json.js';
import { OnDemand } from '../base/on-demand.js';

/** Loaded while the first such request is under way: connecting needs none of it. */
const resultCheck = new OnDemand(() => import('./results.js'));

/** The result of a request, with the type that its method promises. Throws `InvalidAnswer` if it has another shape. */
export async function typedResult<T>(
  method: string,
  request: Promise<JsonObject>,
  warn: (message: string) => void,
): Promise<T> {
  const [result, { checkResult }] = await Promise.all([request, resultCheck.get()]);
  checkResult(method, result, warn);
  return result as T;
}
