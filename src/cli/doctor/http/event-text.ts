import { type Answer, parseJson, readAnswer } from '../answer.js';

/** The body of a response: JSON, or events that carry JSON. */
export class EventText {
  body = '';
  isStream = false;
  readonly #id: number | undefined;

  /** `id` is that of the request whose response is looked for. */
  constructor(id: number | undefined) {
    this.#id = id;
  }

  add(chunk: string): void {
    this.body += chunk;
  }

  /** The response to the request, if it has come. */
  answer(): Answer | undefined {
    const id = this.#id;
    if (id === undefined) return undefined;
    if (!this.isStream) return readAnswer(parseJson(this.body), id);
    for (const { data } of readEvents(this.body)) {
      const answer = readAnswer(parseJson(data), id);
      if (answer) return answer;
    }
    return undefined;
  }
}

/** The complete events of a stream. */
export function readEvents(text: string): { event: string; data: string }[] {
  const blocks = text.replace(/\r\n?/g, '\n').split('\n\n').slice(0, -1);
  return blocks.map(block => {
    const lines = block.split('\n');
    const values = (name: string) =>
      lines
        .filter(line => line.startsWith(`${name}:`))
        .map(line => line.slice(name.length + 1).replace(/^ /, ''));
    return { event: values('event')[0] ?? 'message', data: values('data').join('\n') };
  });
}
