import { isIPv6 } from 'node:net';
import { ALIAS_REFERENCE } from '../schema/formats';
import { MAX_SET_NAME } from './vocabulary';

type Parsed = { family: 4 | 6; value: bigint };

/** Short forms are padded with zeros on the right, leading zeros are accepted. */
function parseIpv4(text: string): Parsed | string {
  const quads = text.split('.');
  const wrong = quads.find((quad) => quad === '' || Number(quad) > 255);
  if (quads.length > 4 || wrong !== undefined) {
    return `Invalid quad in IP address ${text} - ${wrong ?? quads[4]}`;
  }
  const bytes = [...quads.map(Number), 0, 0, 0].slice(0, 4);
  return { family: 4, value: bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
}

function parseIpv6(text: string): Parsed {
  const mapped = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: string | undefined, low: string | undefined) => (Number(high) * 256 + Number(low)).toString(16);
  const plain = mapped ? `${mapped[1]}${hex(mapped[2], mapped[3])}:${hex(mapped[4], mapped[5])}` : text;
  const [head = '', tail] = plain.split('::');
  const words = (part: string) => (part === '' ? [] : part.split(':'));
  const front = words(head);
  const back = tail === undefined ? [] : words(tail);
  const all = [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return { family: 6, value: all.reduce((sum, word) => sum * 65536n + BigInt(`0x${word}`), 0n) };
}

function parseAddress(text: string): Parsed | string {
  if (/^[\d.]+$/.test(text)) return parseIpv4(text);
  if (isIPv6(text) && !text.includes('%')) return parseIpv6(text);
  return text.includes(':') ? `Invalid IP address ${text}` : `Invalid chars in IP ${text.split('/')[0]}`;
}

const width = (family: 4 | 6) => (family === 4 ? 32 : 128);

/** Family of one element of a list (address, network or range), or the parser's complaint. */
function parseElement(text: string): 4 | 6 | string {
  const range = /^(\S+?)\s*-\s*(\S+)$/.exec(text);
  if (range && /[.:]|^\d/.test(range[1] ?? '')) {
    const [first, last] = [parseAddress(range[1] ?? ''), parseAddress(range[2] ?? '')];
    if (typeof first === 'string') return first;
    if (typeof last === 'string') return last;
    if (first.value > last.value) {
      return `Begin address is greater than End address ${range[1]} - ${range[2]}`;
    }
    return first.family;
  }
  const slash = text.indexOf('/');
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (typeof address === 'string') return address;
  if (slash < 0) return address.family;
  const suffix = text.slice(slash + 1);
  // A dotted mask passes without a check of the host bits.
  if (address.family === 4 && /^\d+(\.\d+){3}$/.test(suffix)) return 4;
  if (!/^\d+$/.test(suffix)) return `Invalid prefix length ${suffix}`;
  const bits = Number(suffix);
  const total = width(address.family);
  if (bits > total) return `Prefix length ${bits} is longer than IP address (${total})`;
  if (address.value & ((1n << BigInt(total - bits)) - 1n)) {
    return `Invalid prefix ${address.value.toString(2).padStart(total, '0')}/${bits}`;
  }
  return address.family;
}

export type AddressSpec = { family?: 4 | 6 } | { error: string };

/**
 * Checks `source` or `dest` of a rule: one reference, or a comma separated list of addresses, networks, or one range.
 * Whether a reference exists is not looked at here.
 */
export function parseAddressSpec(text: string): AddressSpec {
  if (/^\+\S+$/.test(text)) return text.length > MAX_SET_NAME + 1 ? { error: 'ipset name too long' } : {};
  if (ALIAS_REFERENCE.test(text)) return text.length > MAX_SET_NAME ? { error: 'alias name too long' } : {};
  if (text === '') return {};
  const elements = text.split(',');
  while (elements.length > 0 && elements[elements.length - 1] === '') elements.pop();
  if (elements.join(',') !== text) return { error: 'extraneous commas in list' };
  let family: 4 | 6 | undefined;
  for (const element of elements) {
    const parsed = parseElement(element);
    if (typeof parsed === 'string') return { error: `invalid IP address: ${parsed}` };
    if (family && family !== parsed) {
      return { error: `detected mixed ipv4/ipv6 addresses in address list '${text}'` };
    }
    family = parsed;
  }
  if (elements.length > 1 && elements.some((element) => element.includes('-'))) {
    return { error: "you can't use a range in a list" };
  }
  return { family };
}

/** Format check of a `source` or `dest` parameter. */
export function addressFormat(value: string): string | undefined {
  const parsed = parseAddressSpec(value);
  return 'error' in parsed ? parsed.error : undefined;
}

/** Stored form of a set entry: host bits cleared, `/32` and `/128` dropped. References pass through. */
export function cleanSetEntry(cidr: string): string {
  const slash = cidr.indexOf('/');
  if (slash < 0 || ALIAS_REFERENCE.test(cidr)) return cidr;
  const address = parseAddress(cidr.slice(0, slash));
  if (typeof address === 'string') return cidr;
  const total = width(address.family);
  const bits = Number(cidr.slice(slash + 1));
  if (bits >= total) return cidr.slice(0, slash);
  const hostBits = (1n << BigInt(total - bits)) - 1n;
  if ((address.value & hostBits) === 0n) return cidr;
  return `${printAddress(address.family, address.value & ~hostBits)}/${bits}`;
}

/** Dotted quad, or RFC 5952 text: the longest run of zero words is written as `::`. */
export function printAddress(family: 4 | 6, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const words = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  let best = { start: 0, length: 0 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (words[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return words.join(':');
  return `${words.slice(0, best.start).join(':')}::${words.slice(best.start + best.length).join(':')}`;
}
