import { formatCidr, parseCidr, toNetwork } from '../net/cidr';
import { protocolNumber, SCTP, TCP, UDP } from './data/protocols';
import { serviceHasProtocol } from './data/services';
import type { FilterImplementation, LiveCluster, LiveGuest, LiveNic, LiveNode, LiveRule } from './live-state';
import { NFTABLES_FAILURE_REASONS, nftablesGuestFailures, nftablesNodeFailures } from './nftables-compile-failure';
import { possibleImplementations } from './node-options';
import { aliasValue, type Scopes } from './resolve-address';

/** What stops each implementation. Neither minds what stops the other. */
export const COMPILE_FAILURE_REASONS = [
  'service_without_protocol',
  'ports_not_supported',
  'too_many_ports',
  'address_refused',
  'set_entry_covers_everything',
  'set_entry_repeated',
  ...NFTABLES_FAILURE_REASONS,
] as const;
export type CompileFailureReason = (typeof COMPILE_FAILURE_REASONS)[number];

const stops = (implementation: FilterImplementation, { reason }: CompileFailure): boolean =>
  (implementation === 'nftables') === NFTABLES_FAILURE_REASONS.some((one) => one === reason);

/**
 * Something stored that the API accepted and that cannot be loaded: iptables-restore, ipset or nft refuses it, or
 * proxmox-firewall cannot read it. A node compiles all or nothing: one such failure keeps the old rules of every
 * guest of the node enforced, and no API reports it.
 */
export type CompileFailure = {
  readonly reason: CompileFailureReason;
  /** The file it is stored in. `group`: a rule of a PVE security group, compiled where a guest or node refers to it. */
  readonly scope: 'guest' | 'group' | 'node' | 'data_center';
  readonly vmid?: number;
  readonly group?: string;
  /** Position of the rule; absent for an entry of a set. */
  readonly position?: number;
  readonly set?: string;
  /** The interface of the guest, where its configuration is refused. */
  readonly nic?: string;
  /** What is refused: `tcp/tftp`, the entry of the set with what it resolves to. */
  readonly detail: string;
};

const DCCP = 33;
const UDPLITE = 136;
const PROTOCOL_NAMES: ReadonlyMap<number, string> = new Map([
  [TCP, 'tcp'],
  [UDP, 'udp'],
  [SCTP, 'sctp'],
  [DCCP, 'dccp'],
  [UDPLITE, 'udplite'],
]);

type Refusal = Pick<CompileFailure, 'reason' | 'detail'>;

/** How iptables looks a name up depends on the protocol, and on whether the name is in a list. Tested with 1.8.9. */
function isRefusedName(protocol: number, name: string, inList: boolean): boolean {
  if (protocol === TCP) return serviceHasProtocol(name, 'tcp') === false;
  if (protocol === SCTP) return serviceHasProtocol(name, 'sctp') === false;
  if (protocol === UDP) return inList && serviceHasProtocol(name, 'udp') === false;
  return inList && serviceHasProtocol(name, 'udp') !== null;
}

/** Of a list; a range counts as two. */
const MAX_PORTS = 15;

function refusedPorts(protocol: number, ports: string | undefined): Refusal | null {
  if (!ports || ports === '0') return null;
  const name = PROTOCOL_NAMES.get(protocol);
  if (name === undefined) return null;
  const items = ports.split(',');
  const inList = items.length > 1;
  if (protocol === UDPLITE && !inList) return { reason: 'ports_not_supported', detail: `${name}/${ports}` };
  // The API counts numbers only.
  const count = items.length + items.filter((item) => item.includes(':')).length;
  if (count > MAX_PORTS) return { reason: 'too_many_ports', detail: `${name}/${count}` };
  const refused = items.find((item) => !/^\d+(:\d+)?$/.test(item) && isRefusedName(protocol, item, inList));
  return refused === undefined ? null : { reason: 'service_without_protocol', detail: `${name}/${refused}` };
}

/** Numbers with a leading zero are octal to iptables-restore, which refuses the digits 8 and 9 in them. The API reads them as decimal. */
function refusedAddress(spec: string | undefined): Refusal | null {
  const refused = spec?.split(',').find((element) => /^[\d.]/.test(element) && /(^|[./-])0\d*[89]/.test(element));
  return refused === undefined ? null : { reason: 'address_refused', detail: refused };
}

/** What iptables-restore refuses about a rule that is enabled and valid; null when nothing is known to be. */
function refusedRule(rule: LiveRule): Refusal | null {
  const protocol = rule.proto ? protocolNumber(rule.proto) : null;
  const refused = refusedAddress(rule.source) ?? refusedAddress(rule.dest);
  // A macro brings its own ports; only those written beside it are text from outside.
  if (refused || protocol === null) return refused;
  return refusedPorts(protocol, rule.dport) ?? refusedPorts(protocol, rule.sport);
}

const isCompiled = (rule: LiveRule) => Boolean(rule.enable) && rule.errors === undefined;

function ruleFailures(
  rules: readonly LiveRule[] | null,
  place: Pick<CompileFailure, 'scope' | 'vmid' | 'group'>,
  applies: (rule: LiveRule) => boolean,
): CompileFailure[] {
  return (rules ?? []).flatMap((rule) => {
    if (!isCompiled(rule) || !applies(rule) || (rule.type !== 'in' && rule.type !== 'out')) return [];
    const refused = refusedRule(rule);
    return refused ? [{ ...refused, ...place, position: rule.pos }] : [];
  });
}

