import { isObject, type JsonObject } from '../base/json.js';
import type { Resource } from './resources.js';

/** The author of a message, or the audience of content. */
export type Role = 'user' | 'assistant';

/**
 * Hints on how to use a piece of content or a resource.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations
 */
export interface Annotations {
  audience?: Role[];
  /** From 0, entirely optional, to 1, effectively required. */
  priority?: number;
  /** ISO 8601, such as `2025-01-12T15:00:58Z`. */
  lastModified?: string;
}

/** An icon of a server, tool, prompt or resource. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: 'light' | 'dark';
}

interface Block {
  annotations?: Annotations;
  _meta?: JsonObject;
}

/** A text. */
export interface TextContent extends Block {
  type: 'text';
  text: string;
}

/** A picture. */
export interface ImageContent extends Block {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
}

/** A sound. */
export interface AudioContent extends Block {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
}

/** A link to a resource that the client may read. */
export interface ResourceLink extends Resource {
  type: 'resource_link';
}

/** A resource embedded in the content. */
export interface EmbeddedResource extends Block {
  type: 'resource';
  resource: ResourceContents;
}

/**
 * The content of tool results and prompt messages.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The contents of a resource that is text. */
export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}

/** The contents of a resource that is not text. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** Base64. */
  blob: string;
  _meta?: JsonObject;
}

/** The contents of a resource. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** Whether a text looks like base64. Only its ends are tested: other data shows there, and it may be megabytes long. */
export function isBase64(data: string): boolean {
  return data.length % 4 === 0 && BASE64.test(data.slice(0, 1000)) && BASE64.test(data.slice(-1000));
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether a value is a MIME type, such as `text/plain`. */
export function isMimeType(value: unknown): boolean {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ *(;.*)?$/.test(value as string);
}

/** Whether a value is a complete text, image or audio block, which every kind of message may contain. */
export function isTextOrMedia(value: unknown): value is TextContent | ImageContent | AudioContent {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'text':
      return typeof value.text === 'string';
    case 'image':
    case 'audio':
      return typeof value.data === 'string' && typeof value.mimeType === 'string';
    default:
      return false;
  }
}
