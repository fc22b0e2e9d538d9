import { createSignal } from 'solid-js';

/** The latest reload of the file that is served. */
export interface Reload {
  readonly at: number;
  readonly problem: string | undefined;
}

const [reload, setReload] = createSignal<Reload>();

export { reload };

export function noteReload(problem: string | undefined): void {
  setReload({ at: Date.now(), problem });
}

export function dismissReload(): void {
  setReload(undefined);
}
