import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { listSkills } from '../../src/node/client/skills/index.js';
import { skills } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import { folderWith, skillText } from './folders.js';

it('a folder that cannot be read is told once, and the skills beside it are served', async () => {
  const folder = await folderWith({ 'good/SKILL.md': skillText('good') });
  nestBeyondPaths(folder);
  const problems: string[] = [];
  const onProblem = ({ problem }: { problem: string }) => problems.push(problem);
  const server = new Server(
    { name: 'shop', version: '1.0.0' },
    { extensions: [skills(folder, { onProblem })] },
  );
  await using client = await connect(server);
  for (let n = 0; n < 3; n++)
    expect((await listSkills(client)).skills).toMatchObject([{ uri: 'skill://good/SKILL.md' }]);
  expect(problems).toEqual([expect.stringContaining('ENAMETOOLONG')]);
});

/** No user can open a folder by a path that is longer than the system allows, not even one who may read everything. */
function nestBeyondPaths(folder: string): void {
  const name = 'x'.repeat(255);
  const step = `mkdir ${name} && cd -P ${name}`;
  execFileSync('sh', ['-c', Array.from({ length: 17 }, () => step).join(' && ')], { cwd: folder });
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
}
