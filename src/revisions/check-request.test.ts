import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR, McpError } from '../protocol/errors.js';
import { HEADER } from '../protocol/headers.js';
import { httpStatus } from '../protocol/http-status.js';
import { META } from '../protocol/meta.js';
import { checkRequest } from './check-request.js';

const VERSION = '2026-07-28';
const supported = [VERSION, '2027-01-01'];

function body(meta: unknown) {
  return { params: { _meta: meta } };
}

function envelope(version: unknown = VERSION): Record<string, unknown> {
  return { [META.protocolVersion]: version, [META.clientCapabilities]: {} };
}

function headers(version: string | undefined) {
  return (name: string) => (name === HEADER.protocolVersion ? version : undefined);
}

describe('the first rung, the envelope', () => {
  it.each([
    ['no params', {}],
    ['params that are a list', { params: [] }],
    ['params without _meta', { params: {} }],
    ['_meta that is a string', body('x')],
    ['_meta that is a list', body([])],
    ['an empty _meta', body({})],
    ['a version that is a number', body(envelope(20260728))],
    ['no capabilities', body({ [META.protocolVersion]: VERSION })],
    ['capabilities that are a list', body({ ...envelope(), [META.clientCapabilities]: [] })],
    ['client info without a version', body({ ...envelope(), [META.clientInfo]: { name: 'x' } })],
    ['an unknown log level', body({ ...envelope(), [META.logLevel]: 'loud' })],
  ])('refuses %s with -32602', (_, request) => {
    expect(checkRequest(request, { supported })).toMatchObject({ code: ERROR.invalidParams });
  });

  it('names the field that is missing', () => {
    const rejection = checkRequest(body({ [META.protocolVersion]: VERSION }), { supported }) as McpError;
    expect(rejection.message).toContain(META.clientCapabilities);
  });

  it('comes before the header and the version', () => {
    const request = body({ [META.protocolVersion]: '1999-01-01' });
    expect(checkRequest(request, { supported, header: headers('2000-01-01') })).toMatchObject({
      code: ERROR.invalidParams,
    });
  });
});

describe('the second rung, the version header', () => {
  it.each([undefined, '', '2027-01-01', `${VERSION} `])('refuses the header %j with -32020', header => {
    expect(checkRequest(body(envelope()), { supported, header: headers(header) })).toMatchObject({
      code: ERROR.headerMismatch,
    });
  });

  it('says what both sides say', () => {
    const rejection = checkRequest(body(envelope()), {
      supported,
      header: headers('2027-01-01'),
    }) as McpError;
    expect(rejection.message).toContain('2027-01-01');
    expect(rejection.message).toContain(VERSION);
  });

  it('tells a client that disagrees with itself so before it is told that its version is unknown', () => {
    const request = body(envelope('1999-01-01'));
    expect(checkRequest(request, { supported, header: headers('2000-01-01') })).toMatchObject({
      code: ERROR.headerMismatch,
    });
  });

  it('does not exist where there are no headers', () => {
    expect(checkRequest(body(envelope()), { supported })).not.toBeInstanceOf(McpError);
  });
});

describe('the third rung, the version', () => {
  // covers: 2026-07-28/versioning/unsupported-version-is-an-error
  it('refuses a version that is not supported with -32022 and the ones that are', () => {
    expect(
      checkRequest(body(envelope('1999-01-01')), { supported, header: headers('1999-01-01') }),
    ).toMatchObject({
      code: ERROR.unsupportedVersion,
      data: { supported, requested: '1999-01-01' },
    });
  });

  it('hands out a copy of the list of versions', () => {
    const rejection = checkRequest(body(envelope('1999-01-01')), { supported }) as McpError;
    expect((rejection.data as { supported: string[] }).supported).not.toBe(supported);
  });
});

describe('the top of the ladder', () => {
  it('is the envelope as it was read', () => {
    const meta = { ...envelope('2027-01-01'), [META.logLevel]: 'error', progressToken: 7 };
    expect(checkRequest(body(meta), { supported, header: headers('2027-01-01') })).toMatchObject({
      protocolVersion: '2027-01-01',
      clientCapabilities: {},
      clientInfo: undefined,
      logLevel: 'error',
      progressToken: 7,
    });
  });

  it('is reached whether or not the method exists', () => {
    const request = { method: 'no/such/method', ...body(envelope()) };
    expect(checkRequest(request, { supported })).toMatchObject({ protocolVersion: VERSION });
  });
});

it('never throws, whatever the body is, and never lets anything through without an envelope', () => {
  const bodies = fc.oneof(
    fc.jsonValue(),
    fc.record({ params: fc.jsonValue() }),
    fc.jsonValue().map(body),
    fc.dictionary(fc.constantFrom(...Object.values(META)), fc.jsonValue()).map(body),
  );
  fc.assert(
    fc.property(bodies, fc.option(fc.string(), { nil: undefined }), (request, version) => {
      const rung = checkRequest(request, { supported, header: headers(version) });
      if (!(rung instanceof McpError)) expect(rung.protocolVersion).toBe(version);
    }),
    { numRuns: 500 },
  );
});

it.each([
  [ERROR.parse, 400],
  [ERROR.invalidRequest, 400],
  [ERROR.invalidParams, 400],
  [ERROR.headerMismatch, 400],
  [ERROR.missingCapability, 400],
  [ERROR.unsupportedVersion, 400],
  [ERROR.methodNotFound, 404],
  [ERROR.internal, 200],
  [ERROR.resourceNotFound, 200],
  [1, 200],
])('gives error code %i the HTTP status %i', (code, status) => {
  expect(httpStatus(code)).toBe(status);
});

it('lets the caller choose the HTTP status of all other codes', () => {
  expect(httpStatus(ERROR.internal, 500)).toBe(500);
  expect(httpStatus(ERROR.methodNotFound, 500)).toBe(404);
});

it('accepts every stateless revision that Tenon speaks if none are named', () => {
  expect(checkRequest(body(envelope()))).toMatchObject({ protocolVersion: VERSION });
  expect(checkRequest(body(envelope('2025-11-25')))).toMatchObject({
    code: ERROR.unsupportedVersion,
    data: { supported: [VERSION, '2025-06-18', '2025-03-26', '2024-11-05'], requested: '2025-11-25' },
  });
});
