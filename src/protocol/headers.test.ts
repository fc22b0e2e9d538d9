import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaksFraming, decodeHeaderValue, encodeHeaderValue, HEADER, headerNameProblem } from './headers.js';
import { parameterHeaderMismatch } from './parameter-header-mismatch.js';
import {
  collectParameterHeaders,
  type ParameterHeader,
  parameterHeaderProblem,
  parameterHeaders,
} from './parameter-headers.js';

/** An object schema with these properties. */
const object = (properties: Record<string, unknown>) => ({ type: 'object', properties });
const region = { type: 'string', 'x-mcp-header': 'Region' };

describe('the names of headers', () => {
  it('are in lower case, as they are looked up', () => {
    for (const name of Object.values(HEADER)) expect(name).toBe(name.toLowerCase());
  });
});

describe('encoding a header value', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['file:///projects/config.json', 'file:///projects/config.json'],
    [42, '42'],
    [-7, '-7'],
    [-0, '0'],
    [true, 'true'],
    [false, 'false'],
    ['=?base64?abc', '=?base64?abc'],
    ['abc?=', 'abc?='],
    ['x=?base64?abc?=', 'x=?base64?abc?='],
    ['=?BASE64?abc?=', '=?BASE64?abc?='],
  ])('leaves %j as it is', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
  });

  it.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['', '=?base64??='],
    ['a\tb', '=?base64?YQli?='],
    ['\x7f', '=?base64?fw==?='],
  ])('writes %j in Base64', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
  });

  it('copes with values of any length', () => {
    const long = 'é'.repeat(500_000);
    expect(decodeHeaderValue(encodeHeaderValue(long))).toBe(long);
  });
});

