import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressProblem,
  hostNameProblem,
  isLocalName,
  isLoopback,
} from '../../../src/client/auth/addresses.js';
import { urlProblem } from '../../../src/client/auth/guarded-fetch.js';

const STRICT = { allowLoopback: false, allowPrivate: false };
const OPEN = { allowLoopback: true, allowPrivate: true };

/** What must not be reached, and how the reason has to read. */
const FORBIDDEN: [cidr: string, reason: RegExp][] = [
  ['0.0.0.0/8', /this machine/],
  ['10.0.0.0/8', /private/],
  ['100.64.0.0/10', /provider/],
  ['127.0.0.0/8', /loopback/],
  ['168.63.129.16/32', /cloud/],
  ['169.254.0.0/16', /link-local/],
  ['172.16.0.0/12', /private/],
  ['192.0.0.0/24', /reserved/],
  ['192.0.2.0/24', /documentation/],
  ['192.88.99.0/24', /6to4/],
  ['192.168.0.0/16', /private/],
  ['198.18.0.0/15', /benchmarks/],
  ['198.51.100.0/24', /documentation/],
  ['203.0.113.0/24', /documentation/],
  ['224.0.0.0/4', /multicast/],
  ['240.0.0.0/4', /reserved|broadcast/],
  ['::/96', /this machine|loopback|inside an IPv6/],
  ['::ffff:0:0/96', /inside an IPv6/],
  ['::ffff:0:0:0/96', /inside an IPv6/],
  ['64:ff9b::/96', /NAT64/],
  ['64:ff9b:1::/48', /NAT64/],
  ['100::/64', /discard/],
  ['2001::/32', /Teredo/],
  ['2001:2::/48', /benchmarks/],
  ['2001:10::/28', /reserved/],
  ['2001:db8::/32', /documentation/],
  ['2002::/16', /6to4/],
  ['3fff::/20', /documentation/],
  ['4000::/3', /reserved/],
  ['5f00::/16', /reserved/],
  ['fc00::/7', /private/],
  ['fe80::/10', /link-local/],
  ['fec0::/10', /site-local/],
  ['ff00::/8', /multicast/],
];

/** Know the same ranges, in the way of Node. One list for both would find all of IPv4 in `::ffff:0:0/96`. */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [cidr] of [...FORBIDDEN, ['2001::/23'] as const]) {
  const { base, length, isIpv6 } = readCidr(cidr);
  const family = isIpv6 ? 'ipv6' : 'ipv4';
  blocked[family].addSubnet(base, length, family);
}

function readCidr(cidr: string): { base: string; length: number; isIpv6: boolean; value: bigint } {
  const [base = '', length] = cidr.split('/');
  const isIpv6 = base.includes(':');
  return { base, length: Number(length), isIpv6, value: isIpv6 ? readIpv6(base) : readIpv4(base) };
}

