// `npm run conformance` runs all scenarios of the official suite, of every revision and extension, and prints the score.
// It exits with 1 if something that has passed before does not pass.
import { availableParallelism } from 'node:os';
import { removeBundles } from './bundles.js';
import { listScenarios } from './cli.js';
import { runClientScenario } from './client-scenario.js';
import { CLIENT_AUTH_PASSED, CLIENT_PASSED, SERVER_EXTENSIONS, SERVER_PASSED, TIMED } from './recorded.js';
import { type Check, listProblems, type ScenarioReport } from './report.js';
import { runServerScenario, runServerSuite } from './run.js';
import { startFixture } from './start.js';

/** The scenarios of one side that are about the same, at one version. */
interface Group {
  /** Such as `server protocol`. */
  name: string;
  version: string;
  reports: ScenarioReport[];
  /** How many checks have passed before. */
  recorded: number;
}

const ATTEMPTS = 5;

try {
  const groups = [...(await scoreServer()), ...(await scoreClient())];
  console.log(table(groups));
  const lost = groups.filter(hasLost);
  for (const { name, version, reports, recorded } of lost) {
    console.log(
      `\n${name} at ${version}: ${count(reports, 'SUCCESS')} checks passed, and ${recorded} before`,
    );
    console.log(listProblems(reports).join('\n'));
  }
  process.exitCode = lost.length > 0 ? 1 : 0;
} finally {
  await removeBundles();
}

async function scoreServer(): Promise<Group[]> {
  const { url, stop } = await startFixture('test/conformance/server.ts');
  try {
    const groups: Group[] = [];
    for (const [version, recorded] of Object.entries(SERVER_PASSED)) {
      const reports = await runServerSuite({ url, specVersion: version });
      groups.push({ name: 'server protocol', version, reports, recorded });
    }
    const { extension = [] } = await listScenarios('server');
    const reports: ScenarioReport[] = [];
    for (const scenario of extension) reports.push(await runServerScenario(url, scenario));
    return [...groups, ...groupByTopic('server', 'extension', reports, SERVER_EXTENSIONS)];
  } finally {
    await stop();
  }
}

async function scoreClient(): Promise<Group[]> {
  const versions = Object.entries(await listScenarios('client')).sort();
  const runs = versions.flatMap(([version, scenarios]) => scenarios.map(scenario => ({ version, scenario })));
  const reports = new Map<string, ScenarioReport[]>();
  const run = async ({ version, scenario }: (typeof runs)[number]) => {
    const report = await runClient(scenario, version);
    reports.set(version, [...(reports.get(version) ?? []), report]);
  };
  const waiting = runs.filter(({ scenario }) => !TIMED.includes(scenario));
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  for (const timed of runs.filter(({ scenario }) => TIMED.includes(scenario))) await run(timed);
  return versions.flatMap(([version]) =>
    groupByTopic('client', version, reports.get(version) ?? [], {
      ...CLIENT_PASSED[version],
      ...CLIENT_AUTH_PASSED[version],
    }),
  );
}

/** Scenarios that measure time get several attempts: a machine that is busy with something else is no failure. */
async function runClient(scenario: string, version: string): Promise<ScenarioReport> {
  const specVersion = version === 'extension' ? undefined : version;
  for (let attempt = 1; ; attempt++) {
    const report = await runClientScenario({ scenario, specVersion }).catch(error => failed(scenario, error));
    const isFinal = !TIMED.includes(scenario) || attempt === ATTEMPTS;
    if (isFinal || listProblems([report]).length === 0) return report;
  }
}

function failed(scenario: string, error: Error): ScenarioReport {
  return {
    scenario,
    checks: [{ id: scenario, name: scenario, status: 'FAILURE', errorMessage: error.message }],
  };
}

function groupByTopic(
  side: string,
  version: string,
  reports: ScenarioReport[],
  recorded: Readonly<Record<string, number>>,
): Group[] {
  const groups = new Map<string, Group>();
  for (const report of reports) {
    const name = `${side} ${topicOf(report.scenario)}`;
    const group = groups.get(name) ?? { name, version, reports: [], recorded: 0 };
    group.reports.push(report);
    group.recorded += recorded[report.scenario] ?? 0;
    groups.set(name, group);
  }
  return [...groups.values()];
}

function topicOf(scenario: string): string {
  if (scenario.startsWith('auth/')) return 'authorization';
  if (scenario.startsWith('tasks-')) return 'tasks';
  return scenario.startsWith('sep-2640-') ? 'skills' : 'protocol';
}

/** Whether less passes than before, or something fails that should not. */
function hasLost({ reports, recorded }: Group): boolean {
  if (count(reports, 'SUCCESS') < recorded) return true;
  return count(reports, 'FAILURE') + count(reports, 'WARNING') > 0;
}

function count(reports: readonly ScenarioReport[], status: Check['status']): number {
  return reports.flatMap(({ checks }) => checks).filter(check => check.status === status).length;
}

function table(groups: readonly Group[]): string {
  const rows = groups.map(({ name, version, reports }) => [
    name,
    version,
    ...[
      reports.length,
      count(reports, 'SUCCESS'),
      count(reports, 'FAILURE'),
      count(reports, 'WARNING'),
      count(reports, 'SKIPPED'),
    ].map(String),
  ]);
  const head = ['group', 'revision', 'scenarios', 'passed', 'failed', 'warnings', 'skipped'];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(row => row[at]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => (/^\d+$/.test(cell) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))).join(' | ')} |`;
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
