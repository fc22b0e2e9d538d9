import { createEffect, createMemo, createSignal, For, on, onMount, Show } from 'solid-js';
import { place } from './address.js';
import { command, hasKey, listen, problemOf } from './backend.js';
import { Header } from './header/header.jsx';
import { Panel } from './panel/panel.jsx';
import { isSame } from './place.js';
import { QuestionCard } from './question/question-card.jsx';
import { ReloadNotice } from './reload-notice.jsx';
import { ProblemView } from './result/problem-view.jsx';
import { useShortcuts } from './shortcuts.js';
import { Sidebar } from './sidebar/sidebar.jsx';
import { SignInNotice } from './sign-in-notice.jsx';
import { SkillView } from './skill/skill-view.jsx';
import { loadCatalog } from './state/catalog.js';
import { connections, openConnection } from './state/connections.js';
import { receive } from './state/events.js';
import { recall } from './state/history.js';
import { pageProblem, pageState, setPageProblem, setPageState } from './state/page-state.js';
import { dropQuestions, questions } from './state/questions.js';
import { isKnown } from './state/runs.js';
import { noteSignIn } from './state/sign-in.js';
import { applyTheme } from './state/theme.js';
import { listenToChanges } from './state/watching.js';
import { SubjectView } from './subject/subject-view.jsx';
import { ConnectionProblem, Welcome } from './welcome.jsx';

/** The page: connects, listens, and shows the place of the address. */
export function App() {
  const [isOnline, setOnline] = createSignal(true);
  applyTheme();
  useShortcuts();

  onMount(() => {
    if (!hasKey) return void setPageProblem(NO_KEY);
    void listen(receive, online => {
      setOnline(online);
      // What the process waited for ended with it; what still holds is told again.
      if (online) return;
      dropQuestions();
      noteSignIn(undefined);
    });
    command('state', {}).then(
      state => {
        setPageState(state);
        recall();
      },
      error => setPageProblem(problemOf(error)),
    );
  });

  followPlace();

  const subject = createMemo(() => place().subject, undefined, { equals: isSame });
  const strayQuestions = () => questions.filter(question => !isKnown(question.call));
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header />
      <Show when={!isOnline() && !pageProblem()}>
        <p class="banner" role="alert">
          The process behind this page has ended or does not answer. Start it again in its terminal.
        </p>
      </Show>
      <div class="work" classList={{ compare: place().compare !== undefined }}>
        <Sidebar />
        <main id="main" tabindex="-1">
          <Show when={pageProblem()}>
            {problem => <ProblemView problem={problem()} title="This page cannot begin" />}
          </Show>
          <ReloadNotice />
          <SignInNotice />
          <For each={strayQuestions()}>{question => <QuestionCard question={question} isStray />}</For>
          <Show when={subject()} fallback={<Welcome />} keyed>
            {chosen => (
              <>
                <ConnectionProblem />
                <Show when={chosen.kind === 'skill'} fallback={<SubjectView subject={chosen} />}>
                  <SkillView uri={chosen.name} />
                </Show>
              </>
            )}
          </Show>
        </main>
        <Panel />
      </div>
    </>
  );
}

/** Opens the connections that the address names, and loads the lists of the server. */
function followPlace(): void {
  createEffect(() => {
    const { info } = connections[place().revision]?.server ?? {};
    document.title = `${info?.title ?? info?.name ?? pageState()?.target ?? 'Page'} · Tenon`;
  });
  createEffect(
    on([() => place().revision, pageState], ([revision, state]) => {
      if (state) void openConnection(revision);
    }),
  );
  const connected = createMemo(() => {
    const { revision } = place();
    return connections[revision]?.state === 'connected' ? revision : undefined;
  });
  createEffect(
    on(connected, async revision => {
      if (revision === undefined) return;
      await Promise.all([listenToChanges(revision), loadCatalog(revision)]);
    }),
  );
  createEffect(
    on([() => place().compare, pageState], ([compare, state]) => {
      if (state && compare !== undefined) void openConnection(compare);
    }),
  );
}

const NO_KEY = {
  kind: 'page',
  message: 'The address of this page is not complete: its secret is missing.',
};
