import { createSignal, Index, Show } from 'solid-js';
import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon/protocol';
import { linkToSubject, place } from '../address.js';
import { IconImage } from '../parts/icon-image.jsx';
import { isSame, type Subject } from '../place.js';
import { Badges } from '../subject/badges.jsx';

/** A skill as it stands in a list. */
interface SkillItem {
  readonly name: string;
  readonly description: string;
  readonly title?: string;
  readonly icons?: undefined;
}

/** An item of a list, and what it is for the page. */
export interface Entry {
  readonly subject: Subject;
  readonly item: Tool | Resource | ResourceTemplate | Prompt | SkillItem;
}

/** How many entries are shown at once; servers with thousands exist. */
const STEP = 200;

/** A list with its heading. */
export function EntryList(props: { title: string; entries: readonly Entry[] }) {
  const [limit, setLimit] = createSignal(STEP);
  return (
    <Show when={props.entries.length > 0}>
      <h2 class="list-title">
        {props.title} <span class="count">{props.entries.length.toLocaleString('en')}</span>
      </h2>
      {/* By position, so that the focus stays when the list is loaded again. */}
      <ul class="list">
        <Index each={props.entries.slice(0, limit())}>
          {entry => (
            <li>
              <a
                class="entry-link"
                href={linkToSubject(entry().subject)}
                aria-current={isSame(entry().subject, place().subject) ? 'page' : undefined}
                onClick={enterByKeyboard}
              >
                <IconImage icons={entry().item.icons} letter={entry().item.title ?? entry().item.name} />
                <span class="entry-text">
                  <span class="entry-title">{entry().item.title ?? entry().item.name}</span>
                  <span class="entry-second">
                    <SecondLine entry={entry()} />
                    <Show
                      when={
                        'annotations' in entry().item &&
                        entry().subject.kind === 'tool' &&
                        (entry().item as Tool).annotations
                      }
                    >
                      {annotations => <Badges annotations={annotations()} isShort />}
                    </Show>
                  </span>
                </span>
              </a>
            </li>
          )}
        </Index>
      </ul>
      <Show when={props.entries.length > limit()}>
        <button type="button" class="quiet small" onClick={() => setLimit(limit() + STEP)}>
          Show more of {props.entries.length.toLocaleString('en')}
        </button>
      </Show>
    </Show>
  );
}

/** The name that programs use, or the description of a thing that has no other. */
function SecondLine(props: { entry: Entry }) {
  const name = () => props.entry.subject.name;
  const isNamed = () => (props.entry.item.title ?? props.entry.item.name) !== name();
  return (
    <Show when={isNamed() ? name() : props.entry.item.description}>
      {text => (
        <span class="entry-name" classList={{ mono: isNamed() }}>
          {text()}
        </span>
      )}
    </Show>
  );
}

/** Who chose an entry with the keyboard goes on in its form, not in the rest of the list. */
function enterByKeyboard({ detail }: MouseEvent): void {
  if (detail === 0) document.getElementById('main')?.focus();
}
