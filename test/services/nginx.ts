import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findNginx, HOW_TO_INSTALL } from './programs.js';
import { type ServiceControl, startService } from './service-process.js';

/** An nginx that tests have started. */
export interface NginxService extends ServiceControl {
  readonly url: string;
}

/** Starts nginx on loopback: `http` is the inside of its `http` block for the port that it gets. */
export async function startNginx(http: (port: number) => string): Promise<NginxService> {
  const program = findNginx();
  if (!program) throw new Error(`nginx is missing: ${HOW_TO_INSTALL.nginx}`);
  const service = await startService({
    program,
    prepare: async (folder, port) => writeFileSync(join(folder, 'nginx.conf'), configuration(http(port))),
    args: folder => ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'],
    answers: isListening,
  });
  return Object.assign(service, { url: `http://127.0.0.1:${service.port}` });
}

/**
 * Gives each request to the next node, whatever its session. Streams pass as they come. A node that refused `maxFails`
 * connections gets no more for ten seconds; with 0 it is always tried.
 */
export function roundRobin(
  nodes: readonly number[],
  { maxFails = 1 }: { maxFails?: number } = {},
): (port: number) => string {
  return port => `
    upstream nodes {
      ${nodes.map(node => `server 127.0.0.1:${node} max_fails=${maxFails};`).join('\n      ')}
      keepalive 32;
    }
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://nodes;
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header Connection '';
        proxy_buffering off;
        proxy_read_timeout 1h;
      }
    }`;
}

/** One process: what it writes stays in its folder, whichever build of nginx it is. */
function configuration(http: string): string {
  return `
  daemon off;
  master_process off;
  pid nginx.pid;
  error_log stderr;
  events { worker_connections 20000; }
  http {
    access_log off;
    client_body_temp_path bodies;
    proxy_temp_path answers;
    client_max_body_size 0;
    ${http}
  }`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
