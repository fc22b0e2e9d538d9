import { describe, expect, test } from 'vitest';
import { childEnvironment } from './environment.js';

describe('the environment of a server', () => {
  test('has what programs need, and nothing else of this process', () => {
    const own = {
      HOME: '/home/ada',
      PATH: '/bin',
      LC_ALL: 'C',
      TZ: 'UTC',
      AWS_SECRET_ACCESS_KEY: 'x',
      LD_PRELOAD: 'y',
    };
    expect(childEnvironment({}, own, 'linux')).toEqual({
      HOME: '/home/ada',
      PATH: '/bin',
      LC_ALL: 'C',
      TZ: 'UTC',
    });
  });

  // covers: 2026-07-28/authorization/stdio-uses-the-environment
  // covers: 2026-07-28/basic/stdio-takes-credentials-from-the-environment
  test('has what was given, also instead of what would be inherited', () => {
    const given = { PATH: '/opt/bin', TOKEN: 'secret' };
    expect(childEnvironment(given, { PATH: '/bin', USER: 'ada' }, 'darwin')).toEqual({
      ...given,
      USER: 'ada',
    });
  });

  test('has no functions of a shell, unless they were given', () => {
    expect(childEnvironment({}, { TERM: '() { :; }; echo', USER: 'ada' }, 'linux')).toEqual({ USER: 'ada' });
    expect(childEnvironment({ F: '() { :; }' }, {}, 'linux')).toEqual({ F: '() { :; }' });
  });

  test('takes names in any case on Windows, but each only once', () => {
    const own = {
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      windir: 'C:\\Windows',
      HOME: 'x',
      Temp: 'C:\\tmp',
    };
    expect(childEnvironment({ TEMP: 'D:\\tmp' }, own, 'win32')).toEqual({
      Path: 'C:\\bin',
      SystemRoot: 'C:\\Windows',
      TEMP: 'D:\\tmp',
    });
  });
});
