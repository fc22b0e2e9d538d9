import type { Finding } from './finding.js';
import type { Report } from './report.js';

/** One question about a server. `Subject` holds what earlier checks have learned, for later ones. */
export interface Check<Subject> {
  /** The section of the report that its steps belong to. */
  readonly title: string;
  /** Whether the question makes sense after what is known by now. */
  applies?(subject: Subject): boolean;
  /** Adds what it tries to the report, and returns what is wrong. */
  run(subject: Subject, report: Report): Promise<readonly Finding[]>;
}

/** Runs checks one after the other. */
export async function runChecks<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  report: Report,
): Promise<void> {
  for (const check of checks) {
    if (check.applies && !check.applies(subject)) continue;
    report.begin(check.title);
    report.add(await check.run(subject, report));
  }
}
