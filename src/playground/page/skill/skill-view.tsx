import { createMemo, createResource, createSignal, For, Show } from 'solid-js';
import type { Skill } from 'tenon/skills/client';
import { place } from '../address.js';
import { command, problemOf } from '../backend.js';
import { IconImage } from '../parts/icon-image.jsx';
import { JsonView } from '../parts/json-view.jsx';
import type { Content } from '../result/media.jsx';
import { ProblemView } from '../result/problem-view.jsx';
import { ResourceContent } from '../result/resource-content.jsx';
import { catalogOf } from '../state/catalog.js';

const SKILL_FILE = 'SKILL.md';

/** A skill: what it is for, and its files, each read when it is chosen. */
export function SkillView(props: { uri: string }) {
  const skill = createMemo(() => catalogOf(place().revision).skills.find(({ uri }) => uri === props.uri));
  const [path, setPath] = createSignal(SKILL_FILE);
  const [file] = createResource(
    () => skill() && { connection: place().revision, uri: props.uri, path: path() },
    async given => {
      const content = await command('skillFile', given).catch(error => ({ problem: problemOf(error) }));
      return { ...given, content };
    },
  );
  return (
    <article class="subject">
      <header class="subject-head">
        <IconImage icons={undefined} letter={skill()?.frontmatter.name ?? 'S'} />
        <div>
          <h1>{skill()?.frontmatter.name ?? props.uri}</h1>
          <p class="mono muted">{props.uri}</p>
        </div>
      </header>
      <Show when={skill()} fallback={<p class="card spaced">The server lists no such skill.</p>}>
        {skill => (
          <>
            <p class="description">{skill().frontmatter.description}</p>
            <section class="card spaced" aria-label="Files of the skill">
              <FileTabs skill={skill()} chosen={path()} onChoose={setPath} />
              <Show when={file.latest} fallback={<p class="muted">Reading …</p>}>
                {read => <FileView content={read().content} />}
              </Show>
            </section>
            <details class="definition">
              <summary>Entry</summary>
              <JsonView value={skill()} open={2} />
            </details>
          </>
        )}
      </Show>
    </article>
  );
}

function FileTabs(props: { skill: Skill; chosen: string; onChoose(path: string): void }) {
  return (
    <ul class="files">
      <For each={pathsOf(props.skill)}>
        {path => (
          <li>
            <button
              type="button"
              class="quiet small mono"
              aria-pressed={path === props.chosen}
              onClick={() => props.onChoose(path)}
            >
              {path}
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function FileView(props: { content: object }) {
  const problem = () => 'problem' in props.content && (props.content.problem as ReturnType<typeof problemOf>);
  return (
    <Show when={problem()} fallback={<ResourceContent contents={props.content as Content} />}>
      {problem => <ProblemView problem={problem()} title="This file must not be used" />}
    </Show>
  );
}

/** The paths of the files in the folder of a skill; a generated one has no list. */
function pathsOf({ uri, resources }: Skill): string[] {
  if (resources === 'dynamic') return [SKILL_FILE];
  const root = uri.slice(0, -SKILL_FILE.length);
  return resources.map(file => file.uri.slice(root.length).split('/').map(decodeURIComponent).join('/'));
}
