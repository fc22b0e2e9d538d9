import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, although most of them are short. Vitest begins with the largest ones, so these would be its last. */
const LONGEST = [
  'cli/init',
  'conformance/server',
  'conformance/client-auth',
  'auth/client/attacks',
  'cluster/nodes',
  'tasks/engines',
  'faults/filling',
  'faults/costs',
  'cli/replay',
  'package/types',
  'readme/docs',
  'rounds/nodes',
  'rounds/write-once',
  'rounds/abandoned',
  'runtimes/examples',
  'interop/official-v2',
  'interop/official-v1',
  'interop-client/tenon',
  'playground/sign-in',
  'client-faults/event-loop',
  'auth/client/stores',
  'cli/doctor',
  'cli/trace',
  'cli/call',
  'playground/hostile-app',
  'auth/client/guarded-fetch',
].map(name => `test/${name}.test.ts`);

/** Begins with the files that take longest, so that no worker is left alone with one of them in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex(name => moduleId.endsWith(`/${name}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
