/** A message that a window posted. */
export interface PostedMessage {
  readonly source: unknown;
  readonly origin: string;
  readonly data: unknown;
}

/** The window of the host, as far as apps need it: nothing here is compiled with the types of documents. */
interface HostWindow {
  readonly location?: { readonly origin: string } | undefined;
  addEventListener(type: 'message', listener: (message: PostedMessage) => void): void;
  removeEventListener(type: 'message', listener: (message: PostedMessage) => void): void;
}

export const hostWindow = globalThis as unknown as HostWindow;
