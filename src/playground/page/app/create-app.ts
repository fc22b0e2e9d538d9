import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { appUriOf, type ShowAppOptions, type ShownApp, showApp } from 'tenon/apps/host';
import type { CallToolResult, Tool } from 'tenon/protocol';
import { problemOf } from '../backend.js';
import { noteActivity } from '../state/activity.js';
import { catalogOf } from '../state/catalog.js';
import { pageState } from '../state/page-state.js';
import type { Run } from '../state/runs.js';
import { updates, watch } from '../state/watching.js';
import { look } from './look.js';
import { clientFor } from './page-client.js';
import { sandboxAddress } from './sandbox-address.js';
import { createWishes } from './wishes.js';

const MAX_TOLD = 100;

/** The app of a run, which can be shown, closed, and shown again. */
export function createApp(run: Run, tool: Tool) {
  const [app, setApp] = createSignal<ShownApp>();
  /** Why there is no app to see. */
  const [problem, setProblem] = createSignal<string>();
  /** What the app logged, and what it said after the user allowed it. */
  const [told, setTold] = createSignal<readonly string[]>([]);
  const { wishes, ask } = createWishes();
  const result = resultOf(run);
  let loading = new AbortController();
  let frame: HTMLIFrameElement | undefined;
  /** Resolves when the app that was shown before has left the frame. */
  let left = Promise.resolve();

  const tell = (about: string, value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    setTold(all => [...all, `${about}: ${text}`].slice(-MAX_TOLD));
  };
  const leave = (reason: string) => {
    setApp(undefined);
    setProblem(reason);
  };
  const options = (frame: HTMLIFrameElement, signal: AbortSignal): ShowAppOptions => ({
    tool,
    args: unwrap(run.params.arguments ?? {}) as Record<string, unknown>,
    result,
    frame,
    sandbox: sandboxAddress(pageState()?.sandboxPort ?? 0),
    approve: ask,
    context: { ...look(), locale: navigator.language },
    // The question is a link, which the user has followed.
    openLink: url => tell('Opened', url),
    sendMessage: content => tell('In your name', content),
    updateContext: context => tell('To the model', context),
    onLog: ({ level, data }) => tell(String(level), data),
    onEnd: reason => leave(`The app was ended: ${reason}.`),
    onWarning: text => noteActivity({ type: 'warning', at: Date.now(), text }),
    signal,
  });

  const show = async (given: HTMLIFrameElement) => {
    frame = given;
    loading = new AbortController();
    const { signal } = loading;
    setProblem(undefined);
    try {
      await left;
      const shown = await showApp(clientFor(run), options(given, signal));
      if (signal.aborted) await shown.close();
      else setApp(shown);
    } catch (error) {
      if (!signal.aborted) leave(problemOf(error).message);
    }
  };
  const stop = () => {
    loading.abort();
    const old = app();
    setApp(undefined);
    if (old) left = old.close();
  };
  /** Shows the page anew after the server said that it changed. */
  const reload = () => {
    if (!frame || problem() !== undefined) return;
    stop();
    void show(frame);
  };
  const close = () => {
    stop();
    setProblem('You closed the app.');
  };

  onCleanup(close);
  keepCurrent(run, appUriOf(tool) ?? '', app, reload);
  return { app, problem, told, wishes, show, close };
}

/** Tells an app of changes on the page and in its server, and has it shown anew when its own page changed. */
function keepCurrent(run: Run, uri: string, app: () => ShownApp | undefined, reload: () => void): void {
  // Not while something runs, whose messages these would seem to be.
  const isQuiet = createMemo(() => app() !== undefined && run.state !== 'running');
  createEffect(on(isQuiet, isQuiet => isQuiet && void watch(run.connection, uri, true)));
  onCleanup(() => void watch(run.connection, uri, false));
  createEffect(on(() => updates[uri], reload, { defer: true }));
  createEffect(
    on(
      () => catalogOf(run.connection).tools,
      () => app()?.toolsChanged(),
      { defer: true },
    ),
  );
  createEffect(on(look, changes => app()?.setContext(changes), { defer: true }));
}

/** The result of a run, when it is there. */
function resultOf(run: Run): Promise<CallToolResult> {
  const result = new Promise<CallToolResult>((resolve, reject) => {
    createEffect(() => {
      if (run.state === 'done') resolve(unwrap(run.result) as unknown as CallToolResult);
      else if (run.state !== 'running') reject(new Error(run.problem?.message ?? 'the call was cancelled'));
    });
  });
  // There may be no app yet that waits for it.
  result.catch(() => {});
  return result;
}
