import { type IPty, spawn } from '@lydell/node-pty';
import { cleanEnv, ROOT, TENON } from './run.js';

/** Keys as a terminal sends them. */
export const KEY = {
  enter: '\r',
  escape: '\x1b',
  ctrlC: '\x03',
  down: '\x1b[B',
  up: '\x1b[A',
  space: ' ',
  backspace: '\x7f',
};

/** `tenon` in a pseudo-terminal. */
export class Terminal {
  readonly #pty: IPty;
  #text = '';
  #seen = 0;
  #watch: (() => void) | undefined;
  readonly exited: Promise<number>;

  constructor(
    args: readonly string[],
    { env = {}, columns = 100 }: { env?: NodeJS.ProcessEnv; columns?: number } = {},
  ) {
    this.#pty = spawn(process.execPath, [TENON, ...args], {
      cols: columns,
      rows: 40,
      cwd: ROOT,
      env: { ...cleanEnv(), TERM: 'xterm-256color', ...env },
    });
    this.#pty.onData(data => {
      this.#text += data;
      this.#watch?.();
    });
    this.exited = new Promise(resolve => this.#pty.onExit(({ exitCode }) => resolve(exitCode)));
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything that was written, with its control sequences. */
  get raw(): string {
    return this.#text;
  }

  /** Everything that was written, without colours and cursor movements. */
  get text(): string {
    return plain(this.#text);
  }

  /** Waits until a text is written after the one that was waited for before. */
  async sees(wanted: string): Promise<void> {
    const over = this.exited.then(code => {
      const text = plain(this.#text.slice(this.#seen));
      if (!text.includes(wanted)) throw new Error(`exited with ${code} before "${wanted}":\n${this.text}`);
    });
    const found = new Promise<void>(resolve => {
      this.#watch = () => {
        if (plain(this.#text.slice(this.#seen)).includes(wanted)) resolve();
      };
      this.#watch();
    });
    await Promise.race([found, over]);
    this.#watch = undefined;
    this.#seen = this.#text.length;
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is removed
  return text.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07/g, '').replace(/\r/g, '');
}
