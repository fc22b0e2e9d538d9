import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { UsageError } from '../base/errors.js';
import { parseTemplate, type TemplateValue, type TemplateVariables } from './uri-template.js';

const values: Record<string, TemplateValue> = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  empty_list: [],
  undef: undefined,
};

/** Every example of RFC 6570, section 3.2. */
const examples: Record<string, Record<string, string>> = {
  '3.2.1 variables': {
    '{count}': 'one,two,three',
    '{count*}': 'one,two,three',
    '{/count}': '/one,two,three',
    '{/count*}': '/one/two/three',
    '{;count}': ';count=one,two,three',
    '{;count*}': ';count=one;count=two;count=three',
    '{?count}': '?count=one,two,three',
    '{?count*}': '?count=one&count=two&count=three',
    '{&count*}': '&count=one&count=two&count=three',
  },
  '3.2.2 simple strings': {
    '{var}': 'value',
    '{hello}': 'Hello%20World%21',
    '{half}': '50%25',
    'O{empty}X': 'OX',
    'O{undef}X': 'OX',
    '{x,y}': '1024,768',
    '{x,hello,y}': '1024,Hello%20World%21,768',
    '?{x,empty}': '?1024,',
    '?{x,undef}': '?1024',
    '?{undef,y}': '?768',
    '{var:3}': 'val',
    '{var:30}': 'value',
    '{list}': 'red,green,blue',
    '{list*}': 'red,green,blue',
    '{keys}': 'semi,%3B,dot,.,comma,%2C',
    '{keys*}': 'semi=%3B,dot=.,comma=%2C',
  },
  '3.2.3 reserved': {
    '{+var}': 'value',
    '{+hello}': 'Hello%20World!',
    '{+half}': '50%25',
    '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
    '{+base}index': 'http://example.com/home/index',
    'O{+empty}X': 'OX',
    'O{+undef}X': 'OX',
    '{+path}/here': '/foo/bar/here',
    'here?ref={+path}': 'here?ref=/foo/bar',
    'up{+path}{var}/here': 'up/foo/barvalue/here',
    '{+x,hello,y}': '1024,Hello%20World!,768',
    '{+path,x}/here': '/foo/bar,1024/here',
    '{+path:6}/here': '/foo/b/here',
    '{+list}': 'red,green,blue',
    '{+list*}': 'red,green,blue',
    '{+keys}': 'semi,;,dot,.,comma,,',
    '{+keys*}': 'semi=;,dot=.,comma=,',
  },
  '3.2.4 fragments': {
    '{#var}': '#value',
    '{#hello}': '#Hello%20World!',
    '{#half}': '#50%25',
    'foo{#empty}': 'foo#',
    'foo{#undef}': 'foo',
    '{#x,hello,y}': '#1024,Hello%20World!,768',
    '{#path,x}/here': '#/foo/bar,1024/here',
    '{#path:6}/here': '#/foo/b/here',
    '{#list}': '#red,green,blue',
    '{#list*}': '#red,green,blue',
    '{#keys}': '#semi,;,dot,.,comma,,',
    '{#keys*}': '#semi=;,dot=.,comma=,',
  },
  '3.2.5 labels': {
    '{.who}': '.fred',
    '{.who,who}': '.fred.fred',
    '{.half,who}': '.50%25.fred',
    'www{.dom*}': 'www.example.com',
    'X{.var}': 'X.value',
    'X{.empty}': 'X.',
    'X{.undef}': 'X',
    'X{.var:3}': 'X.val',
    'X{.list}': 'X.red,green,blue',
    'X{.list*}': 'X.red.green.blue',
    'X{.keys}': 'X.semi,%3B,dot,.,comma,%2C',
    'X{.keys*}': 'X.semi=%3B.dot=..comma=%2C',
    'X{.empty_keys}': 'X',
    'X{.empty_keys*}': 'X',
    'X{.empty_list}': 'X',
    'X{.empty_list*}': 'X',
  },
  '3.2.6 path segments': {
    '{/who}': '/fred',
    '{/who,who}': '/fred/fred',
    '{/half,who}': '/50%25/fred',
    '{/who,dub}': '/fred/me%2Ftoo',
    '{/var}': '/value',
    '{/var,empty}': '/value/',
    '{/var,undef}': '/value',
    '{/var,x}/here': '/value/1024/here',
    '{/var:1,var}': '/v/value',
    '{/list}': '/red,green,blue',
    '{/list*}': '/red/green/blue',
    '{/list*,path:4}': '/red/green/blue/%2Ffoo',
    '{/keys}': '/semi,%3B,dot,.,comma,%2C',
    '{/keys*}': '/semi=%3B/dot=./comma=%2C',
  },
  '3.2.7 path-style parameters': {
    '{;who}': ';who=fred',
    '{;half}': ';half=50%25',
    '{;empty}': ';empty',
    '{;v,empty,who}': ';v=6;empty;who=fred',
    '{;v,bar,who}': ';v=6;who=fred',
    '{;x,y}': ';x=1024;y=768',
    '{;x,y,empty}': ';x=1024;y=768;empty',
    '{;x,y,undef}': ';x=1024;y=768',
    '{;hello:5}': ';hello=Hello',
    '{;list}': ';list=red,green,blue',
    '{;list*}': ';list=red;list=green;list=blue',
    '{;keys}': ';keys=semi,%3B,dot,.,comma,%2C',
    '{;keys*}': ';semi=%3B;dot=.;comma=%2C',
  },
  '3.2.8 form-style query': {
    '{?who}': '?who=fred',
    '{?half}': '?half=50%25',
    '{?x,y}': '?x=1024&y=768',
    '{?x,y,empty}': '?x=1024&y=768&empty=',
    '{?x,y,undef}': '?x=1024&y=768',
    '{?var:3}': '?var=val',
    '{?list}': '?list=red,green,blue',
    '{?list*}': '?list=red&list=green&list=blue',
    '{?keys}': '?keys=semi,%3B,dot,.,comma,%2C',
    '{?keys*}': '?semi=%3B&dot=.&comma=%2C',
  },
  '3.2.9 form-style query continuation': {
    '{&who}': '&who=fred',
    '{&half}': '&half=50%25',
    '?fixed=yes{&x}': '?fixed=yes&x=1024',
    '{&x,y,empty}': '&x=1024&y=768&empty=',
    '{&x,y,undef}': '&x=1024&y=768',
    '{&var:3}': '&var=val',
    '{&list}': '&list=red,green,blue',
    '{&list*}': '&list=red&list=green&list=blue',
    '{&keys}': '&keys=semi,%3B,dot,.,comma,%2C',
    '{&keys*}': '&semi=%3B&dot=.&comma=%2C',
  },
};

