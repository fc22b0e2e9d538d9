import type { CallOptions, Client } from '../client/index.js';
import type { Recorder } from './heard.js';

type OnProgress = NonNullable<CallOptions['onProgress']>;

/** Makes every request of a client ask for progress, and records it. */
export function recordProgress(client: Client, heard: Recorder): void {
  /** A request is resumed with its original options, and its progress must be recorded once. */
  const recording = new WeakSet<OnProgress>();
  const recorded = (options: CallOptions = {}): CallOptions => {
    const { onProgress: own } = options;
    // What is not a function is refused by the client.
    if (own && (typeof own !== 'function' || recording.has(own))) return options;
    const onProgress: OnProgress = progress => {
      heard.note('progress', progress);
      own?.(progress);
    };
    recording.add(onProgress);
    return { ...options, onProgress };
  };
  const request = client.request.bind(client);
  const begin = client.begin.bind(client);
  const resume = client.resume.bind(client);
  Object.assign(client, {
    request: (method: string, params?: object, options?: CallOptions) =>
      request(method, params, recorded(options)),
    begin: (method: string, params?: object, options?: CallOptions) =>
      begin(method, params, recorded(options)),
    resume: (...[held, answers, options]: Parameters<Client['resume']>) =>
      resume(held, answers, recorded(options)),
  } satisfies Partial<Client>);
}
