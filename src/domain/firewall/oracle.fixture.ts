import type { LiveNic, LiveRule, LiveState } from './live-state';
import { and, bits, formatCachedIp, inSet, or, type Sight, type Tri, tri } from './oracle-addresses.fixture';
import { combineInSeries, possibleGuestCrossings } from './oracle-forward.fixture';
import { either, isDeadly, matchIptables, matchNftables, type Outcome } from './oracle-rules.fixture';
import type { Packet } from './packet';

/**
 * A second, slow and literal reading of the packet filter, for tests only: it works on texts and bit strings and shares
 * nothing with the evaluator but the types.
 */
const OPENS = { 4: [8, 13, 15, 17], 6: [128, 139] };
/** Of neighbor discovery and multicast listeners; connection tracking leaves them alone. */
const UNTRACKED = [130, 131, 132, 133, 134, 135, 136, 143];

type Case = { nft: boolean; cluster: boolean; flag: boolean; guest: boolean };

/** Every verdict that is possible, given what is not known; one element when the verdict is certain. */
export function possibleVerdicts(state: LiveState, nic: LiveNic, packet: Packet): Set<Outcome> {
  const { node } = state;
  const nftables = node?.options
    ? Number(node.options.nftables ?? 0) === 1
    : node?.implementation
      ? node.implementation === 'nftables'
      : null;
  const result = new Set<Outcome>();
  const enabled = state.guest.options && state.guest.options.enable === 1;
  for (const nft of either(nftables)) {
    for (const cluster of either(state.cluster.firewall_enabled)) {
      for (const flag of either(nic.firewall)) {
        for (const guest of either(enabled)) {
          const own = walk({ nft, cluster, flag, guest }, state, nic, packet);
          for (const outcome of nft && cluster ? across(own, state, nic, packet) : own) result.add(outcome);
        }
      }
    }
  }
  return result;
}

/** The guest's own filter together with what is between the interface and the other end. */
function across(own: Set<Outcome>, { cluster, node }: LiveState, nic: LiveNic, packet: Packet): Set<Outcome> {
  const between = possibleGuestCrossings(cluster, node, nic, packet);
  return packet.direction === 'in' ? combineInSeries(between, own) : combineInSeries(own, between);
}

