import type { ContentBlock } from '../protocol/content.js';
import type { Reason } from '../protocol/errors.js';
import type { ReservedRule } from '../protocol/meta.js';

/** The wire shapes whose fields differ between revisions. */
export type Shape =
  | 'result'
  | 'tool'
  | 'resource'
  | 'template'
  | 'prompt'
  | 'argument'
  | 'block'
  | 'contents'
  | 'annotations'
  | 'implementation'
  | 'capabilities'
  | 'progress';

/**
 * One dated revision of the protocol, as data: how what it knows differs from the newest vocabulary, which
 * is what the server core speaks. `encode.ts` and `decode.ts` read it.
 */
export interface Revision {
  readonly name: string;
  /** Whether requests carry their envelope, or belong to a handshake. */
  readonly era: 'modern' | 'legacy';
  /** The requests that a client may send besides those that the author registered. */
  readonly requests: ReadonlySet<string>;
  /** The notifications that a server may send. */
  readonly notifications: ReadonlySet<string>;
  /** The questions that a server may ask. */
  readonly questions: ReadonlySet<string>;
  /** Fields that this revision does not know, by shape. */
  readonly omit: Readonly<Record<Shape, readonly string[]>>;
  /** Content types that this revision does not know, and what stands in for them. */
  readonly replace: Readonly<Record<string, (block: never) => ContentBlock>>;
  /** What `structuredContent` and `outputSchema` may be. */
  readonly structuredContent: 'any' | 'object' | 'none';
  /** Error codes chosen by the reason, where they differ from the newest. */
  readonly codes: Readonly<Partial<Record<Reason, number>>>;
  /** Whether invalid arguments of a tool are something for the model to read, or an error of the protocol. */
  readonly argumentErrors: 'result' | 'error';
  /** Which prefixes of keys in `_meta` it keeps for itself. */
  readonly reservedMetaKeys: ReservedRule;
  /** What a question may contain. */
  readonly elicitation: {
    readonly url: boolean;
    /** Whether questions by URL have an id of their own. */
    readonly ids: boolean;
    readonly mode: boolean;
    readonly schema: 'full' | 'plain';
  };
  readonly samplingTools: boolean;
  /** Whether several messages may arrive as one array. */
  readonly batches: boolean;
  /** Whether a server may end a response stream early and let the client come back for the rest. */
  readonly closableStreams: boolean;
}
