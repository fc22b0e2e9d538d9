import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { now } from '../clock.js';

/** The changes that streams hear of. */
export type Changed = 'list' | 'resource';

/** What the benchmark asks a node. */
export type Question = { change: Changed } | 'usage' | 'memory';

/** What a node has used so far. The memory is that after a collection of garbage, if that was asked for. */
export interface Usage {
  cpuMs: number;
  heapBytes: number;
  residentBytes: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Tells the parent the address of a node with streams, and answers its questions. */
export function answerQuestions(url: string, change: (what: Changed) => void): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (question: Question) => {
    if (question === 'usage') process.send!(usage());
    else if (question === 'memory') {
      collectGarbage();
      process.send!(usage());
    } else {
      const changedAt = now();
      change(question.change);
      process.send!({ changedAt });
    }
  });
  process.send!({ url });
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { cpuMs: (user + system) / 1000, heapBytes: heapUsed + external, residentBytes: rss };
}
