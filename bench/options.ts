import { parseArgs } from 'node:util';
import { targets as allTargets, type Target } from './processes.js';
import { scenarios as allScenarios, type Scenario } from './scenarios.js';

export interface Options {
  rounds: number;
  seconds: number;
  scenarios: readonly Scenario[];
  targets: readonly Target[];
  scale: boolean;
  json: boolean;
}

export const usage = `npm run bench -- [options]
  --rounds <n>      rounds per scenario and revision (21)
  --seconds <s>     length of a round per server (0.5)
  --only <method>   tools/call or tools/list
  --targets <list>  of bare, official, official-tuned, tenon, tenon-protected; --scale takes tenon alone unless told otherwise
  --scale           does tools/call slow down with 2,000 tools or 10,000 sessions?
  --json            everything that was measured, as JSON`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '21' },
      seconds: { type: 'string', default: '0.5' },
      only: { type: 'string' },
      targets: { type: 'string' },
      scale: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const targets = values.targets?.split(',') ?? (values.scale ? ['tenon'] : [...allTargets]);
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    scenarios: values.only === undefined ? allScenarios : [oneOf('only', allScenarios, values.only)],
    targets: targets.map(target => oneOf('targets', allTargets, target)),
    scale: values.scale,
    json: values.json,
  };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} must be a positive number, not ${value}`);
  return number;
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string): T {
  const found = allowed.find(item => item === value);
  if (found === undefined) throw new Error(`--${name} takes ${allowed.join(', ')}, not ${value}`);
  return found;
}
