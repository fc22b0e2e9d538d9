const POSIX_NAMES = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
]);

const WINDOWS_NAMES = new Set([
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
]);

/**
 * The environment of a server: the given variables, and those of this process that programs need to run. The others are
 * not passed on, because they often contain secrets.
 */
export function childEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
  inherited: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  // Windows ignores the case of names: with both Path and PATH, it is undefined which one counts.
  const canonical = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const own = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const givenNames = new Set(own.map(([name]) => canonical(name)));
  const isNeeded = (name: string) =>
    platform === 'win32' ? WINDOWS_NAMES.has(name) : POSIX_NAMES.has(name) || name.startsWith('LC_');
  const needed = Object.entries(inherited).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (givenNames.has(canonical(name)) || !isNeeded(canonical(name))) return false;
    // A shell function, which some shells execute when they start.
    return value !== undefined && !value.startsWith('()');
  });
  return Object.fromEntries([...needed, ...own]);
}