describe('decoding a header value', () => {
  it('is the inverse of encoding it', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    const tricky = fc.tuple(text, text, text).map(([a, b, c]) => `${a}=?base64?${b}?=${c}`);
    fc.assert(
      fc.property(fc.oneof(text, tricky), value => {
        const encoded = encodeHeaderValue(value);
        expect(encoded).toMatch(/^[!-~]([ -~]*[!-~])?$/);
        expect(breaksFraming(encoded)).toBe(false);
        expect(decodeHeaderValue(encoded)).toBe(value);
      }),
    );
  });

  it('keeps a byte order mark', () => {
    expect(decodeHeaderValue(encodeHeaderValue('\ufeffa'))).toBe('\ufeffa');
  });

  it.each([
    ['', ''],
    ['a\tb', 'a\tb'],
    ['=?base64??=', ''],
    ['=?base64?SGVsbG8=?=', 'Hello'],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?Base64?SGVsbG8=?=', '=?Base64?SGVsbG8=?='],
  ])('reads %j as %j', (header, value) => {
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it.each([
    ['missing padding', '=?base64?SGVsbG8?='],
    ['too much padding', '=?base64?SGVsbG8==?='],
    ['padding in the middle', '=?base64?SGVs=bG8?='],
    ['padding alone', '=?base64?=?='],
    ['bits left over', '=?base64?SGVsbG9=?='],
    ['other characters', '=?base64?SGVs!!!bG8=?='],
    ['the URL alphabet', '=?base64?_-8=?='],
    ['spaces', '=?base64?SGVs bG8=?='],
    ['an octet that is not UTF-8', '=?base64?/w==?='],
    ['an overlong form', '=?base64?wK8=?='],
    ['marks that overlap', '=?base64?='],
    ['text outside of ASCII', 'é'],
    ['a line feed', 'a\nb'],
    ['a carriage return', 'a\r'],
    ['a NUL', 'a\0'],
    ['a space at the end', 'a '],
    ['a tab at the start', '\ta'],
  ])('refuses %s', (_, header) => {
    expect(decodeHeaderValue(header)).toBeUndefined();
  });

  it('gives only values whose Base64 is the one that was sent', () => {
    fc.assert(
      fc.property(fc.base64String(), base64 => {
        const value = decodeHeaderValue(`=?base64?${base64}?=`);
        fc.pre(value !== undefined);
        expect(btoa(String.fromCharCode(...new TextEncoder().encode(value)))).toBe(base64);
      }),
    );
  });
});

describe('a value that breaks framing', () => {
  it.each(['a\rb', 'a\nb', 'a\0b', '\r\n'])('is recognised: %j', value => {
    expect(breaksFraming(value)).toBe(true);
  });

  it.each(['', 'a', 'a\tb', 'é'])('is not %j', value => {
    expect(breaksFraming(value)).toBe(false);
  });
});

describe('the name of a parameter header', () => {
  it.each(['Region', 'x', 'a-b_c.d', "!#$%&'*+-.^_`|~", '9', '__proto__'])('can be %s', name => {
    expect(headerNameProblem(name)).toBeUndefined();
  });

  // covers: 2026-07-28/streamable-http/header-name-has-no-control-characters
  // covers: 2026-07-28/streamable-http/header-name-is-a-token
  // covers: 2026-07-28/streamable-http/header-name-is-not-empty
  it.each([
    [undefined, 'must be a string, not undefined'],
    [null, 'must be a string, not null'],
    [5, 'must be a string, not a number'],
    [['a'], 'must be a string, not an array'],
    [{}, 'must be a string, not an object'],
    ['', 'must not be empty'],
    ['My Region', 'it has " "'],
    ['a:b', 'it has ":"'],
    ['a\r\nb', 'it has "\\r"'],
    ['a\n', 'it has "\\n"'],
    ['Région', 'it has "é"'],
    ['a😀', 'it has "😀"'],
    ['a\t1', 'it has "\\t"'],
  ])('cannot be %j', (name, reason) => {
    expect(headerNameProblem(name)).toContain(reason);
  });
});

describe('the annotations of an input schema', () => {
  it('are collected with their paths', () => {
    const schema = object({
      region,
      query: { type: 'string' },
      options: object({ dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } }),
      limit: { type: 'integer', 'x-mcp-header': 'limit' },
    });
    expect(parameterHeaderProblem(schema)).toBeUndefined();
    expect(collectParameterHeaders(schema)).toEqual([
      { header: 'mcp-param-region', name: 'Region', path: ['region'], type: 'string' },
      { header: 'mcp-param-dry-run', name: 'Dry-Run', path: ['options', 'dry'], type: 'boolean' },
      { header: 'mcp-param-limit', name: 'limit', path: ['limit'], type: 'integer' },
    ]);
  });

  it('may be on properties with the names of keywords and of the prototype', () => {
    const properties = JSON.parse(
      '{"items":{"type":"string","x-mcp-header":"A"},"properties":{"type":"string","x-mcp-header":"B"},' +
        '"__proto__":{"type":"string","x-mcp-header":"C"},"default":{"type":"string","x-mcp-header":"D"}}',
    );
    expect(parameterHeaderProblem({ properties })).toBeUndefined();
    expect(collectParameterHeaders({ properties }).map(found => found.path)).toEqual([
      ['items'],
      ['properties'],
      ['__proto__'],
      ['default'],
    ]);
  });

  it('are not confused with data or with a property of that name', () => {
    const data = { 'x-mcp-header': 'Region' };
    const schema = {
      ...object({ 'x-mcp-header': { type: 'number' } }),
      default: data,
      examples: [data],
      const: data,
    };
    expect(parameterHeaderProblem({ ...schema, enum: [data] })).toBeUndefined();
    expect(collectParameterHeaders({ ...schema, enum: [data] })).toEqual([]);
  });

  it.each([undefined, null, true, 'text', [], {}, { properties: null }, { properties: 'text' }])(
    'are none in %j',
    schema => {
      expect(collectParameterHeaders(schema)).toEqual([]);
      expect(parameterHeaderProblem(schema)).toBeUndefined();
    },
  );

  // covers: 2026-07-28/streamable-http/header-chain-has-only-properties
  // covers: 2026-07-28/streamable-http/header-parameters-are-reachable
  it.each([
    ['the root', region],
    ['items', object({ list: { type: 'array', items: region } })],
    ['properties of items', object({ list: { type: 'array', items: object({ region }) } })],
    ['a tuple of items', object({ list: { items: [region] } })],
    ['prefixItems', object({ list: { prefixItems: [region] } })],
    ['contains', object({ list: { contains: region } })],
    ['anyOf', object({ a: { anyOf: [region] } })],
    ['properties in anyOf', { anyOf: [object({ region })] }],
    ['oneOf', { oneOf: [object({ region })] }],
    ['allOf', { allOf: [object({ region })] }],
    ['not', { not: object({ region }) }],
    ['if', { if: object({ region }) }],
    ['then', Object.fromEntries([['then', object({ region })]])],
    ['else', { else: object({ region }) }],
    ['$defs', { $defs: { region } }],
    ['definitions', { definitions: { a: object({ region }) } }],
    ['additionalProperties', { additionalProperties: region }],
    ['patternProperties', { patternProperties: { '^a': region } }],
    ['dependentSchemas', { dependentSchemas: { a: object({ region }) } }],
    ['propertyNames', { propertyNames: region }],
    ['an unknown keyword', { 'x-more': { region } }],
    ['an array of properties', { properties: [region] }],
  ])('are a problem under %s', (_, schema) => {
    expect(parameterHeaderProblem(schema)).toContain(
      'only allowed on a property that "properties" alone lead to',
    );
    expect(collectParameterHeaders(schema)).toEqual([]);
  });

  // covers: 2026-07-28/streamable-http/header-parameters-are-primitive
  it.each(['number', 'object', 'array', 'null', 'String'])('are a problem on the type %s', type => {
    const schema = object({ a: { type, 'x-mcp-header': 'A' } });
    expect(parameterHeaderProblem(schema)).toBe(
      `x-mcp-header at properties.a: the type must be "string", "integer" or "boolean", not "${type}"`,
    );
    expect(collectParameterHeaders(schema)).toEqual([]);
  });

  it('are a problem on several types, or on none', () => {
    expect(parameterHeaderProblem(object({ a: { ...region, type: ['string', 'null'] } }))).toContain(
      'not an array',
    );
    expect(parameterHeaderProblem(object({ a: { 'x-mcp-header': 'A' } }))).toContain('not undefined');
  });

  // covers: 2026-07-28/streamable-http/header-names-are-unique
  it('are a problem if two names differ only in case', () => {
    const schema = object({ a: region, b: object({ c: { ...region, 'x-mcp-header': 'rEGION' } }) });
    expect(parameterHeaderProblem(schema)).toBe(
      'x-mcp-header at properties.b.properties.c: the name "rEGION" is taken by properties.a; upper and lower case are the same',
    );
    expect(collectParameterHeaders(schema)).toHaveLength(1);
  });

  it('are a problem if the name is no header name', () => {
    expect(parameterHeaderProblem(object({ a: { ...region, 'x-mcp-header': '' } }))).toContain(
      'must not be empty',
    );
    expect(parameterHeaderProblem(object({ a: { ...region, 'x-mcp-header': 5 } }))).toContain('not a number');
  });

  it('are not inherited', () => {
    const inherited = Object.create(region);
    expect(collectParameterHeaders(object({ inherited }))).toEqual([]);
  });
});

