import type { IpAddress } from '../net/ip-address';
import { type AddressSet, addressSet, addressSetHas, parseSpan, UNKNOWN_ADDRESSES } from './address-set';
import { compileChain } from './compile-chain';
import type { CompiledRule } from './compiled-rule';
import { compileDoubt } from './enforcement';
import { type DefaultPolicy, defaultPolicy } from './guest-options';
import { type FilterImplementation, findLiveNode, type LiveCluster, type LiveNode, type LiveRule } from './live-state';
import { effectiveNodeOptions, possibleImplementations } from './node-options';
import { type PreparedFilter, resolveBlacklist } from './prepare-guest';
import { prepareNode } from './prepare-node';
import { aliasValue, type Scopes, setAddresses } from './resolve-address';
import { buildRuleIndex, type RuleIndex } from './rule-index';
import { type NodeCrossings, nodeCrossings } from './vnet-crossing';

type Answer = 'yes' | 'no' | 'unknown';

/** The filter of a node's own traffic as one implementation makes it. Null: could not be read. */
export type PreparedNodeChain = Pick<PreparedFilter, 'implementation' | 'node' | 'blacklist'> & {
  readonly ndp: boolean | null;
  readonly synflood: boolean | null;
  /** Names of the helpers of connection tracking that are switched on. */
  readonly helpers: readonly string[] | null;
  readonly policies: { readonly in: DefaultPolicy; readonly out: DefaultPolicy } | null;
  readonly index: (direction: 'in' | 'out', family: 4 | 6) => RuleIndex;
  /** Whether the rule is limited to an interface of the node. */
  readonly with_interface: (rule: CompiledRule) => boolean;
  /** Whether the standard services of the cluster are open to the address, or on the way out at it. */
  readonly managed: (direction: 'in' | 'out', ip: IpAddress) => Answer;
  /** The sets of addresses that `managed` looks at; which one applies is not known where there are several. */
  readonly management: Readonly<Record<'in' | 'out', readonly AddressSet[]>>;
  /** Whether the address may be that of another node on a link of the cluster's own communication. */
  readonly may_be_peer: (ip: IpAddress) => boolean;
  /** Known addresses of other nodes; null: every address may be one. */
  readonly peers: AddressSet | null;
  /** VNets that the packet passes on its way between the node and the address. */
  readonly crossings: NodeCrossings | null;
};

/** The filter of a node's own traffic, ready for `evaluateNode`. Null: could not be read. */
export type PreparedNodeFilter = {
  readonly cluster_enabled: boolean | null;
  readonly node_enabled: boolean | null;
  readonly compile_doubt: ReturnType<typeof compileDoubt>;
  /** One filter, or one per implementation when it is unknown which of them filters. */
  readonly chains: readonly [PreparedNodeChain, ...PreparedNodeChain[]];
};

function getDefaultPolicies({ options }: LiveCluster): PreparedNodeChain['policies'] {
  if (!options) return null;
  return { in: defaultPolicy(options.policy_in, 'DROP'), out: defaultPolicy(options.policy_out, 'ACCEPT') };
}

const LOOPBACK = '127.0.0.0/8';

/**
 * The network of the cluster: the alias `local_network`, else the node's network that the address of its host name is in.
 * Which one that is was not read, so each of them may be it; link-local ones are none. Null: not known at all.
 */
function localNetworks(cluster: LiveCluster, node: LiveNode | null, scopes: Scopes): readonly string[] | null {
  if (!cluster.aliases) return null;
  const alias = aliasValue('dc/local_network', scopes);
  if (alias !== null) return [alias];
  if (!node?.networks) return null;
  const own = node.networks.filter((text) => !/^fe[89ab]/i.test(text));
  return own.length > 0 ? own : [LOOPBACK];
}