function readIpv4(text: string): bigint {
  return text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function readIpv6(text: string): bigint {
  const [head = [], tail = []] = text.split('::').map(half => half.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

function bytesOf(value: bigint): number[] {
  return [24n, 16n, 8n, 0n].map(shift => Number((value >> shift) & 255n));
}

function groupsOf(value: bigint): string[] {
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map(shift => ((value >> shift) & 65535n).toString(16));
}

const dotted = (value: bigint) => bytesOf(value).join('.');
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const octal = (value: number | bigint) => `0${value.toString(8)}`;

/** Every way to write an IPv4 address that `new URL` takes. */
const NOTATIONS_4: Record<string, (value: bigint) => string> = {
  dotted,
  'trailing dot': value => `${dotted(value)}.`,
  'hexadecimal bytes': value => bytesOf(value).map(hex).join('.'),
  'octal bytes': value => bytesOf(value).map(octal).join('.'),
  'mixed bytes': value => {
    const [a, b, c, d] = bytesOf(value) as [number, number, number, number];
    return [hex(a), octal(b), c, hex(d).toUpperCase()].join('.');
  },
  'leading zeros': value =>
    bytesOf(value)
      .map(byte => `000${octal(byte)}`)
      .join('.'),
  'one decimal number': String,
  'one hexadecimal number': hex,
  'one octal number': octal,
  'two parts': value => `${value >> 24n}.${value & 0xffffffn}`,
  'three parts': value => `${value >> 24n}.${(value >> 16n) & 255n}.${value & 65535n}`,
  'percent signs': value => dotted(value).replace(/./g, char => `%${char.charCodeAt(0).toString(16)}`),
  'full-width digits': value =>
    dotted(value).replace(/\d/g, digit => String.fromCharCode(0xff10 + Number(digit))),
  'ideographic full stops': value => dotted(value).replaceAll('.', '。'),
};

/** Every way to write an IPv6 address. */
const NOTATIONS_6: Record<string, (value: bigint) => string> = {
  long: value => `[${groupsOf(value).join(':')}]`,
  padded: value =>
    `[${groupsOf(value)
      .map(group => group.padStart(4, '0'))
      .join(':')}]`,
  'upper case': value => `[${groupsOf(value).join(':').toUpperCase()}]`,
  shortened: value =>
    `[${groupsOf(value)
      .join(':')
      .replace(/(^|:)0(:0)+(:|$)/, '::')}]`,
  'dotted end': value => `[${groupsOf(value).slice(0, 6).join(':')}:${dotted(value & 0xffffffffn)}]`,
};

const inside = (cidr: string): fc.Arbitrary<{ value: bigint; isIpv6: boolean }> => {
  const { value, length, isIpv6 } = readCidr(cidr);
  const last = (1n << BigInt((isIpv6 ? 128 : 32) - length)) - 1n;
  return fc
    .oneof(fc.bigInt(0n, last), fc.constant(0n), fc.constant(last))
    .map(offset => ({ value: value + offset, isIpv6 }));
};

const hostInside = (cidr: string): fc.Arbitrary<string> =>
  inside(cidr).chain(({ value, isIpv6 }) => {
    const notations = Object.values(isIpv6 ? NOTATIONS_6 : NOTATIONS_4);
    return fc.constantFrom(...notations).map(write => write(value));
  });

describe('an address that is not public', () => {
  it.each(FORBIDDEN)('is refused anywhere in %s, in any notation', (cidr, reason) => {
    fc.assert(
      fc.property(hostInside(cidr), host => {
        const url = new URL(`https://${host}/`);
        expect(urlProblem(url, STRICT)).toMatch(reason);
        expect(addressProblem(url.hostname.replace(/[[\]]/g, ''))).toMatch(reason);
        // The check is what refuses it: without, it would be fetched.
        expect(urlProblem(url, OPEN)).toBeUndefined();
      }),
    );
  });

  const ATTACKS: string[] = [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:169.254.169.254',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::169.254.169.254',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::10.0.0.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001:0:7f00:1::',
    '2001:0:53aa:64c:0:0:80ff:fffe',
    'fd00:ec2::254',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '1::1',
  ];

  it.each(ATTACKS)('is refused: %s', address => {
    expect(addressProblem(address)).toBeDefined();
    const host = address.includes(':') ? `[${address}]` : address;
    expect(urlProblem(new URL(`https://${host}/`), STRICT)).toMatch(/allowPrivateAddresses: true/);
    expect(urlProblem(new URL(`https://${host}/`), OPEN)).toBeUndefined();
  });

  it.each([
    'fe80::1%eth0',
    'fe80::1%25eth0',
    '2606:4700::1%1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '8.8.8.8.',
    '08.8.8.8',
    '8.8.8.256',
    '8.8.8',
    '8.8.8.8.8',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8/8',
    '[2606:4700::1]',
    '2606:4700:::1',
    ':::',
    ':',
    '1:2:3:4:5:6:7:8:9',
    '2606:4700::1]/@[::1',
    'localhost',
    'example.com',
    '',
  ])('is what cannot be read: %j', text => {
    expect(addressProblem(text)).toMatch(/is not a plain IP address/);
  });
});

describe('a public address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2003::1',
    '2A00:1450:4001:81b::200e',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ])('is accepted: %s', address => {
    expect(addressProblem(address)).toBeUndefined();
  });

  it('is everything in IPv4 that is in no list', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 0xffffffffn).map(dotted), address => {
        expect(addressProblem(address) !== undefined).toBe(blocked.ipv4.check(address));
      }),
      { numRuns: 1000 },
    );
  });

  it('is everything in the global part of IPv6 that is in no list', () => {
    fc.assert(
      fc.property(inside('2000::/3'), fc.constantFrom(...Object.values(NOTATIONS_6)), ({ value }, write) => {
        const address = write(value).slice(1, -1);
        expect(addressProblem(address) !== undefined).toBe(blocked.ipv6.check(address, 'ipv6'));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(FORBIDDEN)('may be next to %s', cidr => {
    const { value, length, isIpv6 } = readCidr(cidr);
    const size = 1n << BigInt((isIpv6 ? 128 : 32) - length);
    const all = 1n << (isIpv6 ? 128n : 32n);
    for (const edge of [value - 1n, value, value + size - 1n, value + size]) {
      if (edge < 0n || edge >= all) continue;
      const address = isIpv6 ? groupsOf(edge).join(':') : dotted(edge);
      const isGlobal = !isIpv6 || edge >> 125n === 1n;
      const family = isIpv6 ? 'ipv6' : 'ipv4';
      expect(addressProblem(address) !== undefined, address).toBe(
        !isGlobal || blocked[family].check(address, family),
      );
    }
  });
});

describe('a host', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.localhost.',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '::1',
    '0:0:0:0:0:0:0:1',
  ])('is this machine: %s', host => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each([
    'localhost.example',
    'notlocalhost',
    '127.0.0.1.example',
    '128.0.0.1',
    '127.1',
    '[::2]',
    '[::ffff:7f00:1]',
    '0.0.0.0',
    'localhost..',
    '',
  ])('is not this machine: %j', host => {
    expect(isLoopback(host)).toBe(false);
  });

  it.each([
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '0x',
    '127.0.0.1..',
    '127.0.0.1.',
    'localhost..',
    'a.1',
    'a..b',
    '.',
    '',
  ])('is no name: %j', host => {
    expect(hostNameProblem(host)).toBeDefined();
  });

  it.each(['example.com', 'example.com.', '1.example', 'a1', '0x7f.example', 'a-1.b_2'])(
    'is a name: %s',
    host => {
      expect(hostNameProblem(host)).toBeUndefined();
    },
  );

  it.each([
    'keycloak',
    'printer.local',
    'metadata.google.internal',
    'Metadata.Google.INTERNAL.',
    'nas.home.arpa',
  ])('is known to a private network only: %s', host => {
    expect(isLocalName(host)).toBe(true);
    expect(urlProblem(new URL(`https://${host}/`), STRICT)).toMatch(/private network/);
    expect(urlProblem(new URL(`https://${host}/`), OPEN)).toBeUndefined();
  });
});