describe('a hostile input schema', () => {
  it('may contain itself', () => {
    const schema: Record<string, unknown> = { properties: {} };
    Object.assign(schema.properties as object, { a: schema, b: schema });
    expect(parameterHeaderProblem(schema)).toContain('more than 100 deep');
    expect(collectParameterHeaders(schema)).toEqual([]);
  });

  it('may be deep', () => {
    let schema: unknown = region;
    for (let depth = 0; depth < 100_000; depth++) schema = { not: schema };
    expect(parameterHeaderProblem(schema)).toContain('more than 100 deep');
  });

  it('may be deep without being refused, up to a limit', () => {
    let schema: unknown = region;
    for (let depth = 0; depth < 100; depth++) schema = object({ a: schema });
    expect(parameterHeaderProblem(schema)).toBeUndefined();
    expect(collectParameterHeaders(schema)[0]?.path).toHaveLength(100);
    expect(parameterHeaderProblem(object({ a: schema }))).toContain('more than 100 deep');
  });

  it('may refer to the same objects again and again', () => {
    let schema: unknown = {};
    for (let depth = 0; depth < 50; depth++) schema = { anyOf: [schema, schema] };
    expect(parameterHeaderProblem(schema)).toContain('more than 100000 in all');
  });

  it('may be wide', () => {
    const names = Array.from({ length: 200_000 }, (_, index) => [`p${index}`, {}]);
    expect(parameterHeaderProblem(object(Object.fromEntries(names)))).toContain('more than 100000 in all');
  });

  it('may be any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), schema => {
        expect(Array.isArray(collectParameterHeaders(schema))).toBe(true);
        expect(['string', 'undefined']).toContain(typeof parameterHeaderProblem(schema));
      }),
    );
  });
});

describe('the headers for arguments', () => {
  const list = collectParameterHeaders(
    object({
      region,
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      inner: object({ dry: { type: 'boolean', 'x-mcp-header': 'Dry' } }),
    }),
  );

  it('mirror what is there', () => {
    expect(parameterHeaders(list, { region: 'Köln', count: 0, inner: { dry: false }, more: 1 })).toEqual({
      'mcp-param-region': '=?base64?S8O2bG4=?=',
      'mcp-param-count': '0',
      'mcp-param-dry': 'false',
    });
  });

  it.each([
    undefined,
    null,
    {},
    { region: null, count: undefined, inner: null },
    { inner: 'text' },
    { region: {} },
    [],
  ])('are none for %j', args => {
    expect(parameterHeaders(list, args)).toEqual({});
  });

  it('take own properties only', () => {
    const names: ParameterHeader[] = ['__proto__', 'constructor', 'toString'].map(name => ({
      header: `mcp-param-${name.toLowerCase()}`,
      name,
      path: [name],
      type: 'string',
    }));
    expect(parameterHeaders(names, {})).toEqual({});
    expect(parameterHeaders(names, Object.create({ constructor: 'a' }))).toEqual({});
    expect(parameterHeaders(names, JSON.parse('{"__proto__":"a","constructor":"b"}'))).toEqual({
      'mcp-param-__proto__': 'a',
      'mcp-param-constructor': 'b',
    });
    expect(parameterHeaderMismatch(names, {}, () => undefined)).toBeUndefined();
  });
});

