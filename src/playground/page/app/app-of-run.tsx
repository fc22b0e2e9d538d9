import { createEffect, createMemo, createSignal, on, Show } from 'solid-js';
import { unwrap } from 'solid-js/store';
import { appUriOf } from 'tenon/apps/host';
import type { Tool } from 'tenon/protocol';
import { toolsOn } from '../state/catalog.js';
import type { Run } from '../state/runs.js';
import { AppView } from './app-view.jsx';

/** The app of a run, if the tool that it calls has one on its connection. */
export function AppOfRun(props: { run: Run }) {
  const [tool, setTool] = createSignal<Tool>();
  const name = createMemo(() => (props.run.subject.kind === 'tool' ? props.run.subject.name : undefined));
  createEffect(
    on(name, async name => {
      const tools = name === undefined ? [] : await toolsOn(props.run.connection).catch(() => []);
      setTool(() => tools.find(tool => tool.name === name && appUriOf(tool) !== undefined));
    }),
  );
  return <Show when={tool()}>{tool => <AppView run={props.run} tool={unwrap(tool())} />}</Show>;
}
