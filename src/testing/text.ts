import type { GetPromptResult } from '../protocol/prompts.js';
import type { ReadResourceResult } from '../protocol/resources.js';
import type { CallToolResult } from '../protocol/tools.js';

/**
 * The texts in a result of a tool, a prompt or a resource, one per line.
 *
 * @example
 * expect(textOf(await client.callTool('greet', { name: 'Ada' }))).toBe('Hello Ada');
 */
export function textOf(
  result:
    | Pick<CallToolResult, 'content'>
    | Pick<GetPromptResult, 'messages'>
    | Pick<ReadResourceResult, 'contents'>,
): string {
  return partsOf(result)
    .flatMap(part => ('text' in part ? [part.text] : []))
    .join('\n');
}

function partsOf(result: Parameters<typeof textOf>[0]): readonly object[] {
  if ('content' in result) return result.content;
  if ('contents' in result) return result.contents;
  return result.messages.map(({ content }) => content);
}
