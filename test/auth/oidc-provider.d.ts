/** The package has no types of its own; this is what the tests use of it. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** What the provider keeps, by its id. */
  interface Kept {
    find(id: string): Promise<{ destroy(): Promise<void> } | undefined>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(event: string, listener: (...args: any[]) => void): void;
    use(middleware: (ctx: any, next: () => Promise<void>) => Promise<void>): void;
    readonly Grant: Kept;
    readonly AccessToken: Kept;
    readonly Client: { adapter: { destroy(id: string): Promise<void> } };
  }
}
