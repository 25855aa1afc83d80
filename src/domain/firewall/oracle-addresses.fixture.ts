import { formatIp, type IpAddress } from '../net/ip-address';
import type { LiveCluster, LiveGuest, LiveSetEntry } from './live-state';

// The oracle's three-valued logic and its literal reading of addresses, aliases and sets.
const texts = new WeakMap<IpAddress, string>();
export function formatCachedIp(ip: IpAddress): string {
  const text = texts.get(ip) ?? formatIp(ip);
  texts.set(ip, text);
  return text;
}

export type Tri = 'y' | 'n' | '?';
export type Sight = { cluster: LiveCluster; guest: LiveGuest | null; nft: boolean };

export const and = (...all: Tri[]): Tri => (all.includes('n') ? 'n' : all.includes('?') ? '?' : 'y');
export const or = (...all: Tri[]): Tri => (all.includes('y') ? 'y' : all.includes('?') ? '?' : 'n');
export const tri = (value: boolean): Tri => (value ? 'y' : 'n');

/** An address as a string of 32 or 128 binary digits, or null. */
export function bits(text: string): string | null {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(text)) {
    const octets = text.split('.');
    if (octets.some((octet) => Number(octet) > 255 || String(Number(octet)) !== octet)) return null;
    return octets.map((octet) => Number(octet).toString(2).padStart(8, '0')).join('');
  }
  if (!/^[0-9a-f:]+$/i.test(text) || !text.includes(':')) return null;
  const [left = '', right] = text.split('::');
  const head = left.split(':').filter(Boolean);
  const tail = (right ?? '').split(':').filter(Boolean);
  const groups = right === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

export function inBlock(block: string, ip: string): Tri {
  const mine = bits(ip) ?? '';
  const [low, high] = block.split('-');
  if (high !== undefined) {
    const [a, b] = [bits(low ?? ''), bits(high)];
    if (a === null || b === null) return '?';
    return tri(a.length === mine.length && a <= mine && mine <= b);
  }
  const [address = '', prefix] = block.split('/');
  const net = bits(address);
  if (net === null) return '?';
  const length = prefix === undefined ? net.length : Number(prefix);
  return tri(net.length === mine.length && net.slice(0, length) === mine.slice(0, length));
}

const lower = (record: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));

export function alias(reference: string, sight: Sight): string | '?' {
  const scoped = reference.split('/');
  const name = (scoped.at(-1) ?? '').toLowerCase();
  const places = scoped.length === 1 ? ['guest', 'dc'] : [scoped[0]];
  for (const place of places) {
    const objects = place === 'guest' ? sight.guest : sight.cluster;
    if (!objects) continue;
    if (objects.aliases === null) return '?';
    const found = lower(objects.aliases)[name];
    if (found) return found;
  }
  return '?';
}

export function inSet(entries: readonly LiveSetEntry[], ip: string, sight: Sight): Tri {
  let best: { length: number; match: boolean } | undefined;
  let doubt = false;
  for (const entry of entries) {
    if (entry.errors) continue;
    const text = /^[a-z]/i.test(entry.cidr) && !entry.cidr.includes(':') ? alias(entry.cidr, sight) : entry.cidr;
    const answer = inBlock(text, ip);
    if (answer === '?') {
      if (entry.nomatch) return '?';
      doubt = true;
    }
    const length = Number(text.split('/')[1] ?? 999);
    // With nftables an exception wins over everything else in the set.
    if (sight.nft) {
      if (answer === 'y') best = { length, match: (best?.match ?? true) && !entry.nomatch };
    } else if (answer === 'y' && (!best || length >= best.length)) best = { length, match: !entry.nomatch };
  }
  return best?.match ? 'y' : doubt ? '?' : 'n';
}

// The universe of a test is small: the same questions come again and again.
const remembered = new WeakMap<LiveCluster, Map<string, Tri>>();

export function address(text: string | undefined, ip: string, sight: Sight): Tri {
  if (!text) return 'y';
  const memory = remembered.get(sight.cluster) ?? new Map<string, Tri>();
  remembered.set(sight.cluster, memory);
  const key = `${sight.nft} ${sight.guest ? 'guest' : 'group'} ${text} ${ip}`;
  const answer = memory.get(key) ?? readAddress(text, ip, sight);
  memory.set(key, answer);
  return answer;
}

function readAddress(text: string, ip: string, sight: Sight): Tri {
  if (text.startsWith('+')) {
    const scoped = text.slice(1).split('/');
    const name = scoped.at(-1) ?? '';
    if (scoped[0] === 'sdn' && scoped.length > 1) return '?';
    const places = scoped.length === 1 ? ['guest', 'dc'] : [scoped[0]];
    for (const place of places) {
      const objects = place === 'guest' ? sight.guest : sight.cluster;
      if (!objects) continue;
      if (objects.ipsets === null) return '?';
      const set = objects.ipsets[name];
      if (!set) continue;
      const seen = objects === sight.guest ? sight : { ...sight, guest: null };
      const answer = inSet(set, ip, seen);
      return name === 'management' && objects !== sight.guest ? or(answer, '?') : answer;
    }
    return '?';
  }
  if (/^(dc\/|guest\/)?[A-Za-z][\w-]+$/.test(text)) {
    const value = alias(text, sight);
    return value === '?' ? '?' : inBlock(value, ip);
  }
  // A list that is wrong in one place is not trusted in another.
  const answers = text.split(',').map((block) => inBlock(block, ip));
  return answers.includes('?') ? '?' : or(...answers);
}
