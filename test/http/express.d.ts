// The little of Express that the tests use; its types are a package that nothing else here needs.
declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  interface Response extends ServerResponse {
    send(body: string): this;
    status(code: number): this;
    json(body: unknown): this;
  }
  type Handler = (request: IncomingMessage, response: Response, next: (error?: unknown) => void) => void;
  type ErrorHandler = (
    error: { status?: number },
    request: IncomingMessage,
    response: Response,
    next: (error?: unknown) => void,
  ) => void;

  interface Router extends Handler {
    all(path: string, ...handlers: Handler[]): this;
    get(path: string, ...handlers: Handler[]): this;
    use(...handlers: (Handler | ErrorHandler)[]): this;
    use(path: string, ...handlers: Handler[]): this;
  }

  interface ParserOptions {
    type?: string;
  }

  const express: {
    (): Router & { listen(port: number, host: string, callback: () => void): Server };
    Router(): Router;
    json(options?: ParserOptions): Handler;
    text(options?: ParserOptions): Handler;
    raw(options?: ParserOptions): Handler;
  };

  export type { ErrorHandler, Router };
  export default express;
}
