/** A thing of the server that the page shows. */
export interface Subject {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt' | 'skill';
  /** The name of a tool or prompt, the URI of a resource or skill, the URI template of a template. */
  readonly name: string;
}

/** What the address of the page says, besides the secret. */
export interface Place {
  readonly subject?: Subject | undefined;
  /** The connection: a revision, or `newest`. */
  readonly revision: string;
  /** The second connection, whose messages are shown beside those of the first. */
  readonly compare?: string | undefined;
  /** Arguments as JSON, for links to a filled form. */
  readonly args?: string | undefined;
}

export const NEWEST = 'newest';
const KINDS = ['tool', 'resource', 'template', 'prompt', 'skill'] as const;

/** The fragment that leads to a place. */
export function linkTo({ subject, revision, compare, args }: Place): string {
  const fragment = new URLSearchParams();
  if (subject) fragment.set(subject.kind, subject.name);
  if (revision !== NEWEST) fragment.set('revision', revision);
  if (compare !== undefined) fragment.set('compare', compare);
  if (args !== undefined) fragment.set('args', args);
  return `#${fragment}`;
}

/** The place that a fragment leads to. */
export function readPlace(hash: string): Place {
  const fragment = new URLSearchParams(hash.slice(1));
  const kind = KINDS.find(kind => fragment.has(kind));
  return {
    subject: kind && { kind, name: fragment.get(kind) ?? '' },
    revision: fragment.get('revision') ?? NEWEST,
    compare: fragment.get('compare') ?? undefined,
    args: fragment.get('args') ?? undefined,
  };
}

export function isSame(one: Subject | undefined, other: Subject | undefined): boolean {
  return one?.kind === other?.kind && one?.name === other?.name;
}
