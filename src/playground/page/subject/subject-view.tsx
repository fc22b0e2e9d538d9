import { createEffect, createMemo, on, Show } from 'solid-js';
import type { Tool } from 'tenon/protocol';
import { place } from '../address.js';
import { IconImage } from '../parts/icon-image.jsx';
import type { Subject } from '../place.js';
import { catalogOf, findItem } from '../state/catalog.js';
import { connections } from '../state/connections.js';
import { run, runsOf } from '../state/runs.js';
import { updates } from '../state/watching.js';
import { Badges } from './badges.jsx';
import { Lanes } from './lanes.jsx';
import { RequestForm } from './request-form.jsx';
import { SchemaDetails } from './schema-details.jsx';
import { type Item, taskOf } from './task.js';
import { WatchSwitch } from './watch-switch.jsx';

/** A tool, resource, template or prompt: what it is, the form for it, and what came of it. */
export function SubjectView(props: { subject: Subject }) {
  const item = createMemo(() => findItem(place().revision, props.subject));
  const task = createMemo(() => taskOf(props.subject, item()));
  const isConnected = () => connections[place().revision]?.state === 'connected';
  const targets = () => [place().revision, place().compare].filter(name => name !== undefined);
  const send = (value: Record<string, unknown>) =>
    void run(props.subject, task().method, task().toParams(value), targets());

  // A resource is read as soon as it is chosen, and again whenever the server says that it changed.
  createEffect(() => {
    if (props.subject.kind === 'resource' && isConnected() && runsOf(props.subject).length === 0) send({});
  });
  createEffect(
    on(
      () => updates[props.subject.name],
      () => send({}),
      { defer: true },
    ),
  );

  return (
    <article class="subject">
      <header class="subject-head">
        <IconImage icons={item()?.icons} letter={titleOf(item(), props.subject)} />
        <div>
          <h1>{titleOf(item(), props.subject)}</h1>
          <p class="mono muted">{props.subject.name}</p>
        </div>
        <WatchSwitch subject={props.subject} />
      </header>
      <Show when={props.subject.kind === 'tool' && (item() as Tool | undefined)?.annotations}>
        {annotations => <Badges annotations={annotations()} />}
      </Show>
      <Show when={item()?.description}>{description => <p class="description">{description()}</p>}</Show>
      <Show when={item() ?? props.subject.kind === 'resource'} fallback={<Missing subject={props.subject} />}>
        <RequestForm subject={props.subject} task={task()} onSend={send} />
        <SchemaDetails item={item()} />
      </Show>
      <Lanes subject={props.subject} />
    </article>
  );
}

/** The lists are not loaded yet, or the server has no such thing in this revision. */
function Missing(props: { subject: Subject }) {
  const isLoading = () => catalogOf(place().revision).isLoading;
  return (
    <Show when={isLoading()} fallback={<p class="card spaced">{missingText(props.subject)}</p>}>
      <div class="skeletons" role="status" aria-label="Loading">
        <span />
        <span />
      </div>
    </Show>
  );
}

function missingText({ kind, name }: Subject): string {
  return `On this revision the server has no ${kind} “${name}”. Choose another one on the left, or another revision above.`;
}

function titleOf(item: Item | undefined, { name }: Subject): string {
  return item?.title ?? item?.name ?? name;
}
