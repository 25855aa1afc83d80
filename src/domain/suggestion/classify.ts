import { findSensitiveService } from '../dashboard/sensitive-ports';
import { icmpName } from '../firewall/data/icmp-types';
import { type Cidr, cidrContains, parseCidr } from '../net/cidr';
import { formatIp, type IpAddress, parseIp, unmapIp } from '../net/ip-address';
import { protocolHasPorts, RULE_PROTOCOLS } from '../policy/choices';
import type { RuleProtocol } from '../policy/policy';
import type { LeftOut, LeftOutReason, ObservedEnd, ObservedPair, SuggestionWorkload } from './observed';
import { createServiceFinder, findDynamicPorts, type ServedPair } from './observed-services';
import { findScans } from './scans';

/** A service as rules describe it. */
export type Service = {
  readonly protocol: RuleProtocol;
  readonly port: number | null;
  readonly icmp_type: string | null;
};

/** An end of conversations that rules can name: a workload, or an address that belongs to none of the owner's. */
export type Peer = { readonly workload_id: string | null; readonly ip: string; readonly external: boolean };

/** Conversations of one client with one service of one server. */
export type Talk = {
  readonly client: Peer;
  readonly server: Peer;
  readonly service: Service;
  conversations: number;
  held_out: number;
  bytes: number | null;
  first_seen: number;
  last_seen: number;
};

export type Classified = { readonly talks: readonly Talk[]; readonly left_out: readonly LeftOut[] };

const cidrs = (...texts: string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);
const MULTICAST = cidrs('224.0.0.0/4', 'ff00::/8', '255.255.255.255/32');
const LINK_LOCAL = cidrs('169.254.0.0/16', 'fe80::/10', '0.0.0.0/8', '::/128');
/** DHCP, and DHCP for IPv6. */
const DHCP_PORTS: readonly number[] = [67, 68, 546, 547];

const isIn = (list: readonly Cidr[], ip: IpAddress) => list.some((cidr) => cidrContains(cidr, ip));
const read = (text: string): IpAddress | null => {
  const ip = parseIp(text);
  return ip && unmapIp(ip);
};

export const formatService = ({ protocol, port, icmp_type }: Service): string =>
  port === null ? (icmp_type === null ? protocol : `${protocol}/${icmp_type}`) : `${protocol}/${port}`;

/** The service of a pair as rules name it; null: they cannot, and a rule without ports would allow all. */
function toService(pair: ObservedPair): Service | null {
  const name = pair.protocol === 'ipv6-icmp' ? 'icmpv6' : pair.protocol;
  const protocol = RULE_PROTOCOLS.find((one) => one === name && one !== 'any' && one !== 'tcp/udp');
  if (!protocol) return null;
  if (protocolHasPorts(protocol)) {
    return pair.service_port === null ? null : { protocol, port: pair.service_port, icmp_type: null };
  }
  const type = pair.icmp_type === null ? null : icmpName(pair.icmp_type, protocol === 'icmp' ? 4 : 6);
  return type === null ? null : { protocol, port: null, icmp_type: type };
}

/** The last address of a subnet is its broadcast address: as far as it is known, by the network of the server. */
const isBroadcast = (ip: IpAddress, broadcasts: ReadonlySet<string>) => broadcasts.has(formatIp(ip));

type Names = { readonly workloads: ReadonlyMap<string, SuggestionWorkload>; readonly broadcasts: ReadonlySet<string> };
type Evaluated = { readonly reason: LeftOutReason } | { readonly talk: Pick<Talk, 'client' | 'server' | 'service'> };

/** A workload that the owner can name, at an address that its endpoint has; else an address. Null: a workload at another address. */
function toPeer({ workload_id, ip: text, external }: ObservedEnd, { workloads }: Names): Peer | null {
  const ip = read(text);
  const known = workload_id === null ? undefined : workloads.get(workload_id);
  if (!ip) return null;
  if (!known) return { workload_id: null, ip: formatIp(ip), external };
  return known.addresses.includes(formatIp(ip)) ? { workload_id: known.id, ip: '', external: false } : null;
}

