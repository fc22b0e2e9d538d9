import type { Check } from '../check.js';
import { pageOf } from '../spec-page.js';
import type { HttpSubject } from './subject.js';

/** Does the server speak only the transport of the first revision? */
export const checkTransport: Check<HttpSubject> = {
  title: 'Revisions',
  applies: ({ speaksSse, spoken }) => speaksSse && spoken.length === 0,
  async run(_, report) {
    report.step({ mark: 'error', what: 'Streamable HTTP is not spoken' });
    return [
      {
        cause: 'old-transport',
        severity: 'error',
        title: 'the server speaks only the old HTTP+SSE transport',
        detail: 'It has been deprecated since March 2025, and clients have begun to drop it.',
        page: pageOf('basic/transports/streamable-http#backward-compatibility'),
        todo: 'Serve Streamable HTTP, beside the old transport if needed; check whether the server has it at /mcp.',
      },
    ];
  },
};
