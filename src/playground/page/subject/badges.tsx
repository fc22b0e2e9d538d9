import { For } from 'solid-js';
import type { ToolAnnotations } from 'tenon/protocol';

interface Badge {
  readonly label: string;
  readonly tone: 'calm' | 'danger' | 'plain';
  readonly meaning: string;
}

/** What a server says of a tool. A short list has only what matters at a glance. */
export function Badges(props: { annotations: ToolAnnotations; isShort?: boolean }) {
  const badges = () =>
    props.isShort
      ? badgesOf(props.annotations)
          .slice(0, 1)
          .filter(({ tone }) => tone !== 'plain')
      : badgesOf(props.annotations);
  return (
    <span class="badges">
      <For each={badges()}>
        {badge => (
          <span class="badge" data-tone={badge.tone} title={badge.meaning}>
            {badge.label}
          </span>
        )}
      </For>
    </span>
  );
}

function badgesOf({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  openWorldHint,
}: ToolAnnotations): Badge[] {
  const badges: Badge[] = [];
  if (readOnlyHint)
    badges.push({ label: 'read-only', tone: 'calm', meaning: 'It changes nothing, the server says' });
  else if (destructiveHint)
    badges.push({ label: 'destructive', tone: 'danger', meaning: 'It may delete or overwrite' });
  else if (destructiveHint === false)
    badges.push({ label: 'additive', tone: 'plain', meaning: 'It adds, and destroys nothing' });
  if (idempotentHint)
    badges.push({ label: 'idempotent', tone: 'plain', meaning: 'Calling it twice does no more than once' });
  if (openWorldHint)
    badges.push({ label: 'open world', tone: 'plain', meaning: 'It reaches out to other systems' });
  return badges;
}
