/**
 * The bookshelf: what every server in this folder offers, each written with another library. It has one thing of
 * every kind that a client can use.
 */
export const BOOKS = ['Dracula', 'Dune', 'Emma', 'Ulysses'] as const;

export const NEWS = 'shelf://news';
export const COVER = 'shelf://cover';
export const TEMPLATE = 'shelf://books/{title}';

/** The beginning of a picture. */
export const COVER_BYTES = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');

/** All resources in the order of the list. Libraries without pages of their own serve three at a time by hand. */
export const RESOURCES = [
  { uri: NEWS, name: 'news', mimeType: 'text/plain' },
  { uri: COVER, name: 'cover', mimeType: 'image/png' },
  ...BOOKS.map(title => ({ uri: `shelf://books/${title}`, name: title, mimeType: 'text/plain' })),
];
export const PAGE_SIZE = 3;

/** One page of resources, for libraries that leave paging to the author. */
export function pageOfResources(cursor: string | undefined): {
  resources: typeof RESOURCES;
  nextCursor?: string;
} {
  const start = Number(cursor ?? 0);
  const end = start + PAGE_SIZE;
  const page = { resources: RESOURCES.slice(start, end) };
  return end < RESOURCES.length ? { ...page, nextCursor: String(end) } : page;
}

export function titlesLike(value: string): string[] {
  return BOOKS.filter(title => title.toLowerCase().startsWith(value.toLowerCase()));
}

export function countWords(text: string): { words: number } {
  return { words: text.split(' ').length };
}

export const FORM = {
  type: 'object' as const,
  properties: {
    title: { type: 'string' as const, description: 'Which book?' },
    copies: { type: 'integer' as const, minimum: 1, default: 1 },
  },
  required: ['title'],
};
export const QUESTION = 'What shall we order?';
export const PAGE = 'https://example.com/pay';
export const PROMPT_FOR_MODEL = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Which book is the best?' } }],
  maxTokens: 50,
};

export const STEPS = ['take down', 'dust', 'put back'];

/** The calls of `wait` that the server was told to stop. */
const stopped = new Set<string>();

/** Waits until the signal aborts, and remembers that. */
export function waitUntilStopped(id: string, signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => {
      stopped.add(id);
      reject(new Error('stopped'));
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop);
  });
}

export function wasStopped(id: string): string {
  return String(stopped.has(id));
}

export function textResult(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] };
}

export function describeOrder(action: string, content: Record<string, unknown> | undefined): string {
  return action === 'accept' ? `${content?.copies} of ${content?.title}` : action;
}

export function describeRoots(roots: readonly { uri: string }[]): string {
  return roots.map(({ uri }) => uri).join(' ');
}
