import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import { AGENT_LIMITS, type AgentDecision } from '@fabric/agent-contract/limits';
import { canonicalAddress } from '../net/addresses';
import { hasPorts, IPPROTO, protocolNumber } from '../net/protocols';

/**
 * The part of a log line that is kept as evidence. The hardware addresses go first: with them the limit would end before
 * the destination.
 */
function getLogExcerpt(line: string): string {
  return line
    .replace(/ MAC=\S*/, '')
    .trim()
    .slice(0, AGENT_LIMITS.log_excerpt_characters);
}

/** What a packet filter log line reports about one packet. */
export type LogLine = {
  /** `observed` when the line names no verdict. */
  decision: AgentDecision;
  source: string;
  destination: string;
  protocol: number;
  sourcePort: number | null;
  destinationPort: number | null;
  icmp: { type: number; code: number } | null;
  /** Length of the IP packet, null when the line does not say. */
  bytes: number | null;
  vmid: number | null;
  nic: number | null;
  interface: string | null;
  chain: string | null;
  excerpt: string;
};

/** The parts of a line: where it comes from, the words before the packet, and the packet's fields. */
type Parts = {
  vmid: number | null;
  chain: string | null;
  prefix: string;
  fields: Map<string, string>;
  excerpt: string;
};

const VERDICT = /(?:^|[^a-z0-9])(drop|reject|accept|block|den(?:y|ied)|allow)(?:p?ed)?(?![a-z0-9])/i;
const VERDICTS: Record<string, AgentDecision> = {
  drop: 'drop',
  block: 'drop',
  deny: 'drop',
  denied: 'drop',
  reject: 'reject',
  accept: 'accept',
  allow: 'accept',
};
const FIRST_FIELD = /(?<![A-Za-z])(?:(?:PHYS)?(?:IN|OUT)|MAC|SRC)=/g;
/** Lines may be cut at this length: the last word of such a line is not to be trusted. */
const CUT_LENGTH = 507;

/**
 * Parses the packet part of a firewall log line (`IN=… OUT=… SRC=… DST=… PROTO=…`), as the kernel and pvefw-logger
 * write it, the latter without devices that a chain does not have.
 * @param line the whole line, or the kernel's message
 * @param origin guest and chain when the line names them, with the position where its free text begins
 * @returns null for lines that show no IP packet: conntrack events, ARP, status lines
 */
export function parsePacketLine(
  line: string,
  origin: { vmid: number | null; chain: string | null; textAt: number } = { vmid: null, chain: null, textAt: 0 },
): LogLine | null {
  const packetAt = findPacket(line, origin.textAt);
  if (packetAt < 0) return null;
  return fromParts({
    vmid: origin.vmid,
    chain: origin.chain,
    prefix: line.slice(origin.textAt, packetAt),
    fields: parseFields(line, packetAt),
    excerpt: getLogExcerpt(line),
  });
}

function fromParts({ vmid, chain, prefix, fields, excerpt }: Parts): LogLine | null {
  const source = canonicalAddress(fields.get('SRC') ?? '');
  const destination = canonicalAddress(fields.get('DST') ?? '');
  const protocol = protocolNumber(fields.get('PROTO') ?? '');
  if (source === null || destination === null || protocol === null) return null;
  const withPorts = hasPorts(protocol);
  const isIcmp = protocol === IPPROTO.icmp || protocol === IPPROTO.icmpv6;
  const type = isIcmp ? leadingNumber(fields.get('TYPE'), 255) : null;
  const guest = findGuest(fields, chain);
  return {
    decision: parseDecision(prefix),
    source,
    destination,
    protocol,
    sourcePort: withPorts ? leadingNumber(fields.get('SPT'), 65_535) : null,
    destinationPort: withPorts ? leadingNumber(fields.get('DPT'), 65_535) : null,
    icmp: type === null ? null : { type, code: leadingNumber(fields.get('CODE'), 255) ?? 0 },
    bytes: leadingNumber(fields.get('LEN'), 0xffff + 40),
    vmid: vmid ?? guest?.vmid ?? null,
    nic: guest && (vmid === null || guest.vmid === vmid) ? guest.nic : null,
    interface: guest && (vmid === null || guest.vmid === vmid) ? guest.name : null,
    chain,
    excerpt,
  };
}

/** Position of the first field of the packet: pvefw-logger omits the devices that the kernel does not have in a chain. */
function findPacket(line: string, from: number): number {
  FIRST_FIELD.lastIndex = from;
  return FIRST_FIELD.exec(line)?.index ?? -1;
}

/**
 * The first value of each field. UDP lines have LEN= twice, the first is the packet's; ICMP errors quote another packet
 * in brackets, which is not this one.
 */
function parseFields(line: string, from: number): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = from; at < line.length; ) {
    let end = line.indexOf(' ', at);
    const isLast = end < 0;
    if (isLast) end = line.length;
    if (line.charCodeAt(at) === 0x5b) break;
    const equals = line.indexOf('=', at);
    const isCut = isLast && line.length >= CUT_LENGTH;
    if (equals > at && equals < end && !isCut) {
      const name = line.slice(at, equals);
      if (!fields.has(name)) fields.set(name, line.slice(equals + 1, end));
    }
    at = end + 1;
  }
  return fields;
}

function parseDecision(prefix: string): AgentDecision {
  const word = VERDICT.exec(prefix)?.[1]?.toLowerCase();
  return (word === undefined ? undefined : VERDICTS[word]) ?? 'observed';
}

/** The guest a packet was filtered for: the receiver in an IN chain, the sender in an OUT chain. */
function findGuest(
  fields: Map<string, string>,
  chain: string | null,
): { name: string; vmid: number; nic: number } | null {
  const receiverFirst = chain !== null && /-in$/i.test(chain);
  const order = receiverFirst ? ['PHYSOUT', 'OUT', 'PHYSIN', 'IN'] : ['PHYSIN', 'IN', 'PHYSOUT', 'OUT'];
  for (const field of order) {
    const name = fields.get(field);
    const guest = name === undefined ? null : parseGuestInterface(name);
    if (name !== undefined && guest) return { name, vmid: guest.vmid, nic: guest.nic };
  }
  return null;
}

/** Leading digits of a value: `LEN=78mark=1` has no blank after the number. */
function leadingNumber(value: string | undefined, max: number): number | null {
  const digits = /^\d+/.exec(value ?? '')?.[0];
  if (digits === undefined) return null;
  const number = Number(digits);
  return number <= max ? number : null;
}
