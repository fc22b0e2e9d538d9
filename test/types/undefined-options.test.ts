import { describe, expect, expectTypeOf, it } from 'vitest';
import { connect } from '../../src/client/index.js';
import type { ListenOptions } from '../../src/node/index.js';
import type { StdioOptions } from '../../src/node/server/stdio/index.js';
import type { HandlerOptions } from '../../src/server/http/index.js';
import {
  type AskOptions,
  type PromptOptions,
  type ResourceOptions,
  Server,
  type ServerOptions,
  type ToolOptions,
} from '../../src/server/index.js';

/** The optional members of a type that `undefined` cannot be given for, with exactOptionalPropertyTypes. */
type Exact<T> = {
  [K in keyof T]-?: object extends Pick<T, K>
    ? { [P in K]: undefined } extends Pick<T, K>
      ? never
      : K
    : never;
}[keyof T];

describe('an option that is undefined', () => {
  it('is accepted by every type of options', () => {
    expectTypeOf<Exact<{ a?: string; b?: string | undefined; c: string }>>().toEqualTypeOf<'a'>();
    expectTypeOf<Exact<ServerOptions>>().toBeNever();
    expectTypeOf<Exact<ToolOptions<undefined, undefined>>>().toBeNever();
    expectTypeOf<Exact<ResourceOptions>>().toBeNever();
    expectTypeOf<Exact<PromptOptions<undefined>>>().toBeNever();
    expectTypeOf<Exact<AskOptions>>().toBeNever();
    expectTypeOf<Exact<HandlerOptions>>().toBeNever();
    expectTypeOf<Exact<ListenOptions>>().toBeNever();
    expectTypeOf<Exact<StdioOptions>>().toBeNever();
  });

  it('is the same as one that is not there', async () => {
    const plain = new Server({ name: 'bistro', version: '1.0.0' });
    plain.tool('hello', {}, () => 'hello');
    plain.resource('menu://today', { name: 'menu' }, () => 'soup');
    plain.prompt('review', {}, () => 'Write a review.');

    const spelled = new Server(
      { name: 'bistro', version: '1.0.0' },
      {
        instructions: undefined,
        capabilities: undefined,
        pageSize: undefined,
        cacheHints: undefined,
        exposeErrors: undefined,
        onError: undefined,
      },
    );
    const described = { title: undefined, description: undefined, icons: undefined, meta: undefined };
    const access = { scopes: undefined, authorize: undefined, hidden: undefined };
    spelled.tool(
      'hello',
      {
        ...described,
        ...access,
        input: undefined,
        output: undefined,
        annotations: undefined,
        refuseReplays: undefined,
      },
      () => 'hello',
    );
    spelled.resource(
      'menu://today',
      {
        ...described,
        ...access,
        name: 'menu',
        mimeType: undefined,
        size: undefined,
        annotations: undefined,
        cacheHint: undefined,
        complete: undefined,
        allowEscapes: undefined,
      },
      () => 'soup',
    );
    spelled.prompt(
      'review',
      { ...described, ...access, input: undefined, complete: undefined },
      () => 'Write a review.',
    );

    expect(await everythingOf(spelled)).toEqual(await everythingOf(plain));
  });
});

async function everythingOf(server: Server): Promise<unknown[]> {
  await using client = await connect(server);
  return [
    await client.tools(),
    await client.callTool('hello'),
    await client.resources(),
    await client.readResource('menu://today'),
    await client.prompts(),
    await client.getPrompt('review'),
  ];
}
