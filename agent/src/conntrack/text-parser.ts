import { canonicalAddress } from '../net/addresses';
import { hasPorts, IPPROTO, protocolName } from '../net/protocols';
import type { ConntrackEntry, Counter, Tuple } from './entry';

const STATE = /^[A-Z][A-Z0-9_]+$/;

type Half = { fields: Map<string, string> };

/**
 * Parses a line of `conntrack -L -o extended` or /proc/net/nf_conntrack:
 * `ipv4 2 tcp 6 431999 ESTABLISHED src=… dst=… sport=… dport=… packets=… bytes=… src=… … [ASSURED] mark=0 use=1`
 * @returns null when the line is something else
 */
export function parseConntrackLine(line: string): ConntrackEntry | null {
  const words = line.trim().split(/\s+/);
  if (words[0] !== 'ipv4' && words[0] !== 'ipv6') return null;
  const protocol = Number(words[3]);
  if (!Number.isInteger(protocol) || protocol < 0 || protocol > 255) return null;

  const halves: Half[] = [];
  const flags = new Set<string>();
  let state: string | null = null;
  let zone = 0;
  for (const word of words.slice(4)) {
    const equals = word.indexOf('=');
    if (equals < 0) {
      if (word.startsWith('[')) flags.add(word.slice(1, -1));
      else if (halves.length === 0 && STATE.test(word)) state = word;
      continue;
    }
    const name = word.slice(0, equals);
    if (name === 'src') halves.push({ fields: new Map() });
    if (name === 'zone') zone = Number(word.slice(equals + 1)) || 0;
    halves.at(-1)?.fields.set(name, word.slice(equals + 1));
  }

  const [first, second] = halves;
  if (!first || !second) return null;
  const original = parseTuple(first, protocol);
  const reply = parseTuple(second, protocol);
  if (!original || !reply) return null;
  return {
    protocol,
    original,
    reply,
    icmp: parseIcmp(first, protocol),
    zone,
    state: state ?? (flags.has('ASSURED') ? 'ASSURED' : flags.has('UNREPLIED') ? 'UNREPLIED' : 'REPLIED'),
    originalCounter: parseCounter(first),
    replyCounter: parseCounter(second),
  };
}

/** Identity of an entry in text, for remembering its counters. */
export function entryIdentity({ protocol, original, zone, icmp }: ConntrackEntry): string {
  const ports = icmp ? `${icmp.type}/${icmp.code}` : `${original.sourcePort}>${original.destinationPort}`;
  return `${zone} ${protocolName(protocol)} ${original.source}>${original.destination} ${ports}`;
}

function parseTuple({ fields }: Half, protocol: number): Tuple | null {
  const source = canonicalAddress(fields.get('src') ?? '');
  const destination = canonicalAddress(fields.get('dst') ?? '');
  if (source === null || destination === null) return null;
  const port = (name: string): number | null => (hasPorts(protocol) ? parseNumber(fields.get(name), 65_535) : null);
  return { source, destination, sourcePort: port('sport'), destinationPort: port('dport') };
}

function parseIcmp({ fields }: Half, protocol: number): ConntrackEntry['icmp'] {
  if (protocol !== IPPROTO.icmp && protocol !== IPPROTO.icmpv6) return null;
  const type = parseNumber(fields.get('type'), 255);
  return type === null ? null : { type, code: parseNumber(fields.get('code'), 255) ?? 0 };
}

function parseCounter({ fields }: Half): Counter | null {
  const packets = parseNumber(fields.get('packets'), Number.MAX_SAFE_INTEGER);
  const bytes = parseNumber(fields.get('bytes'), Number.MAX_SAFE_INTEGER);
  return packets === null || bytes === null ? null : { packets, bytes };
}

function parseNumber(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d+$/.test(text)) return null;
  const value = Number(text);
  return value <= max ? value : null;
}
