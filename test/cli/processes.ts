import { execFile } from 'node:child_process';

/** The processes whose command line contains a text. */
export async function processesWith(text: string): Promise<number[]> {
  const list = await new Promise<string>(resolve =>
    execFile('ps', ['-eo', 'pid=,args='], { maxBuffer: 1e8 }, (_, stdout) => resolve(stdout)),
  );
  return list
    .split('\n')
    .filter(line => line.includes(text))
    .map(line => Number.parseInt(line, 10));
}
