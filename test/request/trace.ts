import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Runs something and returns the files of the project of which a function ran meanwhile, sorted. */
export async function trace(run: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What has run so far does not count.
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
    return [...new Set(ran.flatMap(({ url }) => nameOf(url)))].sort();
  } finally {
    session.disconnect();
  }
}

/** The source of a file that was built. */
function nameOf(url: string): string[] {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  return path.startsWith(BUILT) ? [path.slice(BUILT.length).replace(/\.js$/, '.ts')] : [];
}
