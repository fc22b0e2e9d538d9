import type { Awaitable } from '../../base/settle.js';
import { AccessUnreachable, ConnectionError } from '../../protocol/failures.js';
import type { Clock } from '../wire.js';
import type { Authorizer, RequestAccess } from './access.js';
import type { HttpExchange, HttpRequest, HttpResponse, HttpSender } from './send.js';

/** How many bytes of a refusal are read, so that its connection can be reused. */
const MAX_REFUSAL_BYTES = 64 * 1024;
const REFUSAL_MS = 1000;

/** Sends requests with credentials. Repeats a refused request if the authorizer has obtained new ones. */
export function createAuthorizedSender(sender: HttpSender, authorizer: Authorizer): HttpSender {
  return {
    send(request, clock) {
      const { isUnattended } = clock ?? {};
      const access = authorizer.begin(isUnattended ? { ...request, isUnattended } : request);
      return new AuthorizedExchange(sender, request, access, clock);
    },
    close: () => sender.close(),
  };
}

class AuthorizedExchange implements HttpExchange {
  readonly response: Promise<HttpResponse>;
  readonly #sender: HttpSender;
  readonly #request: HttpRequest;
  readonly #access: RequestAccess;
  readonly #clock: Clock | undefined;
  #current: HttpExchange | undefined;
  #isGivenUp = false;
  #isUntaken = true;
  #giveUp!: (reason: Error) => void;

  constructor(sender: HttpSender, request: HttpRequest, access: RequestAccess, clock: Clock | undefined) {
    this.#clock = clock;
    this.#sender = sender;
    this.#request = request;
    this.#access = access;
    // An aborted request must not wait until the user has signed in.
    const abandoned = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
    });
    this.response = Promise.race([this.#run(), abandoned]);
  }

  abort(): void {
    this.#isGivenUp = true;
    this.#giveUp(givenUp());
    this.#access.abandon?.();
    this.#current?.abort();
  }

  isUntaken(): boolean {
    return this.#isUntaken;
  }

  async #run(): Promise<HttpResponse> {
    for (;;) {
      const response = await this.#send();
      this.#access.heard(response);
      if (response.status !== 401 && response.status !== 403) return response;
      this.#isUntaken = true;
      if (this.#clock?.isUnattended) return response;
      if (!(await this.#hold(this.#access.refused(response)))) return response;
      readRest(response, this.#current as HttpExchange);
    }
  }

  async #send(): Promise<HttpResponse> {
    const { method, url, headers, body } = this.#request;
    const own = await this.#hold(this.#access.headers());
    if (this.#isGivenUp) throw givenUp();
    const exchange = this.#sender.send({ method, url, headers: { ...headers, ...own }, body });
    this.#current = exchange;
    this.#isUntaken = false;
    return exchange.response;
  }

  #hold<T>(outcome: Awaitable<T>): Awaitable<T> {
    if (!(outcome instanceof Promise)) return outcome;
    this.#clock?.hold(outcome);
    return outcome.catch(throwAsAccessFailure);
  }
}

/** A host that could not be reached while getting access is not the server that the request is for. */
function throwAsAccessFailure(thrown: unknown): never {
  throw thrown instanceof ConnectionError ? new AccessUnreachable(thrown) : thrown;
}

/** Reads an unneeded body, so that the connection can be reused; but only for a limited time. */
function readRest(response: HttpResponse, exchange: HttpExchange): void {
  const timer = setTimeout(() => exchange.abort(), REFUSAL_MS);
  response
    .text(MAX_REFUSAL_BYTES)
    .catch(() => exchange.abort())
    .finally(() => clearTimeout(timer));
}

function givenUp(): ConnectionError {
  return new ConnectionError('the request was given up');
}