/** Who is let in to the standard services, and where the node may go to them. */
function resolveManagement(
  cluster: LiveCluster,
  node: LiveNode | null,
  scopes: Scopes,
): PreparedNodeChain['management'] {
  const { ipsets } = cluster;
  const local = localNetworks(cluster, node, scopes);
  const stored = ipsets && Object.hasOwn(ipsets, 'management') ? (ipsets.management ?? []) : [];
  const sources = !ipsets
    ? [UNKNOWN_ADDRESSES]
    : (local?.map((cidr) => setAddresses([...stored, { cidr }], scopes)) ?? [setAddresses(stored, scopes, 'unknown')]);
  return { in: sources, out: local?.map((cidr) => setAddresses([{ cidr }], scopes)) ?? [UNKNOWN_ADDRESSES] };
}

function isManaged(sets: readonly AddressSet[], ip: IpAddress): Answer {
  const answers = sets.map((set) => addressSetHas(set, ip));
  const [first = 'unknown'] = answers;
  return answers.every((answer) => answer === first) ? first : 'unknown';
}

function resolvePeers(cluster: LiveCluster, name: string): AddressSet | null {
  if (!cluster.nodes) return null;
  const others = Object.entries(cluster.nodes).filter(([other]) => other !== name);
  const networks = others.map(([, other]) => other.networks);
  if (networks.includes(null)) return null;
  const hosts = networks.flatMap((list) => list ?? []).flatMap((text) => parseSpan(text.split('/')[0] ?? text) ?? []);
  return addressSet(hosts, 'no');
}

function prepareChain(cluster: LiveCluster, name: string, implementation: FilterImplementation): PreparedNodeChain {
  const node = findLiveNode(cluster, name);
  const options = node?.options ? effectiveNodeOptions(node.options) : null;
  const scopes: Scopes = { cluster, guest: null, implementation };
  const management = resolveManagement(cluster, node, scopes);
  const peers = resolvePeers(cluster, name);
  const limited = new Set<CompiledRule>();
  const compile = (
    rules: readonly LiveRule[] | null,
    scope: 'node' | 'datacenter',
    direction: 'in' | 'out',
    family: 4 | 6,
  ) => {
    const positions = new Set(rules?.filter(({ iface }) => iface).map(({ pos }) => pos));
    const view = { direction, family, scopes, groups: cluster.groups, hasInterface: () => true, origin: { scope } };
    return compileChain(rules, view).map((rule) => {
      if (!positions.has(rule.place.position)) return rule;
      const compiled = { ...rule, vague: true };
      limited.add(compiled);
      return compiled;
    });
  };
  const indexes = new Map<string, RuleIndex>();
  return {
    implementation,
    ndp: options?.ndp ?? null,
    synflood: options?.synflood ?? null,
    helpers: options?.conntrack_helpers ?? null,
    policies: getDefaultPolicies(cluster),
    node: prepareNode(node, implementation),
    blacklist: resolveBlacklist(cluster),
    index(direction, family) {
      const key = direction + family;
      const own = () => compile(node?.rules ?? null, 'node', direction, family);
      const shared = () => compile(cluster.rules ?? null, 'datacenter', direction, family);
      const known = indexes.get(key) ?? buildRuleIndex([...own(), ...shared()], family);
      indexes.set(key, known);
      return known;
    },
    with_interface: (rule) => limited.has(rule),
    management,
    managed: (direction, ip) => isManaged(management[direction], ip),
    peers,
    may_be_peer: (ip) => !peers || addressSetHas(peers, ip) === 'yes',
    crossings: implementation === 'nftables' ? nodeCrossings(cluster, node) : null,
  };
}

/** Compiles what was read about a node for the traffic of the node itself. @param name of the node in `cluster.nodes` */
export function prepareNodeFilter(cluster: LiveCluster, name: string): PreparedNodeFilter {
  const node = findLiveNode(cluster, name);
  const [implementation, ...others] = possibleImplementations(node);
  return {
    cluster_enabled: cluster.firewall_enabled,
    node_enabled: node?.options ? effectiveNodeOptions(node.options).enable : null,
    compile_doubt: compileDoubt(node),
    chains: [prepareChain(cluster, name, implementation), ...others.map((other) => prepareChain(cluster, name, other))],
  };
}