/** Failures of the PVE security groups that these rules refer to; each is compiled whole, for both directions. */
function groupFailures(
  cluster: LiveCluster,
  rules: readonly LiveRule[] | null,
  applies: (rule: LiveRule) => boolean,
): CompileFailure[] {
  const used = (rules ?? []).filter((rule) => rule.type === 'group' && isCompiled(rule) && applies(rule));
  return [...new Set(used.map(({ action }) => action))].flatMap((group) => {
    const members = cluster.groups && Object.hasOwn(cluster.groups, group) ? cluster.groups[group] : undefined;
    return ruleFailures(members ?? null, { scope: 'group', group }, () => true);
  });
}

/** The same text twice is written once; two texts of one network, and a network of all addresses, are refused by ipset. */
function setFailures(
  sets: LiveGuest['ipsets'],
  scopes: Scopes,
  place: Pick<CompileFailure, 'scope' | 'vmid'>,
  implied: (set: string) => readonly string[] = () => [],
): CompileFailure[] {
  return Object.entries(sets ?? {}).flatMap(([set, entries]) => {
    const valid = entries.filter(({ errors }) => errors === undefined).map(({ cidr }) => cidr);
    const texts = new Map<string, string>();
    return [...implied(set), ...valid].flatMap((entry): CompileFailure[] => {
      const value = parseCidr(entry) ? entry : aliasValue(entry, scopes);
      const cidr = value === null ? null : parseCidr(value);
      if (!cidr) return [];
      const failure = { ...place, set, detail: entry === value ? entry : `${entry} (${value})` };
      if (cidr.prefix === 0) return [{ reason: 'set_entry_covers_everything', ...failure }];
      const [text, network] = [formatCidr(cidr), formatCidr(toNetwork(cidr))];
      const known = texts.get(network);
      texts.set(network, known ?? text);
      return known === undefined || known === text ? [] : [{ reason: 'set_entry_repeated', ...failure }];
    });
  });
}

/** What a guest contributes to the compile of its node. Its sets count also where its firewall is off. */
export function guestCompileFailures(
  cluster: LiveCluster,
  vmid: number,
  guest: LiveGuest & { readonly nics: readonly LiveNic[] | null },
): CompileFailure[] {
  const nics = new Map((guest.nics ?? []).map((nic) => [nic.name, nic]));
  const filtered = [...nics.values()].filter(({ firewall }) => firewall !== false);
  const applies = (rule: LiveRule) =>
    Boolean(guest.options?.enable) &&
    (guest.nics === null || (rule.iface ? filtered.some(({ name }) => name === rule.iface) : filtered.length > 0));
  const implied = (set: string): readonly string[] => {
    const nic = nics.get(set.replace(/^ipfilter-/, ''));
    return set.startsWith('ipfilter-') && nic?.firewall !== false
      ? ['fe80::/10', ...(nic?.static_addresses ?? []).map((text) => text.split('/')[0] ?? text)]
      : [];
  };
  return [
    ...ruleFailures(guest.rules, { scope: 'guest', vmid }, applies),
    ...groupFailures(cluster, guest.rules, applies),
    ...setFailures(guest.ipsets, { cluster, guest }, { scope: 'guest', vmid }, implied),
    ...nftablesGuestFailures(cluster, vmid, guest),
  ];
}

/** What the data center and the node itself contribute to the compile of that node. */
export function nodeCompileFailures(cluster: LiveCluster, node: LiveNode | null): CompileFailure[] {
  const hostFiltered = () => node?.options?.enable !== 0;
  return [
    ...ruleFailures(cluster.rules ?? null, { scope: 'data_center' }, hostFiltered),
    ...groupFailures(cluster, cluster.rules ?? null, hostFiltered),
    ...ruleFailures(node?.rules ?? null, { scope: 'node' }, hostFiltered),
    ...groupFailures(cluster, node?.rules ?? null, hostFiltered),
    ...setFailures(cluster.ipsets, { cluster, guest: null }, { scope: 'data_center' }),
    ...nftablesNodeFailures(cluster, node, hostFiltered()),
  ];
}

/**
 * Failures that stop the compile of a node, each once: those of its guests and its own. `failures` are certain: of the
 * implementation that the node uses, of both where that is not known and both are stopped. `maybe`: only one of them is.
 */
export function summarizeCompileFailures(
  cluster: LiveCluster,
  node: LiveNode | null,
  ofGuests: readonly CompileFailure[],
): { failures: CompileFailure[]; maybe: boolean } {
  if (cluster.firewall_enabled === false) return { failures: [], maybe: false };
  const all = [...nodeCompileFailures(cluster, node), ...ofGuests];
  const found = [...new Map(all.map((failure) => [JSON.stringify(failure), failure])).values()];
  const stopped = possibleImplementations(node).map((one) => found.filter((failure) => stops(one, failure)));
  const isCertain = stopped.every((failures) => failures.length > 0);
  return { failures: isCertain ? stopped.flat() : [], maybe: !isCertain && stopped.some(({ length }) => length > 0) };
}
