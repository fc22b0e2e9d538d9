import type { Target, Transport } from '../bistro.js';

/** A client of somebody else: the same face for all of them. */
export interface PeerClient {
  listTools(): Promise<string[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<Outcome>;
  /** The text of a resource. */
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
}

/** What the client makes of a result. */
export interface Outcome {
  /** The texts, in order. */
  text: string;
  /** The pictures, as `data:` URLs. */
  pictures: string[];
  structured?: unknown;
  failed?: boolean;
}

export interface Peer {
  name: string;
  /** The revisions that it negotiates with a server that speaks all of them. */
  revisions: Record<Transport, string>;
  /** It puts questions to the user. */
  elicits: boolean;
  /** It has no word for a tool that failed: the text is all there is. */
  hidesFailures?: boolean;
  open(transport: Transport, target: Target, home: string): Promise<PeerClient>;
}

export interface Content {
  content?: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** An outcome from a result as the protocol has it. */
export function outcomeOf({ content = [], structuredContent, isError }: Content): Outcome {
  const blocks = content as { type: string; text?: string; data?: string; mimeType?: string }[];
  return {
    text: blocks.flatMap(({ text }) => text ?? []).join('\n'),
    pictures: blocks.flatMap(({ type, data, mimeType }) =>
      type === 'image' ? `data:${mimeType};base64,${data}` : [],
    ),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(isError && { failed: true }),
  };
}
