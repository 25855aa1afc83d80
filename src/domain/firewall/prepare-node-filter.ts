import type { IpAddress } from '../net/ip-address';
import { addressSet, addressSetHas, parseSpan, UNKNOWN_ADDRESSES } from './address-set';
import { compileChain } from './compile-chain';
import type { CompiledRule } from './compiled-rule';
import type { DefaultPolicy } from './guest-options';
import type { FilterImplementation, LiveCluster, LiveNode, LiveRule } from './live-state';
import { effectiveNodeOptions, possibleImplementations } from './node-options';
import { blacklistOf, type PreparedFilter, prepareNode } from './prepare-guest';
import { aliasValue, type Scopes, setAddresses } from './resolve-address';
import { buildRuleIndex, type RuleIndex } from './rule-index';

type Answer = 'yes' | 'no' | 'unknown';

/** A compiled rule of a node: its scope, and whether it is limited to an interface. */
export type NodeRule = { readonly scope: 'node' | 'datacenter'; readonly with_interface: boolean };

/** The filter of a node's own traffic, ready for `evaluateNode`. Null: could not be read. */
export type PreparedNodeFilter = Pick<PreparedFilter, 'node' | 'blacklist'> & {
  readonly cluster_enabled: boolean | null;
  readonly node_enabled: boolean | null;
  readonly implementations: readonly FilterImplementation[];
  readonly compiles: boolean;
  readonly ndp: boolean | null;
  readonly policies: { readonly in: DefaultPolicy; readonly out: DefaultPolicy } | null;
  readonly index: (direction: 'in' | 'out', family: 4 | 6) => RuleIndex;
  readonly about: (rule: CompiledRule) => NodeRule;
  /** Whether the standard services of the cluster are open to the address, or on the way out at it. */
  readonly managed: (direction: 'in' | 'out', ip: IpAddress) => Answer;
  /** Whether the address may be that of another node on a link of the cluster's own communication. */
  readonly may_be_peer: (ip: IpAddress) => boolean;
};

const isPolicy = (value: unknown): value is DefaultPolicy =>
  value === 'ACCEPT' || value === 'DROP' || value === 'REJECT';

function policiesOf({ options }: LiveCluster): PreparedNodeFilter['policies'] {
  if (!options) return null;
  const { policy_in, policy_out } = options;
  return { in: isPolicy(policy_in) ? policy_in : 'DROP', out: isPolicy(policy_out) ? policy_out : 'ACCEPT' };
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
function managementOf(cluster: LiveCluster, node: LiveNode | null, scopes: Scopes): PreparedNodeFilter['managed'] {
  const { ipsets } = cluster;
  const local = localNetworks(cluster, node, scopes);
  const stored = ipsets && Object.hasOwn(ipsets, 'management') ? (ipsets.management ?? []) : [];
  const sources = !ipsets
    ? [UNKNOWN_ADDRESSES]
    : (local?.map((cidr) => setAddresses([...stored, { cidr }], scopes)) ?? [setAddresses(stored, scopes, 'unknown')]);
  const destinations = local?.map((cidr) => setAddresses([{ cidr }], scopes)) ?? [UNKNOWN_ADDRESSES];
  return (direction, ip) => {
    const answers = (direction === 'in' ? sources : destinations).map((set) => addressSetHas(set, ip));
    const [first = 'unknown'] = answers;
    return answers.every((answer) => answer === first) ? first : 'unknown';
  };
}

function peersOf(cluster: LiveCluster, name: string): PreparedNodeFilter['may_be_peer'] {
  if (!cluster.nodes) return () => true;
  const others = Object.entries(cluster.nodes).filter(([other]) => other !== name);
  const networks = others.map(([, other]) => other.networks);
  if (networks.includes(null)) return () => true;
  const hosts = networks.flatMap((list) => list ?? []).flatMap((text) => parseSpan(text.split('/')[0] ?? text) ?? []);
  const known = addressSet(hosts, 'no');
  return (ip) => addressSetHas(known, ip) === 'yes';
}

/** Compiles what was read about a node for the traffic of the node itself. @param name of the node in `cluster.nodes` */
export function prepareNodeFilter(cluster: LiveCluster, name: string): PreparedNodeFilter {
  const { nodes } = cluster;
  const node = nodes && Object.hasOwn(nodes, name) ? (nodes[name] ?? null) : null;
  const options = node?.options ? effectiveNodeOptions(node.options) : null;
  const scopes: Scopes = { cluster, guest: null };
  const facts = new Map<CompiledRule, NodeRule>();
  const compile = (
    rules: readonly LiveRule[] | null,
    scope: NodeRule['scope'],
    direction: 'in' | 'out',
    family: 4 | 6,
  ) => {
    const limited = new Set(rules?.filter(({ iface }) => iface).map(({ pos }) => pos));
    const view = { direction, family, scopes, groups: cluster.groups, hasInterface: () => true };
    return compileChain(rules, view).map((rule) => {
      const with_interface = limited.has(rule.place.position);
      const compiled = with_interface ? { ...rule, vague: true } : rule;
      facts.set(compiled, { scope, with_interface });
      return compiled;
    });
  };
  const indexes = new Map<string, RuleIndex>();
  return {
    cluster_enabled: cluster.firewall_enabled,
    node_enabled: options?.enable ?? null,
    implementations: possibleImplementations(node),
    compiles: node?.compile_failure === undefined,
    ndp: options?.ndp ?? null,
    policies: policiesOf(cluster),
    node: prepareNode(node, 'iptables'),
    blacklist: blacklistOf(cluster),
    index(direction, family) {
      const key = direction + family;
      const own = () => compile(node?.rules ?? null, 'node', direction, family);
      const shared = () => compile(cluster.rules ?? null, 'datacenter', direction, family);
      const known = indexes.get(key) ?? buildRuleIndex([...own(), ...shared()], family);
      indexes.set(key, known);
      return known;
    },
    about: (rule) => facts.get(rule) ?? { scope: 'node', with_interface: false },
    managed: managementOf(cluster, node, scopes),
    may_be_peer: peersOf(cluster, name),
  };
}
