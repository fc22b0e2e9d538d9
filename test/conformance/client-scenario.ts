import { bundleClient } from './bundles.js';
import { cliError, listScenarios, runCli } from './cli.js';
import type { ScenarioReport } from './report.js';

/** A machine that is busy with something else is no failure. */
const PATIENCE = ['--timeout', '120000', '--verbose'];

/** A client that has nothing to greet with does not greet, so there is nothing to look at. */
const NOT_SENT = ['ClientMcpMethodHeader_initialize', 'ClientMcpMethodHeader_notifications_initialized'];

export interface ClientScenario {
  scenario: string;
  /** Not for scenarios of extensions, which belong to no version. */
  specVersion?: string | undefined;
  /** Ends the run early. */
  signal?: AbortSignal;
}

/**
 * Runs one scenario of the official conformance suite against the client of this folder. The CLI exits with 0
 * only if nothing failed or warned, so its negotiated counts; but also when the scenario looked at nothing.
 */
export async function runClientScenario({
  scenario,
  specVersion,
  signal,
}: ClientScenario): Promise<ScenarioReport> {
  const version = specVersion === undefined ? [] : ['--spec-version', specVersion];
  // As `npm run fixture:client --` does, but without what that takes to start.
  const command = ['--command', `${process.execPath} ${await bundleClient()}`];
  const cli = await runCli(['client', ...command, '--scenario', scenario, ...version, ...PATIENCE], signal);
  const checks = readChecks(cli.stdout);
  const isExplained = checks.some(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (cli.code !== 0 && !isExplained)
    throw cliError(`exited with ${cli.code}, which its checks do not explain`, cli);
  if (cli.stderr.includes('Client exited with code')) throw cliError('saw the client fail', cli);
  return { scenario, checks: checks.filter(({ name }) => !NOT_SENT.includes(name)) };
}

export function listClientScenarios(signal?: AbortSignal): Promise<Record<string, string[]>> {
  return listScenarios('client', signal);
}

/** Nothing is printed for a scenario that was skipped. */
function readChecks(stdout: string): ScenarioReport['checks'] {
  return stdout.startsWith('[') ? JSON.parse(stdout) : [];
}
