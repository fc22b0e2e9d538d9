import { type Colours, coloursFor } from './colours.js';
import { plainText } from './plain-text.js';

const MAX_WARNINGS = 5;

/** Writes results to standard output, and everything else to standard error. */
export class Output {
  /** Whether standard output is for programs: one JSON document, or one per line for commands that go on. */
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly colours: Colours = coloursFor(process.stdout);
  /** The colours of standard error. */
  readonly noteColours: Colours = coloursFor(process.stderr);

  /** The line that is drawn again and again at the moment. */
  moving: { hide(): void; show(): void } | undefined;
  readonly #warnings = new Set<string>();

  constructor({ json = false, verbose = false }: { json?: boolean; verbose?: boolean } = {}) {
    this.isJson = json;
    this.isVerbose = verbose;
  }

  /** Whether a person reads standard output. */
  get isTerminal(): boolean {
    return process.stdout.isTTY === true;
  }

  /** Whether a person sees standard error and can be shown something that moves. */
  get isAlive(): boolean {
    return process.stderr.isTTY === true && !this.isJson && process.env.TERM !== 'dumb';
  }

  /** The width for tables and paragraphs; unlimited if nobody reads. */
  get width(): number {
    return this.isTerminal ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** Prints a line of the result. */
  print(line = ''): void {
    process.stdout.write(`${line}\n`);
  }

  /** Prints a result for programs. `indent: false` is for commands that print many, one per line. */
  json(value: unknown, { indent = true }: { indent?: boolean } = {}): void {
    process.stdout.write(`${JSON.stringify(value, null, indent ? 2 : undefined)}\n`);
  }

  /** Tells the user something that is not part of the result. */
  note(line: string): void {
    const { moving } = this;
    moving?.hide();
    process.stderr.write(`${line}\n`);
    moving?.show();
  }

  /** Says what to do after an error. */
  next(advice: string): void {
    this.note(`${this.noteColours.cyan('next:')} ${plainText(advice)}`);
  }

  /** Warns of each thing once. A server can cause any number of warnings, so only the first few are shown. */
  warn(text: string): void {
    if (this.#warnings.has(text) || (this.#warnings.size > MAX_WARNINGS && !this.isVerbose)) return;
    this.#warnings.add(text);
    const isLast = this.#warnings.size > MAX_WARNINGS && !this.isVerbose;
    const shown = isLast ? 'there is more to warn of; --verbose shows everything' : plainText(text);
    this.note(`${this.noteColours.yellow('warning:')} ${shown}`);
  }

  /** Tells the user something only with `--verbose`. */
  detail(text: string): void {
    if (this.isVerbose) this.note(this.noteColours.dim(plainText(text)));
  }
}
