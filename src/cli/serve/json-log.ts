import { format } from 'node:util';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes a line of the log: JSON, for programs that collect logs. */
export function log(level: LogLevel, message: string, details: Record<string, unknown> = {}): void {
  const line = { time: new Date().toISOString(), level, message, pid: process.pid, ...details };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Turns what the server prints into lines of the log. */
export function logConsole(): void {
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;
  for (const [name, level] of Object.entries(levels)) {
    console[name as keyof typeof levels] = (...values: unknown[]) => log(level, format(...values));
  }
}
