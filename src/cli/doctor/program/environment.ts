/** The variables that programs need to run. The client of the SDK passes on the same; others may hold secrets. */
const NEEDED =
  /^(HOME|LANG|LANGUAGE|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROCESSOR_ARCHITECTURE|SYSTEMDRIVE|SYSTEMROOT|TEMP|USERNAME|USERPROFILE)$/i;

/** The environment of a program, as hosts start it: the given variables, and those that it needs to run. */
export function environmentOf(given: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  const needed = Object.entries(process.env).filter(([name]) => NEEDED.test(name));
  return { ...Object.fromEntries(needed), ...given };
}
