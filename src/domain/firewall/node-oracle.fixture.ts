import { formatIp } from '../net/ip-address';
import type { LiveCluster, LiveRule } from './live-state';
import { isManaged, possibleNftablesOutcomes } from './node-nftables-oracle.fixture';
import { and, bits, inSet, or, type Sight, type Tri, tri } from './oracle-addresses.fixture';
import { either, isDeadly, matchIptables, type Outcome } from './oracle-rules.fixture';
import type { Packet } from './packet';

const not = (answer: Tri): Tri => (answer === '?' ? '?' : tri(answer === 'n'));
const is = (value: number | undefined, ...expected: number[]): Tri =>
  value === undefined ? '?' : tri(expected.includes(value));
const within = (value: number | undefined, low: number, high: number): Tri =>
  value === undefined ? '?' : tri(low <= value && value <= high);

/**
 * A second, literal reading of what a node does with its own traffic: every verdict that is possible. For tests
 * only. ICMP of the wrong family and TCP flags are as in the oracle of guests.
 */
export function possibleNodeVerdicts(cluster: LiveCluster, name: string, packet: Packet): Set<Outcome> {
  const node = cluster.nodes?.[name] ?? null;
  const options = node?.options ?? null;
  if (cluster.firewall_enabled === false || packet.state === 'established' || packet.state === 'related') {
    return new Set(['accept']);
  }
  if (options?.enable === 0) return new Set(['accept']);
  const nftables = options ? options.nftables === 1 : node?.implementation ? node.implementation === 'nftables' : null;
  const found = new Set<Outcome>();
  for (const nft of either(nftables)) {
    for (const outcome of nft ? possibleNftablesOutcomes(cluster, name, packet) : walk(cluster, name, packet))
      found.add(outcome);
  }
  return options && cluster.firewall_enabled ? found : found.add('accept');
}

