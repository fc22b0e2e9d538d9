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

/** The end of a process may be noticed before its last output, so that a shell prints the exit code after that. */
const SHELL = `trap : INT; "$0" "$@"; printf '\\n[exit %s]' "$?"; read _`;
const EXIT = /\r\n\[exit (\d+)\]/;

/** `tenon` in a pseudo-terminal. */
export class Terminal {
  readonly #pty: IPty;
  #text = '';
  /** How much of the text the test has waited for already. */
  #seen = 0;
  #watch: (() => void) | undefined;
  readonly exited: Promise<number>;

  constructor(
    args: readonly string[],
    { env = {}, columns = 100 }: { env?: NodeJS.ProcessEnv; columns?: number } = {},
  ) {
    this.#pty = spawn('/bin/sh', ['-c', SHELL, process.execPath, TENON, ...args], {
      cols: columns,
      rows: 40,
      cwd: ROOT,
      env: { ...cleanEnv(), TERM: 'xterm-256color', ...env },
    });
    this.exited = new Promise(resolve => {
      this.#pty.onData(data => {
        this.#text += data;
        const [, code] = EXIT.exec(this.#text) ?? [];
        if (code !== undefined) {
          this.#text = this.#text.replace(EXIT, '');
          resolve(Number(code));
          this.#pty.write('\n');
        }
        this.#watch?.();
      });
    });
  }

  /** Everything that was written, with its control sequences. */
  get raw(): string {
    return this.#text;
  }

  /** Everything that was written, without colours and cursor movements. */
  get text(): string {
    return plain(this.#text);
  }

  /** Waits until a text is written, after the one that was waited for before. */
  async sees(wanted: string): Promise<void> {
    const found = new Promise<void>(resolve => {
      this.#watch = () => {
        const at = this.text.indexOf(wanted, this.#seen);
        if (at === -1) return;
        this.#seen = at + wanted.length;
        this.#watch = undefined;
        resolve();
      };
      this.#watch();
    });
    const over = this.exited.then(code => {
      if (this.#watch) throw new Error(`exited with ${code} before "${wanted}":\n${this.text.slice(-2000)}`);
    });
    await Promise.race([found, over]);
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is removed
  return text.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07/g, '').replace(/\r/g, '');
}
