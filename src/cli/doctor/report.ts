import type { Finding, Step } from './finding.js';

export interface Section {
  readonly title: string;
  readonly steps: Step[];
  readonly findings: Finding[];
}

/** What was tried and found so far. */
export class Report {
  readonly sections: Section[] = [];
  readonly #show: (step: Step, section: Section) => void;

  /** `show` is called for each step, so that it can be seen while the others run. */
  constructor(show: (step: Step, section: Section) => void) {
    this.#show = show;
  }

  get findings(): readonly Finding[] {
    return this.sections.flatMap(({ findings }) => findings);
  }

  /** Begins a section, or goes on with the last one if it has this title. */
  begin(title: string): void {
    if (this.sections.at(-1)?.title !== title) this.sections.push({ title, steps: [], findings: [] });
  }

  step(step: Step): void {
    const section = this.sections.at(-1) as Section;
    section.steps.push(step);
    this.#show(step, section);
  }

  add(findings: readonly Finding[]): void {
    this.sections.at(-1)?.findings.push(...findings);
  }
}
