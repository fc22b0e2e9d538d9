import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { ProcessTree } from './tree.js';

/** The tree of a process on Windows. It can be found and ended only while that process runs. */
export class WindowsTree implements ProcessTree {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  look(): void {}

  isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  terminate(): boolean {
    if (!this.isAlive()) return false;
    const taskkill = spawn(TASKKILL, this.#arguments(), { windowsHide: true, stdio: 'ignore' });
    taskkill.on('error', () => this.#child.kill());
    return true;
  }

  kill(): void {
    if (!this.isAlive()) return;
    const { error } = spawnSync(TASKKILL, this.#arguments(), { windowsHide: true, stdio: 'ignore' });
    if (error) this.#child.kill();
  }

  /** With its children, by force: processes without a window cannot be ended in another way. */
  #arguments(): string[] {
    return ['/pid', String(this.#child.pid), '/t', '/f'];
  }
}

const TASKKILL = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
