import type { Output } from './output.js';
import { plainLine } from './plain-text.js';
import { cut } from './table.js';

const BAR = 24;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;

/** One line on standard error that is drawn again and again while something is under way. Nothing without a terminal. */
export class ProgressLine {
  readonly #output: Output;
  readonly #isOn: boolean;
  #text: string;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output, text: string) {
    this.#output = output;
    this.#isOn = output.isAlive;
    this.#text = text;
  }

  /** Draws the line, and goes on with it until `hide`. */
  show(): void {
    if (!this.#isOn || this.#timer) return;
    this.#output.moving = this;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#timer.unref();
  }

  update(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void {
    this.#text = describe(progress, this.#output);
    if (!this.#isOn) this.#output.detail(plainLine(this.#text));
    else if (this.#timer) this.#draw();
  }

  say(text: string): void {
    this.#text = plainLine(text);
  }

  /** Removes the line, so that something else can be written. */
  hide(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.moving = undefined;
    process.stderr.write('\r\x1b[2K');
  }

  #draw(): void {
    const { cyan } = this.#output.noteColours;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const line = cut(this.#text, (process.stderr.columns || 80) - 4);
    process.stderr.write(`\r\x1b[2K${cyan(FRAMES[this.#frame] as string)} ${line}`);
  }
}

function describe(
  { progress, total, message = '' }: Parameters<ProgressLine['update']>[0],
  output: Output,
): string {
  const text = plainLine(message);
  if (total === undefined || !(total > 0)) return `${round(progress)} ${text}`;
  const part = Math.min(1, Math.max(0, progress / total));
  const full = Math.round(part * BAR);
  const bar = output.isAlive ? `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ` : '';
  return `${bar}${round(progress)}/${round(total)} ${text}`.trimEnd();
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
