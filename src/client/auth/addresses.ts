import { parseUrl } from '../../base/url.js';

/**
 * Why an IP address is not on the public internet; undefined if it is.
 *
 * @example
 * addressProblem('169.254.169.254'); // '169.254.169.254 is a link-local address'
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function addressProblem(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (!parsed) return `"${address.slice(0, MAX_SHOWN)}" is not a plain IP address`;
  const range = SPECIAL.find(special => includes(special, parsed));
  if (range) return `${address} is ${range.what}`;
  if (parsed.bits === 128 && !includes(GLOBAL_UNICAST, parsed)) return `${address} is a reserved address`;
  return undefined;
}

/** Whether a host name, or an address with or without brackets, means this machine. */
export function isLoopback(hostname: string): boolean {
  const host = withoutBrackets(hostname);
  const address = parseAddress(host);
  if (address) return LOOPBACK.some(range => includes(range, address));
  return /^(.+\.)?localhost\.?$/i.test(host);
}

/** Whether a host is an IP address, with or without brackets. */
export function isAddress(hostname: string): boolean {
  return parseAddress(withoutBrackets(hostname)) !== undefined;
}

/**
 * Why a text is not a valid host name. `new URL` turns `127.1`, `0x7f.1` or `2130706433` into `127.0.0.1`, but keeps
 * `127.0.0.1..` as it is, which resolvers accept as well.
 */
export function hostNameProblem(name: string): string | undefined {
  const labels = name.replace(/\.$/, '').split('.');
  const shown = `"${name.slice(0, MAX_SHOWN)}"`;
  if (labels.includes('')) return `${shown} is not a host name`;
  if (NUMBER.test(labels.at(-1) as string)) return `${shown} is an address in an unusual notation`;
  return undefined;
}

/** Whether a name is known only in a private network. */
export function isLocalName(name: string): boolean {
  const plain = name.replace(/\.$/, '').toLowerCase();
  return !plain.includes('.') || LOCAL_SUFFIXES.some(suffix => plain.endsWith(suffix));
}

export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

const MAX_SHOWN = 80;
const NUMBER = /^(\d+|0x[\da-f]*)$/i;
const LOCAL_SUFFIXES = ['.local', '.localdomain', '.internal', '.intranet', '.lan', '.home.arpa'];

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
interface Range {
  readonly first: Address;
  /** How many bits may differ. */
  readonly free: bigint;
  readonly what: string;
}

function includes({ first, free }: Range, address: Address): boolean {
  return first.bits === address.bits && first.value >> free === address.value >> free;
}

function parseAddress(text: string): Address | undefined {
  return parseIpv4(text) ?? parseIpv6(text);
}

const BYTE = /^(0|[1-9]\d{0,2})$/;

function parseIpv4(text: string): Address | undefined {
  const bytes = text.split('.');
  if (bytes.length !== 4 || !bytes.every(byte => BYTE.test(byte) && Number(byte) < 256)) return undefined;
  return { bits: 32, value: bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
}

function parseIpv6(text: string): Address | undefined {
  const url = /^[\da-f:.]{2,45}$/i.test(text) ? parseUrl(`http://[${text}]/`) : undefined;
  if (!url) return undefined;
  const [head = [], tail = []] = withoutBrackets(url.hostname)
    .split('::')
    .map(half => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const value = [...head, ...zeros, ...tail].reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return { bits: 128, value };
}

function rangeOf(cidr: string, what: string): Range {
  const [base = '', length] = cidr.split('/');
  const first = parseAddress(base) as Address;
  return { first, free: BigInt(first.bits - Number(length)), what };
}

const LOOPBACK = [rangeOf('127.0.0.0/8', 'a loopback address'), rangeOf('::1/128', 'a loopback address')];
const GLOBAL_UNICAST = rangeOf('2000::/3', 'a public address');

/** The ranges that are not public. The first range that matches describes the address. */
const SPECIAL = [
  ...LOOPBACK,
  rangeOf('0.0.0.0/8', 'an address of this machine'),
  rangeOf('10.0.0.0/8', 'a private address'),
  rangeOf('100.64.0.0/10', 'an address inside the network of a provider'),
  // The host agent of Azure virtual machines.
  rangeOf('168.63.129.16/32', 'an address inside a cloud'),
  rangeOf('169.254.0.0/16', 'a link-local address'),
  rangeOf('172.16.0.0/12', 'a private address'),
  rangeOf('192.0.0.0/24', 'a reserved address'),
  rangeOf('192.0.2.0/24', 'an address for documentation'),
  rangeOf('192.88.99.0/24', 'a 6to4 address'),
  rangeOf('192.168.0.0/16', 'a private address'),
  rangeOf('198.18.0.0/15', 'an address for benchmarks'),
  rangeOf('198.51.100.0/24', 'an address for documentation'),
  rangeOf('203.0.113.0/24', 'an address for documentation'),
  rangeOf('224.0.0.0/4', 'a multicast address'),
  rangeOf('255.255.255.255/32', 'the broadcast address'),
  rangeOf('240.0.0.0/4', 'a reserved address'),
  rangeOf('::/128', 'an address of this machine'),
  rangeOf('::/96', 'an IPv4 address inside an IPv6 address'),
  rangeOf('::ffff:0:0/96', 'an IPv4 address inside an IPv6 address'),
  rangeOf('::ffff:0:0:0/96', 'an IPv4 address inside an IPv6 address'),
  rangeOf('64:ff9b::/96', 'a NAT64 address'),
  rangeOf('64:ff9b:1::/48', 'a NAT64 address'),
  rangeOf('100::/64', 'a discard address'),
  rangeOf('2001::/32', 'a Teredo address'),
  rangeOf('2001:2::/48', 'an address for benchmarks'),
  rangeOf('2001::/23', 'a reserved address'),
  rangeOf('2001:db8::/32', 'an address for documentation'),
  rangeOf('2002::/16', 'a 6to4 address'),
  rangeOf('3fff::/20', 'an address for documentation'),
  rangeOf('fc00::/7', 'a private address'),
  rangeOf('fe80::/10', 'a link-local address'),
  rangeOf('fec0::/10', 'a site-local address'),
  rangeOf('ff00::/8', 'a multicast address'),
];
