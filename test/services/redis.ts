import { once } from 'node:events';
import { connect } from 'node:net';
import { findRedis, HOW_TO_INSTALL, type Program } from './programs.js';
import { type ServiceControl, startService } from './service-process.js';

/** A Redis that tests have started. */
export interface RedisService extends ServiceControl {
  readonly url: string;
  /** Sends a command, and returns the first line of the answer. */
  command(...words: string[]): Promise<string>;
  /** What Redis says of itself, by name. */
  info(): Promise<ReadonlyMap<string, string>>;
}

/** Starts Redis on loopback. What it has acknowledged survives a crash of its process. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisService> {
  const service = await startService({
    program: redisProgram(),
    args: (folder, port) => [
      ...['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder],
      ...['--appendonly', 'yes', '--appendfsync', 'no', '--save', ''],
      ...settings,
    ],
    answers: async port => firstLine(await send(port, ['PING']).catch(() => '')) === '+PONG',
  });
  return Object.assign(service, {
    url: `redis://127.0.0.1:${service.port}`,
    command: async (...words: string[]) => firstLine(await send(service.port, words)),
    info: async () => readInfo(await send(service.port, ['INFO', 'everything'])),
  });
}

function redisProgram(): Program {
  const program = findRedis();
  if (!program) throw new Error(`Redis is missing: ${HOW_TO_INSTALL.redis}`);
  return program;
}

/** One command on a connection of its own: the tests of a client should not stand on that client. */
async function send(port: number, words: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    const parts = words.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.end(`*${words.length}\r\n${parts.join('')}`);
    let answer = '';
    socket.setEncoding('utf8').on('data', text => {
      answer += text;
    });
    await once(socket, 'close');
    return answer;
  } finally {
    socket.destroy();
  }
}

function firstLine(answer: string): string {
  return answer.slice(0, answer.indexOf('\r\n'));
}

function readInfo(answer: string): ReadonlyMap<string, string> {
  const lines = answer.split('\r\n').filter(line => line.includes(':'));
  return new Map(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}
