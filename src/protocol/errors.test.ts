import { describe, expect, it } from 'vitest';
import { ERROR, McpError, missingCapability, resourceNotFound, ToolError } from './errors.js';

describe('an error for the peer', () => {
  it('keeps its code, message, data, cause and reason', () => {
    const cause = new Error('inner');
    const error = new McpError(ERROR.invalidParams, 'page must be at least 1', { page: 0 }, { cause });
    expect(error).toMatchObject({
      name: 'McpError',
      code: -32602,
      message: 'page must be at least 1',
      data: { page: 0 },
      cause,
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('is made of anything thrown, and the text of what was not meant for the peer stays here', () => {
    const known = new McpError(1, 'x');
    expect(McpError.from(known)).toBe(known);
    for (const thrown of [new Error('password is 1234'), 'password is 1234', undefined, null]) {
      const error = McpError.from(thrown);
      expect(error).toMatchObject({ code: ERROR.internal, message: 'internal error', data: undefined });
      expect(error.cause).toBe(thrown);
    }
  });
});

it('keeps the text of a ToolError, which was meant to be read', () => {
  expect(McpError.from(new ToolError('The kitchen is closed.'))).toMatchObject({
    code: ERROR.internal,
    message: 'The kitchen is closed.',
  });
});

it('says which resource was not found', () => {
  expect(resourceNotFound('menu://x')).toMatchObject({
    code: ERROR.invalidParams,
    data: { uri: 'menu://x' },
    message: expect.stringContaining('menu://x'),
  });
});

it('says which capability is missing and what for', () => {
  expect(missingCapability('a page for the user', 'elicitation.url')).toMatchObject({
    code: ERROR.missingCapability,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
    message:
      'a page for the user needs the client capability "elicitation.url", which this client did not declare',
  });
});
