/** What one scenario of the conformance suite found. */
export interface ScenarioReport {
  scenario: string;
  checks: Check[];
}

export interface Check {
  id: string;
  /** Tells apart the checks that share an id. */
  name: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  description?: string;
  errorMessage?: string;
}

export function countPassed(reports: readonly ScenarioReport[]): number {
  return reports.flatMap(({ checks }) => checks).filter(check => check.status === 'SUCCESS').length;
}

/** One readable paragraph for each check that neither passed nor only informs. */
export function listProblems(reports: readonly ScenarioReport[]): string[] {
  return reports.flatMap(({ scenario, checks }) =>
    checks
      .filter(check => check.status !== 'SUCCESS' && check.status !== 'INFO')
      .map(check => {
        // A message that breaks its schema is quoted whole, and a tool list is long.
        const reason = (check.errorMessage ?? check.description ?? 'no reason given').slice(0, 2_000);
        return `${check.status} ${scenario} › ${check.id} (${check.name})\n    ${reason.replaceAll('\n', '\n    ')}`;
      }),
  );
}
