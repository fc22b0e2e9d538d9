import type { ContentBlock } from '../../protocol/content.js';
import type { CallToolResult } from '../../protocol/tools.js';

/** A piece of a result that a model can take. */
export type ResultPart = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** The types of pictures that all vendors take. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A result as texts and, if the model takes them, pictures. What a model cannot take is named in a text. */
export function toParts(result: CallToolResult, takesImages: boolean): ResultPart[] {
  const parts = result.content.map(block => toPart(block, takesImages));
  if (parts.length > 0) return parts;
  const text = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent);
  return [{ type: 'text', text: text || (result.isError ? 'The tool failed.' : 'Done.') }];
}

/** All texts of a result in one. */
export function joinTexts(parts: readonly ResultPart[]): string {
  return parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function toPart(block: ContentBlock, takesImages: boolean): ResultPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return mediaPart(block, takesImages);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { type: 'text', text: resource.text };
      return mediaPart(
        { data: resource.blob, mimeType: resource.mimeType ?? '', uri: resource.uri },
        takesImages,
      );
    }
    case 'resource_link': {
      const { uri, name, description } = block;
      return { type: 'text', text: `[resource ${name}: ${uri}${description ? `, ${description}` : ''}]` };
    }
    default:
      return { type: 'text', text: JSON.stringify(block) };
  }
}

function mediaPart(
  { data, mimeType, uri }: { data: string; mimeType: string; uri?: string },
  takesImages: boolean,
): ResultPart {
  if (takesImages && PICTURES.includes(mimeType)) return { type: 'image', data, mimeType };
  const bytes = Math.floor((data.length * 3) / 4);
  const place = uri === undefined ? '' : ` ${uri}`;
  return { type: 'text', text: `[${mimeType || 'data'}${place}, ${bytes} bytes, not shown to the model]` };
}
