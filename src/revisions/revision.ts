import type { ClientCapability, ServerCapability } from '../protocol/capabilities.js';
import type { ContentBlock } from '../protocol/content.js';
import type { Reason } from '../protocol/errors.js';
import type { ReservedRule } from '../protocol/meta-key.js';

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
  | 'completion'
  | 'progress';

/** The side that declares a capability, and the capability. */
export type Need = `server.${ServerCapability}` | `client.${ClientCapability}`;

/** Methods of messages, each with the capability that it depends on, if any. */
export type Messages = ReadonlyMap<string, Need | undefined>;

/**
 * One dated revision of the protocol, as data: how it differs from the newest vocabulary, which the server core uses.
 * `encode.ts`, `encode-declared.ts` and `decode.ts` read it.
 */
export interface Revision {
  readonly name: string;
  /** Whether requests carry an envelope, or belong to a handshake. */
  readonly era: 'modern' | 'legacy';
  /** The requests that a client may send, besides the methods that the author registered. */
  readonly requests: Messages;
  /** The notifications that a server may send. */
  readonly notifications: Messages;
  /** The requests that a server may send to the client, or put into a result that asks for input. */
  readonly questions: Messages;
  /** The notifications that a client may send. */
  readonly clientNotifications: Messages;
  /** Fields that this revision does not have, by shape. */
  readonly omit: Readonly<Record<Shape, readonly string[]>>;
  /** Content types that this revision does not have, and functions that replace them. */
  readonly replace: Readonly<Record<string, (block: never) => ContentBlock>>;
  /** Which values `structuredContent` and `outputSchema` may have. */
  readonly structuredContent: 'any' | 'object' | 'none';
  /** Whether the schema of a property of a tool's arguments or output may be `true` or `false`. */
  readonly booleanProperties: boolean;
  /** Error codes by reason, where they differ from the newest revision. */
  readonly codes: Readonly<Partial<Record<Reason, number>>>;
  /** Codes that this revision must not send, though authors may throw them, and the codes to send instead. */
  readonly retiredCodes: ReadonlyMap<number, number>;
  /** Whether the codes from -32099 to -32020 belong to the revision, so that authors must not use them. */
  readonly reservesCodes: boolean;
  /** Whether invalid arguments of a tool are a result for the model to read, or an error of the protocol. */
  readonly argumentErrors: 'result' | 'error';
  /** Which prefixes of `_meta` keys it reserves for itself. */
  readonly reservedMetaKeys: ReservedRule;
  /** What an elicitation may contain. */
  readonly elicitation: {
    readonly url: boolean;
    /** Whether elicitations by URL have an id. */
    readonly ids: boolean;
    readonly mode: boolean;
    readonly schema: 'full' | 'plain';
  };
  readonly samplingTools: boolean;
  /**
   * Whether extensions are declared as `experimental` capabilities, too. The schemas of these revisions know nothing else,
   * and many libraries drop what their schema does not know.
   */
  readonly experimentalExtensions: boolean;
  /** Whether several messages may arrive as one array. */
  readonly batches: boolean;
  /** Whether authorization servers without metadata have their endpoints at default paths. */
  readonly defaultEndpoints?: boolean;
  /** Whether an error may have no id, for a message whose id could not be read. */
  readonly errorsWithoutId: boolean;
  /** Whether a server may end a response stream early, so that the client reconnects for the rest. */
  readonly closableStreams: boolean;
}
