import type { CallToolResult, ContentBlock } from 'tenon/protocol';
import { showContent } from '../terminal/content.js';
import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import type { Saver } from '../terminal/save.js';
import { showStructure } from '../terminal/structure.js';

/** Shows the result of a tool: structured content as a table or tree, and the content that says something else. */
export function showResult(result: CallToolResult, tool: string, output: Output, saver: Saver): void {
  const { content, structuredContent, isError } = result;
  if (output.isJson) {
    if (saver.isWanted) saver.save(JSON.stringify(result, null, 2), tool, 'application/json');
    return output.json(result);
  }
  if (isError) output.note(`${output.noteColours.red('error:')} the tool ${plainLine(tool)} failed`);
  const hasStructure = structuredContent !== undefined;
  const others = hasStructure ? content.filter(block => !repeats(block, structuredContent)) : content;
  if (hasStructure) {
    for (const line of showStructure(structuredContent, output.colours, output.width)) output.print(line);
    if (saver.isWanted && others.every(({ type }) => type === 'text')) {
      const path = saver.save(JSON.stringify(structuredContent, null, 2), tool, 'application/json');
      output.note(`saved as ${path}`);
      return;
    }
  }
  if (others.length > 0) showContent(others, output, saver);
  else if (!hasStructure) output.note(output.noteColours.dim('(the tool returned nothing)'));
}

/** Whether a block only repeats the structured content as text, as servers do for older clients. */
function repeats(block: ContentBlock, structured: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(sorted(JSON.parse(block.text))) === JSON.stringify(sorted(structured));
  } catch {
    return block.text === String(structured);
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