function walk(cluster: LiveCluster, name: string, packet: Packet): Set<Outcome> {
  const node = cluster.nodes?.[name] ?? null;
  const v6 = packet.source.family === 6;
  const incoming = packet.direction === 'in';
  const [source, destination] = [formatIp(packet.source), formatIp(packet.destination)];
  const far = incoming ? source : destination;
  const { source_port: sport, destination_port: dport, icmp_type: type, protocol } = packet;
  const [tcp, udp] = [tri(protocol === 6), tri(protocol === 17)];
  const isIcmp = protocol === (v6 ? 58 : 1);
  const sight: Sight = { cluster, guest: null, nft: false };
  const option = (key: string, value: number, otherwise: number): Tri =>
    node?.options ? tri(Number(node.options[key] ?? otherwise) === value) : '?';

  const result = new Set<Outcome>();
  let over = false;
  const step = (answer: Tri, ...outcomes: Outcome[]) => {
    if (over || answer === 'n') return;
    for (const outcome of outcomes) result.add(outcome);
    over = answer === 'y';
  };

  const multicast = (text: string) => (v6 ? text.startsWith('ff') : /^2(2[4-9]|3\d)\./.test(text));
  const isBroadcast = (text: string): Tri => {
    if (v6) return 'n';
    if (text === '255.255.255.255') return 'y';
    if (!node?.networks) return text.endsWith('.255') ? '?' : 'n';
    return tri(
      node.networks.some((network) => {
        const [own = '', length = '32'] = network.split('/');
        const last = bits(own)?.slice(0, Number(length)).padEnd(32, '1');
        return !own.includes(':') && Number(length) < 31 && bits(text) === last;
      }),
    );
  };
  const broadcast = !v6 && destination === '0.0.0.0' ? 'y' : isBroadcast(destination);
  const toGroup = protocol !== 6 && multicast(destination);
  const silent = or(tri(isIcmp || toGroup || (!v6 && multicast(source))), broadcast);
  const rejected: Outcome[] = silent === 'y' ? ['drop'] : silent === '?' ? ['drop', 'reject'] : ['reject'];
  const outcomes: Record<string, Outcome[]> = { ACCEPT: ['accept'], DROP: ['drop'], REJECT: rejected };

  let invalid: Tri = tri(packet.state === 'invalid');
  if (invalid === 'n' && isIcmp) {
    const fine = v6 ? [128, 139, 130, 131, 132, 133, 134, 135, 136, 143] : [8, 13, 15, 17];
    invalid = not(is(type, ...fine));
  } else if (invalid === 'n' && (protocol === 1 || protocol === 58)) invalid = 'y';
  step(invalid, 'drop');
  const ndp = is(type, 133, 135, 136, ...(incoming ? [134] : []));
  step(and(tri(v6 && isIcmp), option('ndp', 1, 1), ndp), 'accept');
  if (incoming) {
    if (!cluster.ipsets) step('?', 'drop');
    else if (cluster.ipsets.blacklist) step(inSet(cluster.ipsets.blacklist, source, sight), 'drop');
    const smurf = or(tri(!v6 && multicast(source)), isBroadcast(source));
    step(and(option('nosmurfs', 1, 1), smurf), 'drop');
    step(and(tcp, option('tcpflags', 1, 0), tri(sport === 0 && packet.tcp_syn !== false)), 'drop');
  }
  step(tri(protocol === 2), 'accept');

  const walkRules = (rules: readonly LiveRule[] | null, named: Tri) => {
    if (!rules) step('?', 'unknown');
    for (const rule of rules ?? []) {
      if (rule.enable !== 1 || rule.errors) continue;
      const there = and(named, rule.iface ? '?' : 'y');
      if (rule.type === 'group') {
        const members = cluster.groups?.[rule.action] ?? [];
        if (!cluster.groups || members.some((member) => isDeadly(member, v6, cluster))) step('?', 'unknown');
        else walkRules(cluster.groups[rule.action] ?? [], there);
      } else if (rule.type === packet.direction) {
        for (const answer of matchIptables(rule, packet, sight)) {
          step(and(there, answer), ...(outcomes[rule.action] ?? []));
        }
      }
    }
  };
  walkRules(node?.rules ?? null, 'y');
  walkRules(cluster.rules ?? null, 'y');

  const service = or(
    is(dport, 8006, 3128, 22),
    within(dport, 5900, 5999),
    incoming ? within(dport, 60000, 60050) : 'n',
  );
  step(and(tcp, service, isManaged(cluster, name, far, incoming)), 'accept');
  const others = Object.entries(cluster.nodes ?? {}).filter(([other]) => other !== name);
  const peer =
    !cluster.nodes ||
    others.some(
      ([, { networks }]) => !networks || networks.some((text) => bits(text.split('/')[0] ?? '') === bits(far)),
    );
  step(and(udp, within(dport, 5404, 5405), tri(peer || multicast(destination)), '?'), 'accept');

  if (over) return result;
  if (!cluster.options) return result.add('unknown').add('drop');
  const stored = String(cluster.options[incoming ? 'policy_in' : 'policy_out'] ?? (incoming ? 'DROP' : 'ACCEPT'));
  if (stored !== 'ACCEPT') {
    const noise = stored === 'DROP' ? (['drop'] as const) : rejected;
    if (v6) step(and(tcp, is(dport, 43)), ...rejected);
    step(or(tri(multicast(destination)), broadcast), 'drop');
    step(and(udp, or(is(dport, 135, 445, 137, 138, 139), and(is(sport, 137), within(dport, 1024, 65535)))), ...noise);
    step(and(tcp, is(dport, 135, 139, 445)), ...noise);
    step(and(udp, is(dport, 1900)), 'drop');
    step(and(tcp, tri(packet.tcp_syn === false)), 'drop');
    step(and(udp, is(sport, 53)), 'drop');
  }
  step('y', ...(outcomes[stored] ?? []));
  return result;
}
