import { HANDSHAKE_REVISIONS } from 'tenon/protocol';
import { describeAnswer } from '../answer.js';
import type { Check } from '../check.js';
import { type Opened, openingFindings, showOff, showOpening, spokenIn } from '../opened.js';
import type { Report } from '../report.js';
import type { Opening, ProgramSubject } from './subject.js';

/** Programs that take more of their time limit than this to answer are not started for each of the older revisions. */
const QUICK_SHARE = 0.3;

/** Which revisions answer? The program is started anew for each. */
export const checkProgramRevisions: Check<ProgramSubject> = {
  title: 'Revisions',
  async run(subject, report) {
    const discovery = await subject.discover();
    showOpening(asOpened(discovery), report);
    if (discovery.run.startError) return [];
    const newest = await subject.greet(HANDSHAKE_REVISIONS[0] as string);
    showOpening(asOpened(newest), report);
    if (newest.reply.answer) await tryOthers(subject, newest.reply.ms, report);
    const openings = subject.openings.map(asOpened);
    subject.spoken = spokenIn(openings);
    showOff(openings, report);
    return openingFindings(openings, subject.spoken);
  },
};

async function tryOthers(subject: ProgramSubject, startMs: number, report: Report): Promise<void> {
  const others = HANDSHAKE_REVISIONS.slice(1);
  if (startMs > QUICK_SHARE * subject.limitMs) {
    const what = `${others.join(', ')} were not tried, because the program starts slowly`;
    return report.step({ mark: 'info', what });
  }
  for (const revision of others) showOpening(asOpened(await subject.greet(revision)), report);
}

function asOpened({ method, revision, agreed, reply, run }: Opening): Opened {
  const { answer, failure, ms } = reply;
  const silence = failure === 'ended' ? `it ${run.end}` : 'no answer';
  const outcome = answer ? describeAnswer(answer) : silence;
  return { method, revision, agreed, answer, outcome, hasSession: false, ms };
}
