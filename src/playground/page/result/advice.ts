import type { PageProblem } from '../../api.js';

const BY_CODE: Readonly<Record<number, string>> = {
  [-32601]: 'The server does not know this method. Compare its capabilities, or try another revision.',
  [-32602]: 'The server refused the parameters. Compare them with the input schema, and send it again.',
  [-32603]: 'The server failed inside. Its log or its standard error says more: see “Activity”.',
  [-32002]: 'There is no such resource. Reload the list, or check the URI.',
};

const BY_KIND: Readonly<Record<string, string>> = {
  mcp: 'The message above is from the server. The timeline shows the whole answer.',
  usage: 'Check the values that you entered.',
  cancelled: 'You can run it again at any time.',
  timeout: 'The server took too long. Run it again, or look at the log of the server.',
  connection: 'Check that the server still runs, then run it again: the page connects anew.',
  http: 'The server answered with an HTTP error. Check its address, and what stands between.',
  'cannot-connect':
    'Check that the server runs and that the address is right; “tenon doctor” finds out more.',
  'not-supported': 'The server does not offer this in this revision. Choose another revision above.',
  'invalid-answer': 'The server broke the protocol. The timeline shows its answer; its author should know.',
  'too-many-rounds': 'The server asks again and again. Its author should know.',
  access: 'The server refused access. Start the page again with `--bearer` or other credentials.',
  'access-unreachable': 'The sign-in server cannot be reached. Try again later.',
  'sign-in-required': 'The server wants a sign-in. Start the page again with `--bearer`, or sign in here.',
  page: 'Open the whole address that the terminal printed.',
};

/** What the user can do about a problem. */
export function adviceFor({ kind, code }: PageProblem): string {
  return BY_CODE[code ?? 0] ?? BY_KIND[kind] ?? 'The timeline shows the messages up to here.';
}
