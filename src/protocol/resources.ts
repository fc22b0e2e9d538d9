import type { JsonObject } from '../base/json.js';
import type { Annotations, Icon, ResourceContents } from './content.js';

/**
 * A resource as it is listed.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource
 */
export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  /** In bytes, before any encoding. */
  size?: number;
  icons?: Icon[];
  _meta?: JsonObject;
}

/** A family of resources whose URIs follow one RFC 6570 template. */
export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

/** One page of resources. */
export interface ListResourcesResult {
  resources: Resource[];
  nextCursor?: string;
}

/** One page of resource templates. */
export interface ListResourceTemplatesResult {
  resourceTemplates: ResourceTemplate[];
  nextCursor?: string;
}

/** The contents that a URI gives; a folder may give several. */
export interface ReadResourceResult {
  contents: ResourceContents[];
  _meta?: JsonObject;
}
