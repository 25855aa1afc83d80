import { parseSpan } from './address-set';
import type { CompileFailure } from './compile-failure';
import type { LiveCluster, LiveGuest, LiveNic, LiveNode, LiveRule } from './live-state';
import { isAliasAbsent, type Scopes } from './resolve-address';

export const NFTABLES_FAILURE_REASONS = [
  'group_missing',
  'set_alias_missing',
  'icmp_type_unknown',
  'address_families_differ',
  'address_unreadable',
  'set_not_loaded',
  'nic_model_unknown',
  'nic_not_supported',
] as const;

type Place = Pick<CompileFailure, 'scope' | 'vmid' | 'group'>;

/** Models of network devices that proxmox-firewall can read; it reads the configuration of each guest with a firewall file. */
const NIC_MODELS: readonly string[] = ['virtio', 'e1000', 'rtl8139', 'vmxnet3'];
export const isNicModelReadable = (model: string): boolean => NIC_MODELS.includes(model);
/** The hypervisor has interfaces up to net31. */
const MAX_NIC = 30;
const nicNumber = (name: string): number => Number(name.replace(/^net/, ''));

const ICMPV6: readonly string[] = ['icmpv6', 'ipv6-icmp', '58'];
/** Of the names that the API takes, the only one that proxmox-firewall does not know. */
const UNKNOWN_ICMP_TYPE = 'reject-route';
/** Whether proxmox-firewall can read a rule with this ICMP type. */
export const isIcmpTypeReadable = (type: string | null | undefined, protocol: string | undefined): boolean =>
  type !== UNKNOWN_ICMP_TYPE || !ICMPV6.includes(protocol ?? '');

const parseFamily = (address: string | undefined): 4 | 6 | null => {
  if (!address || address.startsWith('+')) return null;
  if (address.includes(':')) return 6;
  return address.includes('.') ? 4 : null;
};

/** Whether the parser reads an address, a network or a range: four decimal numbers, and a prefix length instead of a mask. */
const isAddressReadable = (element: string): boolean => parseSpan(element) !== null && !/\/.*\./.test(element);
const findUnreadable = (spec: string | undefined): string | undefined =>
  spec && !/^\+|^(dc\/|guest\/)?[A-Za-z][\w-]*$/.test(spec)
    ? spec.split(',').find((element) => !isAddressReadable(element))
    : undefined;

/** Rules that cannot be read, also disabled ones: the whole file is read before anything is looked at. */
function unreadableRules(rules: readonly LiveRule[] | null, place: Place): CompileFailure[] {
  return (rules ?? []).flatMap((rule): CompileFailure[] => {
    const at = { ...place, position: rule.pos };
    const type = rule['icmp-type'];
    if (type !== undefined && !isIcmpTypeReadable(type, rule.proto)) {
      return [{ reason: 'icmp_type_unknown', ...at, detail: type }];
    }
    const unreadable = findUnreadable(rule.source) ?? findUnreadable(rule.dest);
    if (unreadable !== undefined) return [{ reason: 'address_unreadable', ...at, detail: unreadable }];
    const [source, dest] = [parseFamily(rule.source), parseFamily(rule.dest)];
    if (source === null || dest === null || source === dest) return [];
    return [{ reason: 'address_families_differ', ...at, detail: `${rule.source}, ${rule.dest}` }];
  });
}

/** A rule for a group that does not exist jumps to a chain that does not exist, which nft refuses with everything else. */
function missingGroups(cluster: LiveCluster, rules: readonly LiveRule[] | null, place: Place): CompileFailure[] {
  const { groups } = cluster;
  if (groups === null) return [];
  return (rules ?? []).flatMap((rule): CompileFailure[] => {
    if (rule.type !== 'group' || !rule.enable || Object.hasOwn(groups, rule.action)) return [];
    // A rule for an interface that cannot be named is skipped as a whole.
    if (place.scope === 'guest' && rule.iface && nicNumber(rule.iface) > MAX_NIC) return [];
    return [{ reason: 'group_missing', ...place, position: rule.pos, detail: rule.action }];
  });
}

