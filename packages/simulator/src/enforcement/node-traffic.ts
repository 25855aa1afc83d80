import type { FirewallRule } from '../firewall/firewall-rule';
import { addressRange } from './address-range';
import type { CompiledNode } from './compiled-node';
import { firstRule } from './first-rule';
import { evaluateNodeForwarding, toRuleFile } from './forward-traffic';
import { stripPrefixLength } from './host-filter';
import { isInvalid } from './icmp-numbers';
import { aliasText, entriesContain, ruleMatches as iptablesMatches, type MatchContext } from './match-rule';
import { getIcmp, inInterval, isVitalIcmp, ruleMatches as nftablesMatches, toProtocolNumber } from './nftables';
import type { Packet, Verdict } from './packet';
import { getFamily, isBroadcast, isMulticast, isSmurf, standardChain, toRejectVerdict } from './standard-chains';

const TCP = '6';
const UDP = '17';
const accept = (by: Verdict['by']): Verdict => ({ verdict: 'accept', by });
const drop = (by: Verdict['by']): Verdict => ({ verdict: 'drop', by });
const isPortInRanges = (port: number | undefined, ...ranges: readonly (readonly [number, number?])[]) =>
  port !== undefined && ranges.some(([first, last = first]) => first <= port && port <= last);

const toMatchContext = ({ datacenter, sdnSets }: CompiledNode): MatchContext => ({
  datacenter,
  guest: toRuleFile([]),
  sdnSets,
});

/** The network that the node takes for that of the cluster. */
function localNetwork(node: CompiledNode): string | undefined {
  return aliasText('dc/local_network', { guest: undefined, datacenter: node.datacenter }) ?? node.host.networks[0];
}

/** Entries of the set of those who may use the services of the cluster. */
function managementEntries(node: CompiledNode) {
  const local = localNetwork(node);
  return [
    ...(node.datacenter.ipsets.get('management')?.entries ?? []),
    ...(local === undefined ? [] : [{ cidr: local }]),
  ];
}

type Way = Pick<MatchContext, 'listMembers'> & {
  applies: (rule: FirewallRule) => boolean;
  matches: typeof iptablesMatches;
  reject: (packet: Packet) => 'drop' | 'reject';
};

/** Rules of the node, then those of the data center. */
function evaluateRules(
  packet: Packet,
  node: CompiledNode,
  { applies, matches, reject, ...objects }: Way,
): Verdict | undefined {
  for (const [scope, rules] of [
    ['node', node.host.file.rules],
    ['datacenter', node.datacenter.rules],
  ] as const) {
    const hit = firstRule(
      packet,
      { ...toMatchContext(node), ...objects, guest: toRuleFile(rules) },
      { applies, matches },
    );
    if (!hit) continue;
    const { action, place } = hit;
    const verdict = action === 'ACCEPT' ? 'accept' : action === 'REJECT' ? reject(packet) : 'drop';
    return { verdict, by: 'rule', scope, ...place };
  }
  return undefined;
}

function getDefaultPolicy({ direction }: Packet, { datacenter }: CompiledNode): string {
  return String(datacenter.options[`policy_${direction}`] ?? (direction === 'in' ? 'DROP' : 'ACCEPT'));
}

/** What the iptables chains in front of guests drop on the way in holds for the node, too. */
function evaluateFrontChains(packet: Packet, node: CompiledNode): Verdict | undefined {
  const { host, datacenter } = node;
  const source = addressRange(packet.source);
  const blacklist = datacenter.ipsets.get('blacklist');
  if (blacklist && source && entriesContain(blacklist.entries, source, toMatchContext(node))) return drop('blacklist');
  if (host.nosmurfs && isSmurf(packet, host)) return drop('smurf');
  const opens = toProtocolNumber(packet.proto) === TCP && packet.tcpSyn !== false;
  return host.tcpflags && opens && packet.sport === 0 ? drop('tcpflags') : undefined;
}

/** `PVEFW-HOST-IN` and `PVEFW-HOST-OUT`. */
function evaluateIptables(packet: Packet, node: CompiledNode): Verdict {
  const { host } = node;
  const incoming = packet.direction === 'in';
  const [protocol, { dport }] = [toProtocolNumber(packet.proto), packet];
  if (isInvalid(packet)) return drop('invalid');
  const icmp = getIcmp(packet);
  const discovery = incoming ? [133, 134, 135, 136] : [133, 135, 136];
  if (host.ndp && icmp?.family === 6 && discovery.includes(icmp.type ?? 0)) return accept('ndp');
  const front = incoming ? evaluateFrontChains(packet, node) : undefined;
  if (front) return front;
  if (protocol === '2') return accept('igmp');
  // Answers to what the node itself sends need not pass a bridge: they arrive, whatever the protocol is.
  const answered: Packet = { ...packet, direction: 'in' };
  const reject = () => toRejectVerdict(answered, host);
  const applies = (rule: FirewallRule) => rule.enable === 1 && rule.errors === undefined && rule.iface === undefined;
  const listMembers = (rule: FirewallRule) => node.groups?.listMembers(rule, packet.direction, getFamily(packet)) ?? [];
  const hit = evaluateRules(packet, node, { applies, matches: iptablesMatches, reject, listMembers });
  if (hit) return hit;
  const far = incoming ? packet.source : packet.dest;
  const service = isPortInRanges(
    dport,
    [8006],
    [5900, 5999],
    [3128],
    [22],
    ...(incoming ? [[60000, 60050] as const] : []),
  );
  if (protocol === TCP && service) {
    const local = localNetwork(node);
    const entries = incoming ? managementEntries(node) : local === undefined ? [] : [{ cidr: local }];
    const range = addressRange(far);
    if (range && entriesContain(entries, range, toMatchContext(node))) return accept('management');
  }
  const link = host.networks[0] === undefined ? undefined : stripPrefixLength(host.networks[0]);
  const near = incoming ? packet.dest : packet.source;
  if (protocol === UDP && isPortInRanges(dport, [5404, 5405]) && near === link && host.peers.includes(far)) {
    return accept('corosync');
  }
  const policy = getDefaultPolicy(packet, node);
  if (policy === 'ACCEPT') return { verdict: 'accept', by: 'policy' };
  const standard = standardChain(policy === 'REJECT' ? 'REJECT' : 'DROP', answered, host);
  if (standard) return { verdict: standard, by: 'standard' };
  return { verdict: policy === 'REJECT' ? reject() : 'drop', by: 'policy' };
}