function evaluatePair(pair: ObservedPair, names: Names): Evaluated {
  const [client, server] = [read(pair.client.ip), read(pair.server.ip)];
  if (!client || !server) return { reason: 'unresolved' };
  if (isIn(MULTICAST, server) || isIn(MULTICAST, client) || isBroadcast(server, names.broadcasts)) {
    return { reason: 'multicast' };
  }
  const isDhcp = pair.protocol === 'udp' && pair.service_port !== null && DHCP_PORTS.includes(pair.service_port);
  if (isDhcp || isIn(LINK_LOCAL, client) || isIn(LINK_LOCAL, server)) return { reason: 'local' };
  if (pair.action === 'dropped' || pair.action === 'rejected') return { reason: 'blocked' };
  const service = toService(pair);
  if (!service) {
    return { reason: ['tcp', 'udp', 'sctp'].includes(pair.protocol) ? 'no_service' : 'protocol' };
  }
  // A datagram may need no answer; a connection does.
  if (pair.action === 'unknown' && !pair.answered && service.protocol !== 'udp') return { reason: 'unanswered' };
  const [from, to] = [toPeer(pair.client, names), toPeer(pair.server, names)];
  if (!from || !to) return { reason: 'other_address' };
  if (from.workload_id !== null && from.workload_id === to.workload_id) return { reason: 'local' };
  const isInScope = ({ workload_id }: Peer) =>
    workload_id !== null && names.workloads.get(workload_id)?.in_scope === true;
  if (!isInScope(from) && !isInScope(to)) return { reason: 'unresolved' };
  if (from.external && service.port !== null && findSensitiveService(service.port)) return { reason: 'suspicious' };
  return { talk: { client: from, server: to, service } };
}

const formatPairService = ({ protocol, service_port }: ObservedPair) =>
  service_port === null ? protocol : `${protocol}/${service_port}`;

const addBytes = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));
const getPeerKey = ({ workload_id, ip }: Peer) => workload_id ?? ip;

type Collected = Map<string, { -readonly [K in keyof LeftOut]: LeftOut[K] }>;

function addLeftOut(
  into: Collected,
  reason: LeftOutReason,
  pair: ObservedPair,
  name: (end: ObservedEnd) => string,
): void {
  const [client, server, service] = [name(pair.client), name(pair.server), formatPairService(pair)];
  const key = [reason, client, server, service].join('\n');
  const { bytes, last_seen } = pair;
  const conversations = pair.conversations + pair.held_out;
  const known = into.get(key);
  if (!known) {
    into.set(key, { reason, client, server, service, conversations, bytes, last_seen });
    return;
  }
  known.conversations += conversations;
  known.bytes = addBytes(known.bytes, bytes);
  known.last_seen = Math.max(known.last_seen, last_seen);
}

function addTalk(into: Map<string, Talk>, found: Pick<Talk, 'client' | 'server' | 'service'>, pair: ObservedPair) {
  const key = [getPeerKey(found.client), getPeerKey(found.server), formatService(found.service)].join('\n');
  const { conversations, held_out, bytes, first_seen, last_seen } = pair;
  const known = into.get(key);
  if (!known) {
    into.set(key, { ...found, conversations, held_out, bytes, first_seen, last_seen });
    return;
  }
  known.conversations += conversations;
  known.held_out += held_out;
  known.bytes = addBytes(known.bytes, bytes);
  known.first_seen = Math.min(known.first_seen, first_seen);
  known.last_seen = Math.max(known.last_seen, last_seen);
}

/** Most conversations first, then by text: the same input in any order is the same answer. */
const byWeight = (a: LeftOut, b: LeftOut) =>
  b.conversations - a.conversations ||
  (`${a.reason} ${a.client} ${a.server} ${a.service}` < `${b.reason} ${b.client} ${b.server} ${b.service}` ? -1 : 1);

/**
 * Conversations that rules can be written for, and those that are left out with the reason.
 * @param broadcasts canonical broadcast addresses of known subnets
 */
export function classifyPairs(
  pairs: readonly ObservedPair[],
  workloads: readonly SuggestionWorkload[],
  broadcasts: ReadonlySet<string>,
): Classified {
  const names: Names = { workloads: new Map(workloads.map((one) => [one.id, one])), broadcasts };
  const name = ({ workload_id, ip }: ObservedEnd) =>
    (workload_id === null ? undefined : names.workloads.get(workload_id)?.name) ?? ip;
  const find = createServiceFinder(pairs);
  const served = pairs.map((pair) => find(pair) ?? pair);
  const isDynamic = findDynamicPorts(served.filter((pair): pair is ServedPair => pair.service_port !== null));
  const isScan = findScans(served);
  const talks = new Map<string, Talk>();
  const left: Collected = new Map();
  for (const pair of served) {
    const evaluated = isScan(pair) ? { reason: 'scan' as const } : evaluatePair(pair, names);
    if ('reason' in evaluated) addLeftOut(left, evaluated.reason, pair, name);
    else if (evaluated.talk.service.port !== null && isDynamic(pair as ServedPair)) {
      addLeftOut(left, 'dynamic_ports', pair, name);
    } else addTalk(talks, evaluated.talk, pair);
  }
  const order = [...talks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, talk]) => talk);
  return { talks: order, left_out: [...left.values()].sort(byWeight) };
}
