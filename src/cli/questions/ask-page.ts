import { log, select } from '@clack/prompts';
import type { ElicitResult, ElicitUrlParams } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { Left, prompt } from './prompting.js';

/** Shows the address of a page, and opens it only if the user says yes. */
export async function askPage(
  { message, url }: ElicitUrlParams,
  server: string,
  cli: Cli,
  signal: AbortSignal,
  open: (url: string) => Promise<boolean>,
): Promise<ElicitResult> {
  const { bold, cyan, yellow } = cli.output.noteColours;
  const page = new URL(url);
  const { href, hostname } = page;
  const heading = `${bold(`${plainLine(server)} asks you to visit a page:`)} ${plainText(message)}`;
  const warnings = disguises(page).map(warning => `\n${yellow(`Careful: ${warning}`)}`);
  log.step(`${heading}\n${cyan(plainLine(href))}${warnings.join('')}`, { output: process.stderr });
  const options = [
    { value: 'accept', label: `Open ${hostname} in the browser` },
    { value: 'decline', label: 'Decline' },
    { value: 'cancel', label: 'Cancel the question' },
  ];
  try {
    const action = await prompt(
      cli,
      streams => select({ ...streams, message: 'Open it?', options, initialValue: 'decline' }),
      signal,
    );
    if (action === 'accept' && !(await open(href)))
      cli.output.note('There is no browser here: open the page by hand.');
    return { action: action as ElicitResult['action'] };
  } catch (error) {
    if (error instanceof Left) return { action: 'cancel' };
    throw error;
  }
}

/** In which ways an address may look like the one of another host. */
function disguises({ username, password, hostname }: URL): string[] {
  return [
    ...(/(^|\.)xn--/.test(hostname)
      ? [`the name ${hostname} has letters that may only look like those of a name you know (Punycode).`]
      : []),
    ...(username !== '' || password !== ''
      ? [`the part before the @ says nothing about where the page is; it is at ${hostname}.`]
      : []),
  ];
}
