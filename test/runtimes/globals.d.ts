// The parts of Bun, Deno and workerd that examples and tests use. Projects get them from `@types/bun`, `@types/deno` and
// `@cloudflare/workers-types`.

declare const Bun: {
  serve(options: {
    hostname?: string;
    port: number;
    idleTimeout?: number;
    fetch(request: Request): Response | Promise<Response>;
  }): { port: number };
};

declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(
    options: { hostname?: string; port: number; onListen?(address: { port: number }): void },
    handler: (request: Request) => Response | Promise<Response>,
  ): { addr: { port: number } };
};

declare module 'cloudflare:workers' {
  export const env: { TENON_KEY: string; HOST: string };
}