function walk({ nft, cluster, flag, guest }: Case, state: LiveState, nic: LiveNic, packet: Packet): Set<Outcome> {
  const options = state.guest.options;
  const node = state.node?.options ?? null;
  const v6 = packet.source.family === 6;
  const [source, destination] = [formatCachedIp(packet.source), formatCachedIp(packet.destination)];
  const incoming = packet.direction === 'in';
  const { source_port: sport, destination_port: dport, icmp_type: type, icmp_code: code } = packet;
  const isIcmp = packet.protocol === (v6 ? 58 : 1);
  const sight: Sight = { cluster: state.cluster, guest: state.guest, nft };
  const is = (value: number | undefined, ...expected: number[]): Tri =>
    value === undefined ? '?' : tri(expected.includes(value));
  const not = (answer: Tri): Tri => (answer === '?' ? '?' : tri(answer === 'n'));
  const option = (name: string, value: number, otherwise: number): Tri =>
    node ? tri(Number(node[name] ?? otherwise) === value) : '?';
  const udp = tri(packet.protocol === 17);
  const tcp = tri(packet.protocol === 6);

  const multicast = (text: string) => !v6 && /^2(2[4-9]|3\d)\./.test(text);
  const nodeBroadcast = (text: string): Tri => {
    if (v6) return 'n';
    if (text === '255.255.255.255') return 'y';
    const networks = state.node?.networks;
    if (!networks) return text.endsWith('.255') ? '?' : 'n';
    return tri(
      networks.some((network) => {
        const [own = '', length = '32'] = network.split('/');
        const net = bits(own)?.slice(0, Number(length));
        return net !== undefined && Number(length) < 31 && bits(text) === net.padEnd(32, '1') && !own.includes(':');
      }),
    );
  };
  const broadcast: Tri = v6 || destination !== '0.0.0.0' ? nodeBroadcast(destination) : 'y';
  const toMany = v6 ? tri(destination.startsWith('ff')) : or(tri(multicast(destination)), broadcast);
  const outcomesOfReject: Outcome[] =
    (incoming ? nft || isIcmp || multicast(source) || broadcast === 'y' : packet.protocol !== 6) ||
    (packet.protocol !== 6 && (v6 ? destination.startsWith('ff') : multicast(destination))) ||
    (!incoming && (multicast(source) || broadcast === 'y'))
      ? ['drop']
      : broadcast === '?'
        ? ['drop', 'reject']
        : ['reject'];

  const result = new Set<Outcome>();
  let over = false;
  const step = (answer: Tri, ...outcomes: Outcome[]) => {
    if (over || answer === 'n') return;
    for (const outcome of outcomes) result.add(outcome);
    over = answer === 'y';
  };
  const known = packet.state === 'established' || packet.state === 'related';
  if (!cluster || known || (nft && !(flag && guest))) return new Set(['accept']);

  const anyIcmp = packet.protocol === 1 || packet.protocol === 58;
  let invalid: Tri = tri(packet.state === 'invalid');
  if (invalid === 'n' && anyIcmp) {
    const fine = [...OPENS[v6 ? 6 : 4], ...(v6 ? UNTRACKED : [])];
    invalid = isIcmp ? not(is(type, ...fine)) : 'y';
  }
  const vital = and(tri(nft && isIcmp), v6 ? is(type, 1, 2, 3, 4) : is(type, 3, 4, 11));
  step(vital, 'accept');
  let drops = option('nf_conntrack_allow_invalid', 0, 0);
  if (nft) drops = and(drops, option('enable', 1, 1));
  step(and(invalid, drops), 'drop');
  if (!flag) step('y', 'accept');
  if (incoming && !nft) {
    if (state.cluster.ipsets === null) step('?', 'drop');
    const list = state.cluster.ipsets?.blacklist;
    if (list) step(inSet(list, source, { ...sight, guest: null, nft: false }), 'drop');
    step(and(option('nosmurfs', 1, 1), or(tri(multicast(source)), nodeBroadcast(source))), 'drop');
    const odd = or(tri(sport === 0 && packet.tcp_syn !== false), packet.state === 'invalid' ? '?' : 'n');
    step(and(tcp, option('tcpflags', 1, 0), odd), 'drop');
  }
  if (!guest) step('y', 'accept');
  if (over) return result;
  if (!options) return result.add('unknown');
  const accepted: Outcome = options.ips === 1 && incoming && !nft ? 'unknown' : 'accept';

  const isDead = (group: string) =>
    !nft && (state.cluster.groups?.[group] ?? []).some((member) => isDeadly(member, v6, state.cluster));
  const uses = ({ enable, errors, iface, type: kind, action }: LiveRule) =>
    enable === 1 && !errors && kind === 'group' && (!iface || iface <= nic.name) && isDead(action);
  // Its chains may not be where packets are, and of the group they have some part or none.
  if (state.guest.rules?.some(uses)) step('?', 'accept');

  const own = state.guest.ipsets?.[`ipfilter-${nic.name}`];
  const statics = (nic.static_addresses ?? []).map((text) => ({ cidr: text.replace(/\/.*/, '') }));
  // Only the address that the tests' MAC 02:00:00:00:00:01 implies is link-local and allowed.
  const implied = [{ cidr: 'fe80::ff:fe00:1' }, ...(nft ? [] : [{ cidr: 'fe80::/10', nomatch: 1 }]), ...statics];
  const filtered = options.ipfilter === 1 || (own !== undefined && !nft);
  const allowed = nft && own ? own : [...(own ?? []), ...implied];
  const filterAddress = () => {
    if (!incoming && filtered) step(not(inSet(allowed, source, sight)), 'drop');
  };
  const filterMac = () => {
    if (!incoming && options.macfilter !== 0 && packet.source_mac) step(tri(packet.source_mac !== nic.mac), 'drop');
  };
  const icmp6 = tri(v6 && isIcmp);
  if (nft) {
    filterAddress();
    filterMac();
    const [one, two, three, four] = incoming ? [67, 68, 547, 546] : [68, 67, 546, 547];
    const dhcp = or(and(is(sport, one), is(dport, two)), and(is(sport, three), is(dport, four)));
    step(and(udp, dhcp), options.dhcp === 0 ? 'drop' : 'accept');
    const types = incoming ? [133, 134, 135, 136, 137] : [133, 135, 136];
    step(and(icmp6, is(type, ...types)), options.ndp === 0 ? 'drop' : 'accept');
    if (!incoming) step(and(icmp6, is(type, 134, 137)), options.radv === 1 ? 'accept' : 'drop');
  } else {
    const [client, server] = v6 ? [546, 547] : [68, 67];
    if (options.dhcp !== 0) {
      step(and(udp, is(sport, incoming ? server : client), is(dport, incoming ? client : server)), accepted);
    }
    filterMac();
    if (!incoming && options.radv !== 1) step(and(icmp6, is(type, 134)), 'drop');
    filterAddress();
    const types = [133, 135, 136, ...(incoming || options.radv === 1 ? [134] : [])];
    if (options.ndp !== 0) step(and(icmp6, is(type, ...types)), accepted);
  }
  const outcome: Record<string, Outcome[]> = { ACCEPT: [accepted], DROP: ['drop'], REJECT: outcomesOfReject };
  const match = nft ? matchNftables : matchIptables;
  const walkRules = (rules: readonly LiveRule[], seen: Sight) => {
    for (const rule of rules) {
      if (rule.enable !== 1 || (rule.iface && rule.iface !== nic.name)) continue;
      const gone = Object.values(rule.errors ?? {}).every((text) => text.startsWith('no such'));
      if (rule.errors && (!nft || gone)) continue;
      const present: Tri = rule.errors ? '?' : 'y';
      if (rule.type === 'group') {
        if (!state.cluster.groups || isDead(rule.action)) step('?', 'unknown');
        else walkRules(state.cluster.groups[rule.action] ?? [], { ...seen, guest: null });
      } else if (rule.type === packet.direction) {
        for (const answer of match(rule, packet, seen)) step(and(present, answer), ...(outcome[rule.action] ?? []));
      }
    }
  };
  if (state.guest.rules) walkRules(state.guest.rules, sight);
  else step('?', 'unknown');

  const policy = incoming ? (options.policy_in ?? 'DROP') : (options.policy_out ?? 'ACCEPT');
  if (policy !== 'ACCEPT' && !nft) {
    const noise: Outcome[] = policy === 'DROP' ? ['drop'] : outcomesOfReject;
    if (v6) step(and(tcp, is(dport, 43)), ...outcomesOfReject);
    step(toMany, 'drop');
    const critical = v6 ? is(type, 1, 2, 3) : or(and(is(type, 3), is(code, 4)), is(type, 11));
    // Critical ICMP outside of a connection is invalid, so all of it is gone where invalid packets are.
    if (drops !== 'y') step(and(tri(isIcmp), critical), accepted);
    if (drops !== 'y') step(invalid, 'drop');
    step(and(udp, or(is(dport, 135, 445, 137, 138, 139), and(is(sport, 137), tri((dport ?? 0) >= 1024)))), ...noise);
    step(and(tcp, is(dport, 135, 139, 445)), ...noise);
    step(and(udp, is(dport, 1900)), 'drop');
    step(and(tcp, tri(packet.tcp_syn === false)), 'drop');
    step(and(udp, is(sport, 53)), 'drop');
  }
  step('y', ...(outcome[policy] ?? []));
  return result;
}
