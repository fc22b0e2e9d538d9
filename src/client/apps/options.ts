import type { JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { ContentBlock } from '../../protocol/content.js';
import type { CallToolResult, Tool } from '../../protocol/tools.js';
import type { AppPage } from './page.js';

/** The frame of an app. Every `<iframe>` of a document is one. */
export interface AppFrame {
  src: string;
  allow: string;
  setAttribute(name: string, value: string): void;
  readonly contentWindow: { postMessage(message: unknown, targetOrigin: string): void } | null;
  readonly style: { height: string };
}

/** What an app wants, and the user has to agree to. */
export type AppRequest =
  /** To be shown. `page` says which hosts it wants to reach, and what it wants to use of the browser. */
  | { readonly kind: 'start'; readonly page: AppPage }
  /** To call a tool of its server. */
  | { readonly kind: 'call'; readonly tool: Tool; readonly arguments: JsonObject }
  /** To read a resource of its server. */
  | { readonly kind: 'read'; readonly uri: string }
  /** To have a page opened. */
  | { readonly kind: 'link'; readonly url: string }
  /** To say something in the name of the user. */
  | { readonly kind: 'message'; readonly content: readonly ContentBlock[] }
  /** To tell the model something, from its next turn on. */
  | { readonly kind: 'context'; readonly context: AppContext };

/** What an app tells the model. It replaces what the app told it before. */
export interface AppContext {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: JsonObject | undefined;
}

/** How an app is shown. */
export interface ShowAppOptions {
  /** The tool whose app is shown. */
  tool: Tool;
  /** The arguments of the call. */
  args: JsonObject;
  /** The result of the call, as soon as it is there. If the call fails, the app is told that it was cancelled. */
  result: CallToolResult | Promise<CallToolResult>;
  /** An empty frame that stands in the document, for this app only. */
  frame: AppFrame;
  /** The address of the sandbox, which must be on another origin than the host: see `appSandbox`. */
  sandbox: string | URL;
  /** Asks the user. Nothing happens unless it returns true. `signal` aborts when the app no longer waits. */
  approve: (request: AppRequest, context: { readonly signal: AbortSignal }) => Awaitable<boolean>;
  /** The name and version of the host; this package by default. */
  info?: { name: string; version: string } | undefined;
  /** The host as apps should see it: `theme`, `styles`, `locale` and the like. */
  context?: JsonObject | undefined;
  /** Opens a page in a tab of its own, with `noopener`. Without it, apps are told that there are no links. */
  openLink?: ((url: string) => Awaitable<void>) | undefined;
  /** Takes what the app says in the name of the user. Without it, apps are told that they cannot. */
  sendMessage?: ((content: readonly ContentBlock[]) => Awaitable<void>) | undefined;
  /** Takes what the app tells the model. Without it, apps are told that they cannot. */
  updateContext?: ((context: AppContext) => Awaitable<void>) | undefined;
  /** Gets the log messages of the app. */
  onLog?: ((message: { level: unknown; logger?: unknown; data: unknown }) => void) | undefined;
  /** Gets the size of the app in pixels. Without it, the frame follows the height of the app, up to 720 pixels. */
  onResize?: ((size: { width?: number; height?: number }) => void) | undefined;
  /** Called once when the app has ended by itself or was ended, with the reason: it left its page, or sent too much. */
  onEnd?: ((reason: string) => void) | undefined;
  /** Gets what is odd about the app, one sentence each. */
  onWarning?: ((message: string) => void) | undefined;
  /** Stops loading the app. */
  signal?: AbortSignal | undefined;
}