describe('comparing headers with arguments', () => {
  const list: ParameterHeader[] = [
    { header: 'mcp-param-region', name: 'Region', path: ['place', 'region'], type: 'string' },
    { header: 'mcp-param-count', name: 'Count', path: ['count'], type: 'integer' },
    { header: 'mcp-param-dry', name: 'Dry', path: ['dry'], type: 'boolean' },
  ];
  const compare = (args: unknown, headers: Record<string, string>) =>
    parameterHeaderMismatch(list, args, name => headers[name]);

  it('finds nothing wrong with the headers that belong to the arguments', () => {
    const text = fc.string({ unit: 'grapheme' });
    const args = fc.record(
      {
        place: fc.oneof(fc.record({ region: fc.option(text) }), fc.constant(null)),
        count: fc.option(fc.maxSafeInteger()),
        dry: fc.option(fc.boolean()),
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(args, given => compare(given, parameterHeaders(list, given)) === undefined));
  });

  it.each([
    [{ count: 42 }, '42.0'],
    [{ count: 42 }, '=?base64?NDI=?='],
    [{ count: 0 }, '-0'],
    [{ count: -7 }, '-7.000'],
    [{ count: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
    [{ count: -Number.MAX_SAFE_INTEGER }, '-9007199254740991'],
  ])('takes %j and %s for the same', (args, header) => {
    expect(compare(args, { 'mcp-param-count': header })).toBeUndefined();
  });

  it.each(['43', '42.5', '0x2A', '4.2e1', '042', '+42', ' 42', '42 ', '', 'NaN', '42,42', '=?base64?NDI?='])(
    'does not take 42 and %j for the same',
    header => {
      expect(compare({ count: 42 }, { 'mcp-param-count': header })).toBeDefined();
    },
  );

  it('says which header is missing', () => {
    expect(compare({ place: { region: 'eu' } }, {})).toBe(
      'header Mcp-Param-Region and argument "place.region": the header is missing; send the argument in it as well',
    );
    expect(compare({ place: { region: '' } }, {})).toContain('missing');
    expect(compare({ dry: false }, {})).toContain('missing');
  });

  it('does not accept a header without its argument', () => {
    expect(compare({}, { 'mcp-param-count': '1' })).toContain('without the argument');
    expect(compare({ count: null }, { 'mcp-param-count': '' })).toContain('without the argument');
    expect(compare(undefined, { 'mcp-param-dry': 'true' })).toContain('without the argument');
  });

  it('does not accept a malformed header', () => {
    expect(compare({ place: { region: 'é' } }, { 'mcp-param-region': 'é' })).toContain('malformed');
    expect(compare({ place: { region: 'a' } }, { 'mcp-param-region': '=?base64?YQ?=' })).toContain(
      'malformed',
    );
  });

  it('does not accept another value, and does not repeat it', () => {
    const reason = compare({ place: { region: 'secret' } }, { 'mcp-param-region': 'Secret' });
    expect(reason).toContain('they must have the same value');
    expect(reason?.toLowerCase()).not.toContain('secret');
    expect(compare({ dry: true }, { 'mcp-param-dry': 'True' })).toContain('same value');
  });

  // covers: 2026-07-28/streamable-http/header-integers-are-safe
  it('does not accept an integer that not everyone can read exactly', () => {
    expect(compare({ count: 2 ** 53 }, { 'mcp-param-count': '9007199254740992' })).toContain('±(2^53−1)');
    expect(compare({ count: -(2 ** 53) }, { 'mcp-param-count': '-9007199254740992' })).toContain('±(2^53−1)');
    const near = { 'mcp-param-count': '9007199254740991.0000' };
    expect(compare({ count: Number.MAX_SAFE_INTEGER }, near)).toBeUndefined();
  });

  it('does not accept an argument that no header can carry', () => {
    expect(compare({ count: [42] }, { 'mcp-param-count': '42' })).toContain('the argument is an array');
    expect(compare({ dry: {} }, {})).toContain('the argument is an object');
  });
});
