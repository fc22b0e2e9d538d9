import type { AudioContent, TextContent } from '../protocol/content.js';
import { revision20250326 as newer } from './2025-03-26.js';
import type { Revision } from './revision.js';

/** The first revision: HTTP+SSE, text, images and embedded resources. */
export const revision20241105 = {
  ...newer,
  name: '2024-11-05',
  // Completion has no capability yet: every server may offer it.
  requests: new Map([...newer.requests, ['completion/complete', undefined]]),
  omit: {
    ...newer.omit,
    tool: [...newer.omit.tool, 'annotations'],
    capabilities: [...newer.omit.capabilities, 'completions'],
    progress: ['message'],
  },
  replace: { ...newer.replace, audio: audioAsText },
  batches: false,
  defaultEndpoints: false,
} as const satisfies Revision;

function audioAsText(audio: AudioContent): TextContent {
  return {
    type: 'text',
    text: `[audio, ${audio.mimeType}, left out: this client's protocol revision has no audio]`,
    ...(audio.annotations && { annotations: audio.annotations }),
  };
}
