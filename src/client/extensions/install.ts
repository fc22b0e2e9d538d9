import { UsageError } from '../../base/errors.js';
import { isJson, isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { messageOf } from '../../base/thrown.js';
import { extensionSettings } from '../../protocol/capabilities.js';
import type { Change } from '../../protocol/changes.js';
import {
  checkDeclaration,
  FUNCTION,
  isFunction,
  type MemberShape,
  MIDDLEWARE,
  madeBy,
  objectOf,
  TEXT,
  TEXTS,
} from '../../protocol/declaration.js';
import { invalidParams } from '../../protocol/errors.js';
import {
  type Claim,
  type Claims,
  CORE_FILTERS,
  checkExtensionId,
  type NoticeClaim,
} from '../../protocol/extensions.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { isCoreMethod } from '../../revisions/agreement.js';
import type { HandlerContext, QuestionContext } from '../answer-options.js';
import type { OutgoingCall } from '../call.js';
import type { CallOptions } from '../call-options.js';
import { listenToChanges } from '../changes.js';
import type { Deadline } from '../deadline.js';
import { endAtOnce } from '../end-at-once.js';
import type {
  CallContext,
  ClientExtension,
  OwnMethod,
  OwnNotification,
  OwnResultType,
} from '../extension.js';
import { EXTENSION_GRACE_MS } from '../limits.js';
import type { Link, ServerDescription } from '../link.js';
import type { ClientMiddleware, ClientMiddlewareStack } from '../middleware.js';
import { withinLimits } from '../within-limits.js';

/** The parts of a client that carry out its calls. */
interface Sender {
  /** The server's name for handlers. */
  readonly server: string;
  readonly keeper: { readonly closing: AbortSignal; readonly link: Link; open(): Promise<Link> };
  readonly outbox: {
    request(
      method: string,
      params: JsonObject,
      options: CallOptions,
      deadline: Deadline | undefined,
    ): Promise<JsonObject>;
    answer(call: OutgoingCall, questions: Questions): Promise<Record<string, InputResponse>>;
    changed(change: Change): void;
  };
  warn(message: string): void;
}

type Questions = Readonly<Record<string, InputRequest>>;

const DEFINITION: OptionNames<ClientExtension> = {
  id: 1,
  settings: 1,
  requires: 1,
  requests: 1,
  sends: 1,
  notifications: 1,
  methods: 1,
  resultTypes: 1,
  notices: 1,
  calls: 1,
  middleware: 1,
};

const isPart = ({ check, handler }: Readonly<Record<string, unknown>>) =>
  isFunction(check) && isFunction(handler);

const SHAPES: Readonly<Partial<Record<keyof ClientExtension, MemberShape>>> = {
  requires: TEXTS,
  requests: TEXTS,
  sends: TEXTS,
  notifications: objectOf(madeBy('notification', isPart)),
  methods: objectOf(madeBy('answer', isPart)),
  resultTypes: objectOf(
    madeBy('resultType', ({ check, handler = check }) => isFunction(check) && isFunction(handler)),
  ),
  notices: objectOf(TEXT),
  calls: objectOf(FUNCTION),
  middleware: MIDDLEWARE,
};

/** The extensions of a client, and what they do with the messages of the server. */
export class InstalledExtensions {
  readonly claims: Claims;
  readonly declared: Record<string, JsonObject>;
  readonly middleware: readonly ClientMiddleware[];
  readonly #calls: readonly { id: string; calls: NonNullable<ClientExtension['calls']> }[];
  readonly #messages = new Map<string, Claim>();
  readonly #resultTypes = new Map<string, Claim>();
  readonly #notices = new Map<string, NoticeClaim>();
  readonly #notifications = new Map<string, OwnNotification>();
  readonly #methods = new Map<string, OwnMethod>();
  readonly #types = new Map<string, OwnResultType>();

  /** Throws if extensions are malformed, collide, or lack one that they require. */
  constructor(extensions: readonly ClientExtension[]) {
    if (!Array.isArray(extensions)) throw new UsageError('the extensions of a client must be a list');
    this.claims = { messages: this.#messages, resultTypes: this.#resultTypes, notices: this.#notices };
    for (const extension of extensions) {
      check(extension, extensions);
      this.#install(extension);
    }
    this.declared = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
    this.middleware = extensions.flatMap(({ middleware = [] }) => middleware);
    this.#calls = extensions.flatMap(({ id, calls }) => (calls ? [{ id, calls }] : []));
  }

  /** Whether servers may send messages by themselves that are for these extensions. */
  get isListening(): boolean {
    return this.#notifications.size + this.#methods.size > 0;
  }

  /** Takes a notification. Returns whether it belongs to an extension; one that the server did not declare is dropped. */
  notified(
    method: string,
    params: JsonObject,
    server: ServerDescription,
    context: HandlerContext,
    warn: (message: string) => void,
  ): boolean {
    const claim = this.#messages.get(method);
    if (!claim) return false;
    const own = this.#notifications.get(method);
    if (own && extensionSettings(server.capabilities, claim.id))
      take(own, params, context).catch(error => warn(`the handler of ${method} failed: ${messageOf(error)}`));
    return true;
  }

  /** Answers a request of the server, through the middleware; undefined if no extension has the method. */
  answer(
    method: string,
    params: JsonObject,
    context: QuestionContext,
    middleware: ClientMiddlewareStack,
  ): Promise<object> | undefined {
    const own = this.#methods.get(method);
    if (!own) return undefined;
    // Extensions bring methods that the type of questions does not have.
    const question = { method, params } as unknown as InputRequest;
    return middleware.pass('question', { question }, asked =>
      answer(own, method, (asked.question.params ?? {}) as unknown as JsonObject, context),
    );
  }

  /** Carries out a call: `send` sends it, extensions may run around it, and finish results of their types. */
  carryOut(
    call: OutgoingCall,
    sender: Sender,
    send: (changes: Pick<OutgoingCall, 'params' | 'options'>) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    let hasBegun = false;
    const context = this.#contextOf(call, sender, () => {
      hasBegun = true;
    });
    const around = this.#calls.filter(({ calls }) => Object.hasOwn(calls, call.method));
    const proceed = async (at: number, { params, options }: CallContext): Promise<JsonObject> => {
      const { id, calls } = around[at] ?? {};
      const own = calls?.[call.method];
      if (!own) {
        hasBegun = true;
        return this.#finish(await send({ params, options }), { ...context, params });
      }
      const result = await own(context, changes =>
        proceed(at + 1, { ...context, params, options, ...changes }),
      );
      if (isObject(result)) return result;
      throw new UsageError(
        `calls["${call.method}"] of the extension "${id}" returned no result: return what next resolves to`,
      );
    };
    if (around.length === 0) return proceed(0, context);
    return withinLimits(proceed(0, context), call.method, {
      signals: [call.options.signal, sender.keeper.closing],
      // What it sends has limits, and it may follow work that takes longer than one request.
      get deadline() {
        return hasBegun ? undefined : call.deadline;
      },
      get graceMs() {
        return hasBegun ? EXTENSION_GRACE_MS : undefined;
      },
    });
  }

  #contextOf(call: OutgoingCall, { server, warn, outbox, keeper }: Sender, onBegin: () => void): CallContext {
    const { method, params, options, deadline } = call;
    const { signal, headers } = options;
    const host = { claims: this.claims, changed: (change: Change) => outbox.changed(change), warn };
    return {
      server,
      method,
      params,
      options,
      signal,
      closing: keeper.closing,
      get description() {
        return keeper.link.server;
      },
      request: (other, own = {}, more = {}) => {
        onBegin();
        const limit = more.maxTimeoutMs === undefined ? deadline : undefined;
        return outbox.request(other, own as JsonObject, { signal, headers, ...more }, limit);
      },
      answer: async (questions, until = signal) => {
        const allowed = Object.entries(questions).map(([name, asked]) => [name, allow(keeper.link, asked)]);
        return outbox.answer({ ...call, options: { signal: until } }, Object.fromEntries(allowed));
      },
      changes: (filter, more = {}) => {
        const controller = new AbortController();
        return endAtOnce(listenToChanges(keeper, filter, more, host, controller), controller);
      },
      warn,
    };
  }

  /** The final result of a request whose result is of a type of an extension. */
  async #finish(result: JsonObject, context: CallContext): Promise<JsonObject> {
    const type = result.resultType as string;
    const claim = this.#resultTypes.get(type);
    const own = this.#types.get(type);
    if (!claim || !own || !extensionSettings(context.description.capabilities, claim.id)) return result;
    const checked = await own.check(result);
    if ('problem' in checked)
      throw new InvalidAnswer(
        `the result of ${context.method}, of type "${type}", is malformed: ${checked.problem}`,
      );
    if (!own.handler) return result;
    const final = await own.handler(checked.value as never, context);
    if (isObject(final)) return final;
    const where = `resultTypes["${type}"] of the extension "${claim.id}"`;
    throw new UsageError(`the handler of ${where} returned no result: return an object`);
  }

  #install(extension: ClientExtension): void {
    const { id, notifications = {}, methods = {}, resultTypes = {}, notices = {} } = extension;
    const claim = { id, needsClient: true };
    const sent = new Set([...Object.keys(notifications), ...Object.values(notices)]);
    for (const name of [...(extension.requests ?? []), ...Object.keys(methods)])
      claimName(this.#messages, 'method', name, claim);
    for (const name of new Set([...(extension.sends ?? []), ...sent]))
      claimName(this.#messages, 'notification', name, claim);
    for (const [name, part] of Object.entries(notifications)) this.#notifications.set(name, part);
    for (const [name, part] of Object.entries(methods)) this.#methods.set(name, part);
    for (const [type, part] of Object.entries(resultTypes)) {
      claimName(this.#resultTypes, 'result type', type, claim);
      this.#types.set(type, part);
    }
    for (const [member, method] of Object.entries(notices)) {
      const notice = { ...claim, method, agree: (asked: unknown) => asked, wants: () => true };
      claimName(this.#notices, 'filter', member, notice);
    }
  }
}

function check(extension: ClientExtension, all: readonly ClientExtension[]): void {
  checkOptions(extension, DEFINITION, 'an extension');
  const { id, settings = {}, requires = [] } = extension;
  checkExtensionId(id);
  if (!isObject(settings) || !isJson(settings))
    throw new UsageError(`the settings of the extension "${id}" must be a JSON object`);
  checkDeclaration(extension, id, SHAPES);
  const ids = all.map(other => other?.id);
  if (ids.filter(other => other === id).length > 1)
    throw new UsageError(`the client has the extension "${id}" twice`);
  const missing = requires.find(other => !ids.includes(other));
  if (missing !== undefined)
    throw new UsageError(
      `the extension "${id}" needs the extension "${missing}", which the client does not have`,
    );
}

/** Claims a name for an extension. Throws if it belongs to another one, or to the protocol. */
function claimName<C extends Claim>(claims: Map<string, C>, kind: string, name: string, claim: C): void {
  const owner = claims.get(name)?.id;
  const what = `the ${kind} ${quoteBriefly(name)}`;
  if (owner !== undefined)
    throw new UsageError(`the extensions "${owner}" and "${claim.id}" both claim ${what}`);
  if (isOfProtocol(kind, name))
    throw new UsageError(`the extension "${claim.id}" claims ${what}, which belongs to the protocol`);
  claims.set(name, claim);
}

function isOfProtocol(kind: string, name: string): boolean {
  if (kind === 'result type') return name === 'complete' || name === 'input_required';
  return kind === 'filter' ? CORE_FILTERS.includes(name) : isCoreMethod(name);
}

async function take({ check, handler }: OwnNotification, params: JsonObject, context: HandlerContext) {
  const checked = await check(withoutMeta(params));
  if ('value' in checked) await handler(checked.value as never, context);
}

async function answer(
  { check, handler }: OwnMethod,
  method: string,
  params: JsonObject,
  context: QuestionContext,
): Promise<object> {
  const checked = await check(withoutMeta(params));
  if ('problem' in checked) throw invalidParams(`invalid parameters of ${method}: ${checked.problem}`);
  return handler(checked.value as never, context);
}

function allow(link: Link, question: InputRequest): InputRequest {
  try {
    return link.allow(question);
  } catch (cause) {
    throw new InvalidAnswer(`the server asks what it must not ask: ${messageOf(cause)}`, { cause });
  }
}

function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  return params;
}
