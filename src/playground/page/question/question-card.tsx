import { createUniqueId, Match, onMount, Show, Switch } from 'solid-js';
import { connections } from '../state/connections.js';
import type { WaitingQuestion } from '../state/questions.js';
import { FolderQuestion } from './folder-question.jsx';
import { FormQuestion } from './form-question.jsx';
import { ModelQuestion } from './model-question.jsx';
import { PageQuestion } from './page-question.jsx';

/** A question of the server, to be answered by the user. */
export function QuestionCard(props: { question: WaitingQuestion; takesFocus?: boolean; isStray?: boolean }) {
  const id = createUniqueId();
  let title: HTMLHeadingElement | undefined;
  const isUrl = () => props.question.params.mode === 'url';
  const revision = () => connections[props.question.connection]?.revision ?? props.question.connection;
  onMount(() => {
    if (!props.takesFocus) return;
    title?.focus({ preventScroll: true });
    title?.closest('section')?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <section class="question" aria-labelledby={id}>
      <header class="question-head">
        <h3 id={id} ref={title} tabindex="-1">
          {titleOf(props.question)}
        </h3>
        <Show when={props.isStray}>
          <span class="tag">{revision()}</span>
        </Show>
      </header>
      <Switch>
        <Match when={props.question.method === 'sampling/createMessage'}>
          <ModelQuestion question={props.question} />
        </Match>
        <Match when={props.question.method === 'roots/list'}>
          <FolderQuestion question={props.question} />
        </Match>
        <Match when={isUrl()}>
          <PageQuestion question={props.question} />
        </Match>
        <Match when={true}>
          <FormQuestion question={props.question} />
        </Match>
      </Switch>
    </section>
  );
}

function titleOf({ method, params }: WaitingQuestion): string {
  if (method === 'sampling/createMessage') return 'The server asks your model';
  if (method === 'roots/list') return 'The server asks for your folders';
  return params.mode === 'url' ? 'The server asks you to visit a page' : 'The server asks';
}
