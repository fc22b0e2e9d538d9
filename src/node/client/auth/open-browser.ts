import { spawn } from 'node:child_process';
import { AccessError } from '../../../client/auth/errors.js';

/**
 * Opens a page in the user's browser. No shell sees its address. Only `http:` and `https:` are allowed: other schemes
 * start other programs. Resolves when the opening program runs; `onFailure` is called if it exits with an error.
 *
 * `xdg-open` evaluates `BROWSER`, which has many forms.
 *
 * @example
 * await openBrowser(new URL('https://bistro.example/sign-in'));
 */
export async function openBrowser(url: URL, onFailure: () => void = () => {}): Promise<void> {
  const { program, args } = browserCommand(url);
  try {
    await start(program, args, onFailure);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? `there is no ${program}` : `${program} does not start`;
    throw new AccessError('denied', `cannot open a browser: ${reason}; open this page by hand: ${url.href}`, {
      cause,
    });
  }
}

/** The command that opens a page. The address begins with its scheme, so it cannot be taken for an option. */
export function browserCommand(
  url: URL,
  platform: NodeJS.Platform = process.platform,
  windows: string = process.env.SystemRoot ?? 'C:\\Windows',
): { program: string; args: string[] } {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AccessError(
      'address',
      `only http: and https: pages are opened in a browser, not ${url.protocol}`,
    );
  }
  switch (platform) {
    case 'darwin':
      return { program: 'open', args: [url.href] };
    case 'win32':
      // `start` is a command of cmd, where & begins another command. The full path is used because a program of the
      // same name in the working directory would come first.
      return {
        program: `${windows}\\System32\\rundll32.exe`,
        args: ['url.dll,FileProtocolHandler', url.href],
      };
    default:
      return { program: 'xdg-open', args: [url.href] };
  }
}

function start(program: string, args: readonly string[], onFailure: () => void): Promise<void> {
  return new Promise((started, failed) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true });
    child.once('spawn', started);
    child.on('error', failed);
    child.once('exit', code => {
      if (code !== 0) onFailure();
    });
    child.unref();
  });
}
