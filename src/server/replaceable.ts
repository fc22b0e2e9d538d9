import {
  type ChangeWatcher,
  type LocalService,
  type Reporting,
  SERVICE,
  type Servable,
  type Service,
  serviceOf,
} from '../protocol/service.js';
import { memoryPipe } from './memory-pipe.js';

const LISTS = ['tools', 'prompts', 'resources'] as const;

/**
 * A server whose content can be replaced as a whole while it runs, to reload code or configuration. Connections,
 * sessions and streams go on: requests that are running finish at the old server, the next ones come to the new one,
 * and clients that listen are told that the lists have changed. Sessions and rounds stay sealed for the name of the first
 * server, and rounds last as long as it said.
 *
 * @example
 * const live = new ReplaceableServer(createServer(config));
 * await listen(live, { port: 3000 });
 * onReload(config => live.replace(createServer(config)));
 *
 * @example
 * // While a server is written, clients may see the messages of its errors.
 * new ReplaceableServer(server, { exposeErrors: true });
 */
export class ReplaceableServer implements Servable {
  /** @internal */
  readonly [SERVICE]: LocalService;
  readonly #watchers = new Set<ChangeWatcher>();
  readonly #defaults: Reporting;
  #current: LocalService;
  #stopWatching: () => void;

  /** `defaults` are for the options that the servers leave open. */
  constructor(server: Servable, defaults: Reporting = {}) {
    this.#defaults = defaults;
    this.#current = this.#adopt(serviceOf(server, 'ReplaceableServer'));
    this.#stopWatching = this.#watchCurrent();
    const watch = (watcher: ChangeWatcher) => this.#watch(watcher);
    const remote = following(() => this.#current.remote(), { watch });
    const local: LocalService = following(() => this.#current, {
      watch,
      openPipe: () => memoryPipe(local),
      remote: () => remote,
    });
    this[SERVICE] = local;
  }

  /** Serves another server from now on. */
  replace(server: Servable): void {
    const next = this.#adopt(serviceOf(server, 'replace'));
    this.#stopWatching();
    this.#current = next;
    this.#stopWatching = this.#watchCurrent();
    for (const kind of LISTS) this.#tell({ kind }, false);
  }

  #adopt(service: LocalService): LocalService {
    const { reporting } = service;
    const { exposeErrors, onError, onWarning } = this.#defaults;
    reporting.exposeErrors ??= exposeErrors;
    reporting.onError ??= onError;
    reporting.onWarning ??= onWarning;
    return service;
  }

  #watch(watcher: ChangeWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #watchCurrent(): () => void {
    return this.#current.watch((change, isHeard) => this.#tell(change, isHeard));
  }

  #tell(...told: Parameters<ChangeWatcher>): void {
    for (const watcher of [...this.#watchers]) watcher(...told);
  }
}

/** A service that has some members of its own; the others are those of the current service at that moment. */
function following<S extends Service>(current: () => S, own: Partial<S>): S {
  return new Proxy(own as S, {
    get: (members, name) => Reflect.get(Object.hasOwn(members, name) ? members : current(), name),
    has: (members, name) => Reflect.has(members, name) || Reflect.has(current(), name),
  });
}