const match = (template: string, uri: string) => parseTemplate(template).match(uri);
const matchAny = (template: string, uri: string) =>
  parseTemplate(template).match(uri, { allowEscapes: true });

describe('expanding a template', () => {
  for (const [section, templates] of Object.entries(examples)) {
    it(`gives the results of RFC 6570, section ${section}`, () => {
      const expanded = Object.keys(templates).map(text => [text, parseTemplate(text).expand(values)]);
      expect(Object.fromEntries(expanded)).toEqual(templates);
    });
  }

  it('writes numbers and booleans as text', () => {
    expect(parseTemplate('{n}{?b}').expand({ n: 0, b: false })).toBe('0?b=false');
  });

  it('counts characters, not UTF-16 units or octets, for a prefix', () => {
    expect(parseTemplate('{a:2}').expand({ a: '😀éx' })).toBe('%F0%9F%98%80%C3%A9');
  });

  it('keeps what is percent-encoded already in a reserved expansion, and brackets', () => {
    expect(parseTemplate('{+a}').expand({ a: '[::1]/50%25/50%' })).toBe('[::1]/50%25/50%25');
    expect(parseTemplate('{a}').expand({ a: '50%25' })).toBe('50%2525');
  });

  it('percent-encodes literal text outside of ASCII', () => {
    expect(parseTemplate('menu://café/{a}').expand({ a: 1 })).toBe('menu://caf%C3%A9/1');
  });

  it('does not let a key of an associative array add a parameter', () => {
    expect(parseTemplate('{?keys*}').expand({ keys: { 'a=1&b': '2' } })).toBe('?a%3D1%26b=2');
  });

  it('leaves out null, as it does undefined', () => {
    expect(parseTemplate('a{?b}').expand({ b: null } as never)).toBe('a');
  });

  it('takes own properties only', () => {
    expect(parseTemplate('{constructor}{__proto__}').expand({})).toBe('');
    expect(parseTemplate('{__proto__}').expand(JSON.parse('{"__proto__":"x"}'))).toBe('x');
  });

  it('refuses a prefix of a list, naming the variable', () => {
    expect(() => parseTemplate('{list:3}').expand(values)).toThrow('variable "list" must be a string');
    expect(() => parseTemplate('{keys:3}').expand(values)).toThrow('variable "keys" must be a string');
  });

  it('refuses half of a surrogate pair, naming the variable', () => {
    expect(() => parseTemplate('{a}').expand({ a: '\ud800' })).toThrow('variable "a"');
    expect(() => parseTemplate('{+a}').expand({ a: '\ud800' })).toThrow('variable "a"');
  });

  it('gives a URI without unsafe characters for any values', () => {
    const texts = ['{a}', '{+a}', '{#a}', '{.a*}', '{/a}', '{;a}', '{?a*}', '{&a}'];
    const text = fc.string({ unit: 'grapheme' });
    const value = fc.oneof(text, fc.array(text), fc.dictionary(text, text));
    fc.assert(
      fc.property(fc.constantFrom(...texts), value, (template, a) => {
        expect(parseTemplate(template).expand({ a })).toMatch(
          /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-F]{2})*$/i,
        );
      }),
    );
  });
});

