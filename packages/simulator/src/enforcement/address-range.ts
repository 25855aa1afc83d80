import { isIPv4, isIPv6 } from 'node:net';

/** First and last address as numbers. */
export type Range = { family: 4 | 6; first: bigint; last: bigint };

function toNumber(address: string): { family: 4 | 6; value: bigint } | undefined {
  if (isIPv4(address))
    return { family: 4, value: address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
  if (!isIPv6(address) || address.includes('%')) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const low = dotted ? (toNumber(dotted[2] ?? '')?.value ?? 0n) : 0n;
  const text = dotted ? `${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}` : address;
  const [head = '', tail] = text.split('::');
  const words = (part: string | undefined) => (part ? part.split(':') : []);
  const zeros = new Array<string>(8 - words(head).length - words(tail).length).fill('0');
  const all = tail === undefined ? words(head) : [...words(head), ...zeros, ...words(tail)];
  return { family: 6, value: all.reduce((sum, word) => sum * 65536n + BigInt(`0x${word}`), 0n) };
}

/** Range of an address, a network or `first-last`; undefined when the text is none of them in canonical form. */
export function addressRange(text: string): Range | undefined {
  const [from = '', to] = text.split('-');
  if (to !== undefined) {
    const [first, last] = [toNumber(from), toNumber(to)];
    return first && last ? { family: first.family, first: first.value, last: last.value } : undefined;
  }
  const [address = '', prefix] = from.split('/');
  const base = toNumber(address);
  if (!base) return undefined;
  const width = base.family === 4 ? 32 : 128;
  const bits = prefix === undefined ? width : Number(prefix);
  if (!Number.isInteger(bits) || bits < 0 || bits > width) return undefined;
  const size = 1n << BigInt(width - bits);
  const first = base.value - (base.value % size);
  return { family: base.family, first, last: first + size - 1n };
}