const HELPERS: Readonly<Record<string, readonly [protocol: string, port: number]>> = {
  amanda: [UDP, 10080],
  ftp: [TCP, 21],
  irc: [TCP, 6667],
  'netbios-ns': [UDP, 137],
  pptp: [TCP, 1723],
  sane: [TCP, 6566],
  sip: [UDP, 5060],
  snmp: [UDP, 161],
  tftp: [UDP, 69],
};

/** `do-reject`: an answer to everything but what no host may answer. */
function toNftablesReject(packet: Packet, { host }: CompiledNode): 'drop' | 'reject' {
  const icmp = getIcmp(packet);
  const error = icmp && (icmp.family === 4 ? [3, 4, 5, 11, 12].includes(icmp.type ?? 8) : (icmp.type ?? 128) < 128);
  const unspecified = packet.source === '0.0.0.0' || packet.source === '::';
  const many = isBroadcast(packet.dest, host) || isMulticast(packet.dest) || isMulticast(packet.source);
  return error || unspecified || many ? 'drop' : 'reject';
}

/** `default-in` behind connection tracking, and `ct-in`. */
function evaluateServices(packet: Packet, node: CompiledNode): Verdict | undefined {
  const [protocol, { sport, dport }] = [toProtocolNumber(packet.proto), packet];
  if (protocol === '2') return accept('igmp');
  if (protocol === TCP && isPortInRanges(dport, [8006], [5900, 5999], [3128], [22])) {
    const objects = toMatchContext(node);
    if (inInterval(managementEntries(node), addressRange(packet.source), objects)) return accept('management');
  }
  if (protocol === UDP && isPortInRanges(dport, [5405, 5412])) return accept('corosync');
  const noise =
    protocol === UDP
      ? isPortInRanges(dport, [135], [137, 139], [445]) || (sport === 137 && isPortInRanges(dport, [1024, 65535]))
      : protocol === TCP && isPortInRanges(dport, [135], [139], [445]);
  if (noise) return { verdict: toNftablesReject(packet, node), by: 'standard' };
  if (protocol === UDP && (dport === 1900 || sport === 53)) return drop('standard');
  const helped = node.host.helpers.some((name) => {
    const [own, port] = HELPERS[name] ?? [];
    return own === protocol && port === dport;
  });
  return helped && !isInvalid(packet) ? accept('helper') : undefined;
}

/** `option-in` and `option-out`. */
function evaluateOptions(packet: Packet, { host }: CompiledNode): Verdict | undefined {
  const incoming = packet.direction === 'in';
  const icmp = getIcmp(packet);
  const discovery = incoming ? [133, 134, 135, 136, 137] : [133, 135, 136];
  if (icmp?.family === 6 && discovery.includes(icmp.type ?? 0)) return host.ndp ? accept('ndp') : drop('ndp');
  if (!incoming) return undefined;
  const opens = toProtocolNumber(packet.proto) === TCP && packet.tcpSyn !== false;
  // Behind the limit the chain drops the rest, too.
  if (host.synflood && opens) return drop('synflood');
  if (host.tcpflags && opens && packet.sport === 0) return drop('tcpflags');
  const smurf = getFamily(packet) === 4 && packet.source !== '0.0.0.0';
  return host.nosmurfs && smurf && (isBroadcast(packet.dest, host) || isMulticast(packet.source))
    ? drop('smurf')
    : undefined;
}

/** Chains `input` and `output` of the table of the node. */
function hostTable(packet: Packet, node: CompiledNode): Verdict {
  if (isVitalIcmp(packet)) return accept('icmp');
  if (isInvalid(packet) && !node.host.allowInvalid) return drop('invalid');
  const early =
    (packet.direction === 'in' ? evaluateServices(packet, node) : undefined) ?? evaluateOptions(packet, node);
  if (early) return early;
  const reject = () => toNftablesReject(packet, node);
  const applies = (rule: FirewallRule) => rule.enable === 1 && rule.iface === undefined;
  const hit = evaluateRules(packet, node, { applies, matches: nftablesMatches, reject });
  if (hit) return hit;
  const policy = getDefaultPolicy(packet, node);
  return { verdict: policy === 'ACCEPT' ? 'accept' : policy === 'REJECT' ? reject() : 'drop', by: 'policy' };
}

/** The decision about a packet of the node itself that starts a new connection. Its rules name no interface here. */
export function evaluateNodePacket(packet: Packet, node: CompiledNode): Verdict {
  if (!node.host.enabled) return { verdict: 'accept', by: 'not-enforced' };
  if (node.implementation === 'iptables') return evaluateIptables(packet, node);
  const own = hostTable(packet, node);
  const around = evaluateNodeForwarding(packet, node);
  const [first, second] = packet.direction === 'in' ? [around, own] : [own, around];
  if (first.verdict !== 'accept') return first;
  return second.verdict === 'accept' ? own : second;
}
