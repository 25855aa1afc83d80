import type { LiveCluster, LiveRule } from './live-state';
import { and, bits, formatCachedIp, inSet, or, type Sight, type Tri, tri } from './oracle-addresses.fixture';
import { combineInSeries, isInvalid, possibleNodeCrossings } from './oracle-forward.fixture';
import { matchNftables, type Outcome } from './oracle-rules.fixture';
import type { Packet } from './packet';

const is = (value: number | undefined, ...expected: number[]): Tri =>
  value === undefined ? '?' : tri(expected.includes(value));
const within = (value: number | undefined, low: number, high: number): Tri =>
  value === undefined ? '?' : tri(low <= value && value <= high);

const HELPER_PORTS: Record<string, string> = {
  amanda: '17 10080',
  ftp: '6 21',
  irc: '6 6667',
  'netbios-ns': '17 137',
  pptp: '6 1723',
  sane: '6 6566',
  sip: '17 5060',
  snmp: '17 161',
  tftp: '17 69',
};

/** A literal reading of the host table of a node with nftables, and of the VNets in between. For tests only. */
export function possibleNftablesOutcomes(cluster: LiveCluster, name: string, packet: Packet): Set<Outcome> {
  const own = hostTable(cluster, name, packet);
  const between = possibleNodeCrossings(cluster, cluster.nodes?.[name] ?? null, packet);
  return packet.direction === 'in' ? combineInSeries(between, own) : combineInSeries(own, between);
}

function hostTable(cluster: LiveCluster, name: string, packet: Packet): Set<Outcome> {
  const node = cluster.nodes?.[name] ?? null;
  const v6 = packet.source.family === 6;
  const incoming = packet.direction === 'in';
  const [source, destination] = [formatCachedIp(packet.source), formatCachedIp(packet.destination)];
  const { source_port: sport, destination_port: dport, icmp_type: type, protocol } = packet;
  const [tcp, udp, icmp] = [tri(protocol === 6), tri(protocol === 17), tri(protocol === (v6 ? 58 : 1))];
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
  const isBroadcast = (): Tri => {
    if (v6) return 'n';
    if (['255.255.255.255', '0.0.0.0'].includes(destination)) return 'y';
    if (!node?.networks) return destination.endsWith('.255') ? '?' : 'n';
    return tri(
      node.networks.some((network) => {
        const [at = '', length = '32'] = network.split('/');
        const last = bits(at)?.slice(0, Number(length)).padEnd(32, '1');
        return !at.includes(':') && Number(length) < 31 && bits(destination) === last;
      }),
    );
  };
  const broadcast = isBroadcast();
  const error = icmp === 'y' && type !== undefined && (v6 ? type < 128 : [3, 4, 5, 11, 12].includes(type));
  const nowhere = ['0.0.0.0', '::'].includes(source);
  const silent = or(tri(multicast(source) || multicast(destination) || nowhere || error), broadcast);
  const rejected: Outcome[] = silent === 'y' ? ['drop'] : silent === '?' ? ['drop', 'reject'] : ['reject'];
  const outcomes: Record<string, Outcome[]> = { ACCEPT: ['accept'], DROP: ['drop'], REJECT: rejected };

  step(and(icmp, v6 ? is(type, 1, 2, 3, 4) : is(type, 3, 4, 11)), 'accept');
  const invalid = isInvalid(packet);
  step(and(invalid, option('nf_conntrack_allow_invalid', 0, 0), option('enable', 1, 1)), 'drop');
  if (incoming) {
    step(tri(protocol === 2), 'accept');
    const service = or(is(dport, 8006, 3128, 22), within(dport, 5900, 5999));
    step(and(tcp, service, isManaged(cluster, name, source, true, true)), 'accept');
    step(and(udp, within(dport, 5405, 5412)), 'accept');
    step(and(udp, is(dport, 135, 137, 138, 139, 445)), ...rejected);
    step(and(udp, is(sport, 137), within(dport, 1024, 65535)), ...rejected);
    step(and(tcp, is(dport, 135, 139, 445)), ...rejected);
    step(and(udp, is(dport, 1900)), 'drop');
    step(and(udp, is(sport, 53)), 'drop');
    const stored = node?.options ? String(node.options.nf_conntrack_helpers ?? '') : null;
    for (const [helper, text] of Object.entries(HELPER_PORTS)) {
      const [number, port] = text.split(' ').map(Number);
      const on = stored === null ? '?' : tri(stored.split(',').includes(helper));
      step(and(on, tri(protocol === number), is(dport, port ?? 0), tri(packet.state !== 'invalid')), 'accept');
    }
  }
  const ndp = and(icmp, tri(v6), is(type, 133, 135, 136, ...(incoming ? [134, 137] : [])));
  const allowed = option('ndp', 1, 1);
  step(
    ndp,
    ...(allowed === 'y' ? ['accept' as const] : allowed === 'n' ? ['drop' as const] : (['accept', 'drop'] as const)),
  );
  if (incoming) {
    const syn = and(tcp, tri(packet.tcp_syn !== false));
    step(and(syn, option('protection_synflood', 1, 0)), 'drop');
    const odd = or(and(syn, tri(sport === 0)), packet.state === 'invalid' ? '?' : 'n');
    step(and(tcp, odd, option('tcpflags', 1, 0)), 'drop');
    const smurf = and(tri(!v6 && source !== '0.0.0.0'), or(tri(multicast(source)), broadcast));
    step(and(smurf, option('nosmurfs', 1, 1)), 'drop');
  }

  const sight: Sight = { cluster, guest: null, nft: true };
  const walkRules = (rules: readonly LiveRule[] | null, named: Tri) => {
    if (!rules) step('?', 'unknown');
    for (const rule of rules ?? []) {
      const errors = Object.values(rule.errors ?? {});
      if (rule.enable !== 1 || (rule.errors && errors.every((text) => text.startsWith('no such')))) continue;
      const there = and(named, rule.iface || rule.errors ? '?' : 'y');
      if (rule.type === 'group') {
        walkRules(cluster.groups ? (cluster.groups[rule.action] ?? []) : null, there);
      } else if (rule.type === packet.direction) {
        for (const answer of matchNftables(rule, packet, sight)) {
          step(and(there, answer), ...(outcomes[rule.action] ?? []));
        }
      }
    }
  };
  walkRules(node?.rules ?? null, 'y');
  walkRules(cluster.rules ?? null, 'y');

  if (over) return result;
  if (!cluster.options) return result.add('unknown').add('drop');
  const policy = String(cluster.options[incoming ? 'policy_in' : 'policy_out'] ?? (incoming ? 'DROP' : 'ACCEPT'));
  step('y', ...(outcomes[policy] ?? []));
  return result;
}

/** Whether the address is in the management network. */
export function isManaged(cluster: LiveCluster, name: string, far: string, incoming: boolean, nft = false): Tri {
  if (incoming && !cluster.ipsets) return '?';
  const sight: Sight = { cluster, guest: null, nft };
  const stored = incoming ? (cluster.ipsets?.management ?? []) : [];
  const alias = cluster.aliases?.local_network;
  const networks = cluster.nodes?.[name]?.networks;
  const near = alias ? [alias] : cluster.aliases && networks ? networks : null;
  if (!near) return inSet(stored, far, sight) === 'y' ? 'y' : '?';
  const answers = (near.length > 0 ? near : ['127.0.0.0/8']).map((cidr) => inSet([...stored, { cidr }], far, sight));
  return answers.every((answer) => answer === answers[0]) ? (answers[0] ?? '?') : '?';
}