/** Rules of a guest with a set of its own that is not made, which nft refuses with everything else. */
function rulesWithUnmadeSet(
  { rules, ipsets, nics }: LiveGuest & { readonly nics: readonly LiveNic[] | null },
  place: Place,
  isMade: (set: string) => boolean,
): CompileFailure[] {
  return (rules ?? []).flatMap((rule): CompileFailure[] => {
    const isWritten = rule.type === 'in' || rule.type === 'out';
    if (!isWritten || !rule.enable || (rule.iface && nicNumber(rule.iface) > MAX_NIC)) return [];
    const names = [rule.source, rule.dest].map((spec) => /^\+(?:guest\/)?([^/]+)$/.exec(spec ?? '')?.[1]);
    const set = names.find((name) => name !== undefined && Object.hasOwn(ipsets ?? {}, name) && !isMade(name));
    if (set === undefined || (nics === null && set !== 'management')) return [];
    return [{ reason: 'set_not_loaded', ...place, position: rule.pos, detail: set }];
  });
}

/** Entries of sets that name an alias which does not exist, whatever the API says about the entry. */
function danglingEntries(
  sets: LiveGuest['ipsets'],
  scopes: Scopes,
  place: Place,
  isMade: (set: string) => boolean = () => true,
): CompileFailure[] {
  return Object.entries(sets ?? {}).flatMap(([set, entries]) =>
    entries.flatMap(({ cidr }): CompileFailure[] =>
      isMade(set) && isAliasAbsent(cidr, scopes) ? [{ reason: 'set_alias_missing', ...place, set, detail: cidr }] : [],
    ),
  );
}

const dataCenterSetFailures = (cluster: LiveCluster): CompileFailure[] =>
  danglingEntries(cluster.ipsets, { cluster, guest: null }, { scope: 'data_center' });

/** A guest that has nothing stored may have no firewall file; its configuration is then not read. */
const hasFile = ({ options, rules, ipsets, aliases }: LiveGuest): boolean =>
  Boolean(rules?.length) || [options, ipsets, aliases].some((part) => Object.keys(part ?? {}).length > 0);

/** What a guest contributes where proxmox-firewall compiles. What it cannot read counts also where the guest's firewall is off. */
export function nftablesGuestFailures(
  cluster: LiveCluster,
  vmid: number,
  guest: LiveGuest & { readonly nics: readonly LiveNic[] | null },
): CompileFailure[] {
  const place: Place = { scope: 'guest', vmid };
  const failures = unreadableRules(guest.rules, place);
  for (const { name, unreadable_model } of hasFile(guest) ? (guest.nics ?? []) : []) {
    if (nicNumber(name) > MAX_NIC) failures.push({ reason: 'nic_not_supported', ...place, nic: name, detail: name });
    else if (unreadable_model !== undefined) {
      failures.push({ reason: 'nic_model_unknown', ...place, nic: name, detail: unreadable_model });
    }
  }
  if (!guest.options?.enable) return failures;
  // An address filter is made for an interface that is filtered, and the set of management addresses only for the data center.
  const isMade = (set: string) =>
    set !== 'management' &&
    (!/^ipfilter-net\d+$/.test(set) ||
      Boolean(guest.nics?.some((nic) => `ipfilter-${nic.name}` === set && nic.firewall === true)));
  return [
    ...failures,
    ...missingGroups(cluster, guest.rules, place),
    ...rulesWithUnmadeSet(guest, place, isMade),
    ...danglingEntries(guest.ipsets, { cluster, guest }, place, isMade),
    ...dataCenterSetFailures(cluster),
  ];
}

/** What data center and node contribute where proxmox-firewall compiles. Every group is read, even unused ones. */
export function nftablesNodeFailures(
  cluster: LiveCluster,
  node: LiveNode | null,
  isHostFiltered: boolean,
): CompileFailure[] {
  const own = [
    { rules: cluster.rules ?? null, place: { scope: 'data_center' } },
    { rules: node?.rules ?? null, place: { scope: 'node' } },
  ] as const;
  return [
    ...own.flatMap(({ rules, place }) => unreadableRules(rules, place)),
    ...Object.entries(cluster.groups ?? {}).flatMap(([group, rules]) =>
      unreadableRules(rules, { scope: 'group', group }),
    ),
    ...(isHostFiltered ? own.flatMap(({ rules, place }) => missingGroups(cluster, rules, place)) : []),
    ...(isHostFiltered ? dataCenterSetFailures(cluster) : []),
  ];
}