describe('reading a template', () => {
  it('lists its variables once, in order', () => {
    const template = parseTemplate('x://{b}/{a:3}{/b,c*}{?a,d}');
    expect(template.variables).toEqual(['b', 'a', 'c', 'd']);
    expect(template.text).toBe('x://{b}/{a:3}{/b,c*}{?a,d}');
  });

  it('accepts names with dots, underscores and percent-encoding', () => {
    expect(parseTemplate('{a.b,_c,d%20e}').variables).toEqual(['a.b', '_c', 'd%20e']);
  });

  it.each([
    ['{/id*', '"{" at position 0 is never closed'],
    ['a{b}{c', '"{" at position 4 is never closed'],
    ['/id*}', '"}" has no "{"'],
    ['{}', '"" in {} is not a variable'],
    ['{/?id}', '"?id" in {/?id} is not a variable'],
    ['{var:prefix}', 'is not a variable'],
    ['{var:0}', 'is not a variable'],
    ['{var:10000}', 'is not a variable'],
    ['{hello:2*}', 'is not a variable'],
    ['{??hello}', 'is not a variable'],
    ['{!hello}', '"!" in {!hello} is not an operator; use one of'],
    ['{=path}', 'is not an operator'],
    ['{$var}', 'is not a variable'],
    ['{|var*}', 'is not an operator'],
    ['{*keys?}', 'is not a variable'],
    ['{?empty=default,var}', 'is not a variable'],
    ['{var}{-prefix|/-/|var}', 'is not a variable'],
    ['x{?empty|foo=none}', 'is not a variable'],
    ['/h{#hello+}', 'is not a variable'],
    ['{a,}', 'is not a variable'],
    ['{a..b}', 'is not a variable'],
    ['{user-id}', 'a name has letters, digits, "_"'],
    ['/resolution{?x, y}', 'is not a variable'],
    ['{a{b}}', 'is not a variable'],
    ['my file/{a}', '" " cannot stand in a URI; write %20'],
    ['a\\b', 'write %5C'],
    ['50%/{a}', 'write %25'],
    ['%FF{a}', 'not valid UTF-8'],
  ])('refuses %j and says why', (text, reason) => {
    expect(() => parseTemplate(text)).toThrow(UsageError);
    expect(() => parseTemplate(text)).toThrow(reason);
    expect(() => parseTemplate(text)).toThrow(JSON.stringify(text));
  });

  it('either reads any text or throws a UsageError', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      'a',
      'b',
      ',',
      '*',
      ':',
      '3',
      '?',
      '&',
      '+',
      '/',
      '%',
      '%20',
      'é',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('');
        try {
          expect(parseTemplate(text).text).toBe(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe('matching a URI', () => {
  it.each([
    ['menu://today', 'menu://today', {}],
    ['menu://{day}', 'menu://monday', { day: 'monday' }],
    ['menu://{day}/{dish}', 'menu://monday/soup', { day: 'monday', dish: 'soup' }],
    ['menu://{day}', 'menu://cr%C3%A8me%20br%C3%BBl%C3%A9e', { day: 'crème brûlée' }],
    ['menu://{day}', 'menu://crème', { day: 'crème' }],
    ['menu://café/{a}', 'menu://caf%C3%A9/b', { a: 'b' }],
    ['menu://café/{a}', 'menu://café/b', { a: 'b' }],
    ['{a}', 'a,b', { a: 'a,b' }],
    ['{a,b}', '1,2', { a: '1', b: '2' }],
    ['{a*}', '1,2%2C3', { a: ['1', '2,3'] }],
    ['{a,b*}', '1,2,3', { a: '1', b: ['2', '3'] }],
    ['{name}.{ext}', 'archive.tar.gz', { name: 'archive.tar', ext: 'gz' }],
    ['{name}{.ext}', 'menu.pdf', { name: 'menu', ext: 'pdf' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['{.a,b}', '.x.y', { a: 'x', b: 'y' }],
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['file:///{+path}/{name}', 'file:///a/b/c.txt', { path: 'a/b', name: 'c.txt' }],
    ['{+path}{?page}', 'a/b?page=2', { path: 'a/b', page: '2' }],
    ['{+path}{?page}{#part}', 'a/b?page=2#c/d', { path: 'a/b', page: '2', part: 'c/d' }],
    ['{+list*}', 'a/b,c', { list: ['a/b', 'c'] }],
    ['doc{#part}', 'doc#intro', { part: 'intro' }],
    ['x{/a,b}', 'x/1/2', { a: '1', b: '2' }],
    ['x{/path*}', 'x/1/2/3', { path: ['1', '2', '3'] }],
    ['x{/path*}/end', 'x/1/2/end', { path: ['1', '2'] }],
    ['x{/path*,last}', 'x/1/2/3', { path: ['1', '2'], last: '3' }],
    ['x{;a,b}', 'x;a=1;b=2', { a: '1', b: '2' }],
    ['x{;a,b}', 'x;a;b=', { a: '', b: '' }],
    ['x{;a*}/y', 'x;a=1;a=2/y', { a: ['1', '2'] }],
    ['{a:3}{b}', 'abcdef', { a: 'abc', b: 'def' }],
    ['{a:1}{b}', '%F0%9F%98%80x', { a: '😀', b: 'x' }],
    ['{/id:2,id}', '/ab/abcdef', { id: 'abcdef' }],
    ['{id}/{id:2}', 'abcdef/ab', { id: 'abcdef' }],
    ['{a}/{a}', 'x/x', { a: 'x' }],
  ])('%s recognises %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });

  it.each([
    ['menu://today', 'menu://today2'],
    ['menu://{day}', 'menu://'],
    ['menu://{day}', 'menu://a/b'],
    ['menu://{day}', 'menu://a?b'],
    ['menu://{day}', 'menu://a#b'],
    ['menu://{day}/', 'menu://a'],
    ['Menu://{day}', 'menu://a'],
    ['{a,b}', '1'],
    ['{a,b}', '1,2,3'],
    ['{a*}', '1,,2'],
    ['x{/a}', 'x'],
    ['x{/path*}', 'x/1//2'],
    ['x{/path*}', 'x/1/'],
    ['x{;a,b}', 'x;a=1'],
    ['x{;a}', 'x;ab=1'],
    ['x{;a}', 'x;a=1;a=2'],
    ['{a:3}', 'abcd'],
    ['{?a:3}', '?a=abcd'],
    ['{/id:2,id}', '/xy/abcdef'],
    ['{a}/{a}', 'x/y'],
    ['{a}/{a*}', 'x/y'],
  ])('%s does not recognise %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  it.each(['%', '%4', '%GG', '%FF', '%C3', '%C0%AF', '%ED%A0%80', 'a%C3/x', '\ud800'])(
    'does not recognise the malformed text %j, not even where escapes are allowed',
    text => {
      expect(matchAny('x://{+a}', `x://${text}`)).toBeUndefined();
      expect(matchAny('x://{a}', `x://${text}`)).toBeUndefined();
    },
  );

  it('keeps values apart from the prototype', () => {
    const found = match('{__proto__}/{constructor}', 'a/b');
    expect(Object.entries(found ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });
});

describe('matching a query', () => {
  it.each([
    ['x{?a,b}', 'x', {}],
    ['x{?a,b}', 'x?b=2', { b: '2' }],
    ['x{?a,b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?a=&b', { a: '', b: '' }],
    ['x{?a}', 'x?a=b=c', { a: 'b=c' }],
    ['x{?a}', 'x?a=b+c', { a: 'b+c' }],
    ['x{?a}', 'x?a=b%26c%3D', { a: 'b&c=' }],
    ['x{?a*}', 'x?a=1&a=2', { a: ['1', '2'] }],
    ['x{?a*,b}', 'x?a=1&b=3&a=2', { a: ['1', '2'], b: '3' }],
    ['x?fixed=yes{&a}', 'x?fixed=yes&a=1', { a: '1' }],
    ['x?fixed=yes{&a}', 'x?fixed=yes', {}],
    ['x?q={q}{&page}', 'x?q=soup&page=2', { q: 'soup', page: '2' }],
    ['x{?a,b}{&c}', 'x?c=3&a=1', { a: '1', c: '3' }],
    ['x{?a}{&b}{&c}', 'x&c=3', { c: '3' }],
    ['x{?a}#top', 'x?a=1#top', { a: '1' }],
    ['x{?a}&end=1', 'x?a=1&end=1', { a: '1' }],
  ])('%s recognises %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });

  it.each([
    ['a parameter that the template does not name', 'x{?a}', 'x?a=1&b=2'],
    ['a parameter that is repeated', 'x{?a}', 'x?a=1&a=2'],
    ['an empty query', 'x{?a}', 'x?'],
    ['an empty pair', 'x{?a}', 'x?a=1&'],
    ['a continuation without its beginning', 'x?f=1{&a}', 'x&a=1'],
    ['a fragment after it', 'x{?a}', 'x?a=1#top'],
  ])('refuses %s', (_, template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });
});

describe('values that would leave their folder', () => {
  it.each([
    ['f:///{name}', 'f:///a%2Fb', { name: 'a/b' }],
    ['f:///{name}', 'f:///a%5Cb', { name: 'a\\b' }],
    ['f:///{name}', 'f:///a\\b', { name: 'a\\b' }],
    ['f:///{name}', 'f:///.', { name: '.' }],
    ['f:///{name}', 'f:///..', { name: '..' }],
    ['f:///{name}', 'f:///%2e%2E', { name: '..' }],
    ['f:///{name}', 'f:///a%00.txt', { name: 'a\0.txt' }],
    ['f:///{name}', 'f:///a\0', { name: 'a\0' }],
    ['f://{/path*}', 'f:///a/../b', { path: ['a', '..', 'b'] }],
    ['f://{/path*}', 'f:///a/%2Fb', { path: ['a', '/b'] }],
    ['f://x{?name}', 'f://x?name=..%2Fb', { name: '../b' }],
    ['f://x{;name}', 'f://x;name=..', { name: '..' }],
    ['f://x{.name}', 'f://x..', { name: '.' }],
    ['f:///{+path}', 'f:///a/../b', { path: 'a/../b' }],
    ['f:///{+path}', 'f:///a/./b', { path: 'a/./b' }],
    ['f:///{+path}', 'f:///..', { path: '..' }],
    ['f:///{+path}', 'f:///a%2F%2E.', { path: 'a/..' }],
    ['f:///{+path}', 'f:///a%5C..%5Cb', { path: 'a\\..\\b' }],
    ['f:///{+path}', 'f:////etc/passwd', { path: '/etc/passwd' }],
    ['f:///{+path}', 'f:///%5C%5Chost', { path: '\\\\host' }],
    ['f:///{+path}', 'f:///C:/windows', { path: 'C:/windows' }],
    ['f:///{+path}', 'f:///a%00b', { path: 'a\0b' }],
    ['f:///{+list*}', 'f:///a,../b', { list: ['a', '../b'] }],
    ['f:///x{#path}', 'f:///x#../b', { path: '../b' }],
  ])('are refused in %s for %j unless escapes are allowed', (template, uri, expected) => {
    expect(match(template, uri)).toBeUndefined();
    expect(matchAny(template, uri)).toEqual(expected);
  });

  it.each([
    ['f:///{name}', 'f:///...', { name: '...' }],
    ['f:///{name}', 'f:///.hidden', { name: '.hidden' }],
    ['f:///{name}', 'f:///a..b', { name: 'a..b' }],
    ['f:///{name}', 'f:///%252e%252e', { name: '%2e%2e' }],
    ['f:///{+path}', 'f:///a/.../b', { path: 'a/.../b' }],
    ['f:///{+path}', 'f:///.git/config', { path: '.git/config' }],
    ['{+url}', 'https://example.com/a', { url: 'https://example.com/a' }],
  ])('are not confused with harmless ones: %s and %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });

  it('never come out of a match, however they are written', () => {
    const piece = fc.constantFrom('.', '/', '\\', '%2e', '%2F', '%5c', '%00', 'a', ',', ';', '?');
    const template = fc.constantFrom(
      'x{a}',
      'x{a}{b}',
      'x{a,b}',
      'x{/a*}',
      'x{.a,b}',
      'x{;a}',
      'x{?a,b}',
      'x{a:2}{b}',
    );
    fc.assert(
      fc.property(template, fc.array(piece, { maxLength: 8 }), (text, pieces) => {
        for (const value of Object.values(match(text, `x${pieces.join('')}`) ?? {}).flat()) {
          expect(value).not.toMatch(/[/\\\0]|^\.\.?$/);
        }
      }),
    );
  });
});

describe('matching is the inverse of expanding', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 });
  const list = fc.array(value, { minLength: 1 });

  it.each(['x://{a}/{b}', 'x:{/a,b}', 'x:{;a,b}', 'x{?a,b}', 'x?y{&a,b}', '{a,b}', 'x{#a}', 'x{?a}{&b}'])(
    'for strings in %s',
    text => {
      const template = parseTemplate(text);
      fc.assert(
        fc.property(value, value, (a, b) => {
          // A value in which something looks percent-encoded is kept as it is by {#a}.
          fc.pre(!text.includes('#') || !/%[0-9a-f]{2}/i.test(a));
          const given = Object.fromEntries(
            Object.entries({ a, b }).filter(([name]) => template.variables.includes(name)),
          );
          expect(template.match(template.expand(given), { allowEscapes: true })).toEqual(given);
        }),
      );
    },
  );

  it.each(['x://{a*}', 'x{/a*}', 'x{;a*}', 'x{?a*}', 'x?y{&a*}', 'x{/a*}{?b}'])('for lists in %s', text => {
    const template = parseTemplate(text);
    fc.assert(
      fc.property(list, a => {
        expect(template.match(template.expand({ a }), { allowEscapes: true })).toEqual({ a });
      }),
    );
  });

  it('for every value that does not escape, without being told to allow it', () => {
    const harmless = value.filter(text => !/[/\\\0]|^\.\.?$/.test(text));
    const template = parseTemplate('x://{a}');
    fc.assert(
      fc.property(harmless, a => {
        expect(template.match(template.expand({ a }))).toEqual({ a });
      }),
    );
  });

  it('and agrees with a plain regular expression about which URIs it recognises', () => {
    const template = parseTemplate('a{x}b{+y}{?z}');
    const piece = fc.constantFrom('a', 'b', '/', '?', 'z=', '&');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const uri = pieces.join('');
        const groups = /^a([^/?#]+)b([^?]+)(?:\?z(?:=([^&]*))?)?$/.exec(uri);
        const [, x, y, z] = groups ?? [];
        const hasQuery = uri.includes('?');
        const expected = groups ? { x, y, ...(hasQuery ? { z: z ?? '' } : {}) } : undefined;
        expect(template.match(uri, { allowEscapes: true })).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hostile input', () => {
  const long = 'a'.repeat(100_000);

  it.each([
    ['{a}{b}{c}{d}', long, true],
    ['{a}{b}{c}{d}', `${long}/`, false],
    ['{a}{b}{c}{d}!', long, false],
    ['{+a}{+b}{+c}{+d}{+e}{+f}!', long, false],
    ['{a}a{b}a{c}a{d}/', long, false],
    ['{a*}{b*}{c*}{d*}!', 'a,'.repeat(50_000), false],
    ['{/a*}{/b*}{/c*}!', '/a'.repeat(50_000), false],
    ['{.a*}{.b*}{.c*}!', '.a'.repeat(50_000), false],
    ['{;a*}{;a*}{;a*}!', ';a=1'.repeat(25_000), false],
    ['{?a*}{?a*}{?a*}!', '?a=1'.repeat(25_000), false],
    ['{a:9999}{b:9999}{c:9999}{d:9999}', long, false],
    [`${'a'.repeat(50)}{b}!`, long, false],
    ['{+a}', '%41'.repeat(33_000), true],
    ['{a}', '%'.repeat(100_000), false],
    ['x{?a*}', `x?${'a=1&'.repeat(25_000)}a=1`, true],
  ])('%s comes to an end on 100 kB', (template, uri, matches) => {
    expect(matchAny(template, uri) !== undefined).toBe(matches);
  });

  it('divides adjacent variables in one way: those further left take more', () => {
    expect(match('{a}{b}{c}{d}', 'abcdefg')).toEqual({ a: 'abcd', b: 'e', c: 'f', d: 'g' });
  });

  it('is refused in a template, however long it is', () => {
    expect(parseTemplate('{a}'.repeat(200)).variables).toEqual(['a']);
    expect(() => parseTemplate('{a}'.repeat(201))).toThrow('more than 200 parts');
    expect(() => parseTemplate(`{${'a,'.repeat(10_000)}a}`)).toThrow('more than 200 parts');
    expect(() => parseTemplate('{'.repeat(100_000))).toThrow(UsageError);
    expect(() => parseTemplate(`{${'a.'.repeat(50_000)}}`)).toThrow(UsageError);
  });
});

describe('the variables of a template as a type', () => {
  it('are required in a path and optional in a query', () => {
    expectTypeOf<TemplateVariables<'menu://{day}/{?page}'>>().toEqualTypeOf<{ day: string; page?: string }>();
    expectTypeOf<TemplateVariables<'x{?a,b}{&c}'>>().toEqualTypeOf<{ a?: string; b?: string; c?: string }>();
  });

  it('lose their operators and modifiers', () => {
    expectTypeOf<TemplateVariables<'{+a}{#b}{.c}{/d}{;e}{f:3}'>>().toEqualTypeOf<{
      a: string;
      b: string;
      c: string;
      d: string;
      e: string;
      f: string;
    }>();
  });

  it('are lists where they are exploded', () => {
    expectTypeOf<TemplateVariables<'x{/path*,name}{?tag*}'>>().toEqualTypeOf<{
      path: string[];
      name: string;
      tag?: string[];
    }>();
  });

  it('are none in a text without expressions', () => {
    expectTypeOf<keyof TemplateVariables<'menu://today'>>().toEqualTypeOf<never>();
  });

  it('are unknown where the template is', () => {
    type Unknown = Record<string, string | string[]>;
    expectTypeOf<TemplateVariables<string>>().toEqualTypeOf<Unknown>();
    expectTypeOf<TemplateVariables<`menu://${string}`>>().toEqualTypeOf<Unknown>();
  });
});
