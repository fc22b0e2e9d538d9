import type { ResourceLink, TextContent } from '../protocol/content.js';
import { revision20250618 as newer } from './2025-06-18.js';
import { without } from './features.js';
import type { Revision } from './revision.js';

/** Streamable HTTP, audio, tool annotations and batches; no elicitation, no structured output, no titles. */
export const revision20250326 = {
  ...newer,
  name: '2025-03-26',
  questions: without(newer.questions, 'elicitation/create'),
  omit: {
    ...newer.omit,
    tool: [...newer.omit.tool, 'title', 'outputSchema', '_meta'],
    resource: [...newer.omit.resource, 'title', '_meta'],
    template: [...newer.omit.template, 'title', '_meta'],
    prompt: [...newer.omit.prompt, 'title', '_meta'],
    argument: ['title'],
    block: ['_meta'],
    contents: ['_meta'],
    annotations: ['lastModified'],
    implementation: [...newer.omit.implementation, 'title'],
    // The proposal for extensions has them in the handshake of the next revision.
    capabilities: [...newer.omit.capabilities, 'extensions'],
    completion: ['context'],
  },
  replace: { resource_link: linkAsText },
  structuredContent: 'none',
  reservedMetaKeys: 'none',
  batches: true,
  defaultEndpoints: true,
} as const satisfies Revision;

function linkAsText(link: ResourceLink): TextContent {
  const label = link.title ?? link.name;
  const about = link.description === undefined ? '' : ` (${link.description})`;
  return {
    type: 'text',
    text: `${label}: ${link.uri}${about}`,
    ...(link.annotations && { annotations: link.annotations }),
  };
}
