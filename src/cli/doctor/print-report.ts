import type { Output } from '../terminal/output.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { cut, widthOf, wrap } from '../terminal/table.js';
import type { Finding, Step } from './finding.js';
import type { Section } from './report.js';
import type { Verdict } from './verdict.js';

const MARKS = { ok: '✓', error: '✗', warning: '!', info: '·' } as const;
/** Where terminals are wider, lines stay readable. */
const MAX_WIDTH = 110;
/** How long a line of a step may be where nobody reads. */
const MAX_LINE = 300;
/** The column in which durations end. */
const TIME_WIDTH = 8;

/** Prints steps as they come, with the titles of their sections. */
export class ReportPrinter {
  readonly #output: Output;
  #section: string | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  title(label: string): void {
    const { bold } = this.#output.colours;
    this.#output.print(`${bold('tenon doctor')}  ${cut(plainLine(label), this.#width - 14)}`);
  }

  step({ mark, what, outcome, ms }: Step, { title }: Section): void {
    const { bold, dim } = this.#output.colours;
    if (title !== this.#section) this.#output.print(`\n${bold(title)}`);
    this.#section = title;
    const time = ms === undefined ? '' : formatMs(ms);
    const room = this.#width - 4 - TIME_WIDTH - 1;
    const most = this.#output.isTerminal ? room : MAX_LINE;
    const left = cut(plainLine(what), most);
    const right = outcome === undefined ? '' : cut(plainLine(outcome), Math.max(0, most - widthOf(left) - 2));
    const used = widthOf(left) + (right ? 2 + widthOf(right) : 0);
    const gap = ' '.repeat(Math.max(1, room + 1 - used));
    const text = right ? `${left}  ${dim(right)}` : left;
    this.#output.print(`  ${this.#paint(mark)} ${text}${time && gap + dim(time.padStart(TIME_WIDTH))}`);
  }

  /** Prints the verdict, and for each finding what to do. */
  end({ mark, sentence }: Verdict, findings: readonly Finding[], ms: number): void {
    const { bold, dim } = this.#output.colours;
    this.#output.print(`\n${bold('Verdict')}`);
    const [first, ...rest] = wrap(plainLine(sentence), this.#width - 4);
    this.#output.print(`  ${this.#paint(mark)} ${bold(first as string)}`);
    for (const line of rest) this.#output.print(`    ${bold(line)}`);
    if (findings.length > 0) this.#output.print(`\n${bold('What to do')}`);
    for (const [index, finding] of findings.entries()) {
      if (index > 0) this.#output.print();
      // The verdict has just said it.
      this.#advise(finding, finding.title !== sentence);
    }
    this.#output.print(`\n${dim(`Checked in ${formatMs(ms)}.`)}`);
  }

  #advise({ severity, title, detail, page, todo }: Finding, withTitle: boolean): void {
    const { cyan, dim } = this.#output.colours;
    const print = (text: string, lead = '   ', paint = (line: string) => line) => {
      const lines = wrap(plainText(text), this.#width - 5);
      for (const [index, line] of lines.entries()) {
        this.#output.print(`  ${index === 0 ? lead : '   '}${paint(line)}`);
      }
    };
    if (withTitle) print(title, `${this.#paint(severity)}  `);
    print(todo, `${cyan('→')}  `);
    if (detail) print(detail, '   ', dim);
    if (page) this.#output.print(`     ${dim(page)}`);
  }

  get #width(): number {
    return Math.min(this.#output.width, MAX_WIDTH);
  }

  #paint(mark: Step['mark']): string {
    const { green, red, yellow, dim } = this.#output.colours;
    const paints = { ok: green, error: red, warning: yellow, info: dim };
    return paints[mark](MARKS[mark]);
  }
}

function formatMs(ms: number): string {
  return ms < 9950 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
