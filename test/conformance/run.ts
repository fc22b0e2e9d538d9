import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliRun, cliError, runCli } from './cli.js';
import type { Check, ScenarioReport } from './report.js';

export interface ServerSuite {
  /** The endpoint under test; it must be on loopback, or the scenario on DNS rebinding fails. */
  url: string;
  specVersion: string;
  suite?: 'all' | 'active' | 'draft' | 'pending';
  /** Ends the run early. */
  signal?: AbortSignal;
}

/**
 * Runs the official conformance suite against a server that is already up, one scenario after another.
 * The CLI exits with 0 when no scenario applies and when checks only warn, so its verdict is not enough:
 * every scenario that it announced is in the answer with all its checks, and at least one was announced.
 */
export async function runServerSuite({
  url,
  specVersion,
  suite = 'all',
  signal,
}: ServerSuite): Promise<ScenarioReport[]> {
  const output = await mkdtemp(join(tmpdir(), 'tenon-conformance-'));
  try {
    // A scenario that hangs fails by name within its own timeout, well before the test's.
    const options = ['--url', url, '--output-dir', output, '--timeout', '60000'];
    const cli = await runCli(['server', ...options, '--suite', suite, '--spec-version', specVersion], signal);
    const reports = await readReports(output, announced(cli), cli);
    const failed = reports.some(({ checks }) => checks.some(check => check.status === 'FAILURE'));
    if (cli.code !== (failed ? 1 : 0))
      throw cliError(`exited with ${cli.code}, which its checks do not explain`, cli);
    return reports;
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** Runs one scenario of an extension, which belongs to no version of the specification. */
export async function runServerScenario(url: string, scenario: string): Promise<ScenarioReport> {
  const output = await mkdtemp(join(tmpdir(), 'tenon-conformance-'));
  try {
    const options = ['--url', url, '--output-dir', output, '--timeout', '60000'];
    const cli = await runCli(['server', ...options, '--scenario', scenario], undefined);
    const [report] = await readReports(output, [scenario], cli);
    return report as ScenarioReport;
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

/** The scenarios that the CLI started, which must be as many as it selected. */
function announced(cli: CliRun): string[] {
  const selected = Number(/^Running .* \((\d+) scenarios\)/m.exec(cli.stdout)?.[1] ?? 0);
  const started = [...cli.stdout.matchAll(/^=== Running scenario: (.+) ===$/gm)].map(match => match[1]!);
  if (selected === 0) throw cliError('selected no scenario', cli);
  if (started.length !== selected) throw cliError(`started ${started.length} of ${selected} scenarios`, cli);
  return started;
}

async function readReports(output: string, scenarios: string[], cli: CliRun): Promise<ScenarioReport[]> {
  const folders = new Map<string, string>();
  for (const folder of await readdir(output)) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
    if (scenario !== undefined) folders.set(scenario, join(output, folder));
  }
  return Promise.all(
    scenarios.map(async scenario => ({
      scenario,
      checks: await readChecks(scenario, folders.get(scenario), cli),
    })),
  );
}

/** A scenario that threw leaves no checks behind; its error is on stderr. */
async function readChecks(scenario: string, folder: string | undefined, cli: CliRun): Promise<Check[]> {
  const text = folder && (await readFile(join(folder, 'checks.json'), 'utf8').catch(() => undefined));
  const checks: Check[] = text ? JSON.parse(text) : [];
  if (checks.length > 0) return checks;
  const thrown = cli.stderr
    .split(`Failed to run scenario ${scenario}: `)[1]
    ?.split('\nFailed to run scenario ')[0];
  return [
    { id: scenario, name: scenario, status: 'FAILURE', errorMessage: thrown?.trim() ?? 'reported no checks' },
  ];
}
