import type { StandardSchemaV1 } from '@standard-schema/spec';
import { clip } from '../base/clip.js';
import { InvalidAnswer } from '../protocol/failures.js';
import type { CallToolResult } from '../protocol/tools.js';

/** The result of a tool with typed structured content. */
export type TypedToolResult<T> = Omit<CallToolResult, 'structuredContent'> & { structuredContent: T };

/** Checks the structured content of a result against the author's schema. */
export async function checkOutput(
  name: string,
  result: CallToolResult,
  schema: StandardSchemaV1,
): Promise<TypedToolResult<unknown>> {
  const checked = await schema['~standard'].validate(result.structuredContent);
  if (!checked.issues) return Object.assign(result, { structuredContent: checked.value });
  const { path, message } = checked.issues[0] as StandardSchemaV1.Issue;
  const place = path?.map(step => String(typeof step === 'object' ? step.key : step)).join('.');
  throw new InvalidAnswer(
    `the result of the tool ${name} does not match the expected schema: ${clip(place ? `${place}: ${message}` : message, 500)}`,
  );
}
