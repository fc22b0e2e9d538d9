import { spawn } from 'node:child_process';

/**
 * Opens a page in the user's browser. No shell sees its address, and only `http:` and `https:` are opened: other schemes
 * start other programs. Resolves with false if there is no browser to open.
 */
export function openPage(address: string): Promise<boolean> {
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return Promise.resolve(false);
  const [program, ...args] = browserCommand(url.href);
  return new Promise(resolve => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** The address begins with its scheme, so that it cannot be taken for an option. */
function browserCommand(href: string): [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', href];
    case 'win32':
      // `start` is a command of cmd, where & begins another command.
      return [
        `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\rundll32.exe`,
        'url.dll,FileProtocolHandler',
        href,
      ];
    default:
      return ['xdg-open', href];
  }
}
