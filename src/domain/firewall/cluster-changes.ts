import { isDeepStrictEqual } from 'node:util';
import type { LiveCluster, LiveGuest, LiveRule, LiveSetEntry } from './live-state';

/** What differs between two snapshots of a cluster, as far as packets of its guests may depend on it. */
export type ClusterChanges = {
  /** What may concern any of its guests differs. */
  readonly everywhere: boolean;
  /** Names of nodes. */
  readonly nodes: ReadonlySet<string>;
  /** Names of sets and aliases, without prefix, in lower case. */
  readonly addresses: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
};

type Named<T> = Readonly<Record<string, T>> | null | undefined;

/** Names of entries that differ; null: one of the two is not known. */
function listChanged<T>(before: Named<T>, now: Named<T>): string[] | null {
  if (!before || !now) return before === now ? [] : null;
  const find = (entries: Readonly<Record<string, T>>, name: string) =>
    Object.hasOwn(entries, name) ? entries[name] : undefined;
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => !isDeepStrictEqual(find(before, name), find(now, name)));
}

/** Whether addresses of a rule, or an entry of a set, may refer to one of these: `web`, `dc/web`, `+web` and `+guest/web` refer to `web`. */
function refersTo(text: string | undefined, names: ReadonlySet<string>): boolean {
  // Most are addresses that are written in the rule itself; no name begins with a digit.
  if (!text || (text >= '0' && text < ':')) return false;
  return text.split(',').some((part) =>
    names.has(
      part
        .replace(/^\+/, '')
        .replace(/^\w+\//, '')
        .toLowerCase(),
    ),
  );
}

const isMember = ({ cidr }: LiveSetEntry, names: ReadonlySet<string>) => refersTo(cidr, names);
const isAffected = ({ source, dest }: LiveRule, names: ReadonlySet<string>) =>
  refersTo(source, names) || refersTo(dest, names);

/** Names of entries that differ, or of which a part refers to what differs. */
function listAffected<T>(
  changed: readonly string[],
  entries: Readonly<Record<string, T>> | null | undefined,
  refers: (entry: T) => boolean,
): string[] {
  const referring = Object.entries(entries ?? {}).filter(([, entry]) => refers(entry));
  return [...changed, ...referring.map(([name]) => name)];
}

/** Rules of the data center, a VNet or a node that may match forwarded packets; the others filter nodes only. */
const listForwarding = (rules: readonly LiveRule[] | null | undefined) =>
  rules?.filter(({ type }) => type !== 'in' && type !== 'out') ?? [];

/** What of the data center all guests may meet. */
const listShared = ({ firewall_enabled, options, vnets, rules }: LiveCluster): unknown[] => [
  ...[firewall_enabled, options, vnets],
  rules && listForwarding(rules),
];

/** Any guest may be concerned. */
export const EVERYWHERE: ClusterChanges = {
  everywhere: true,
  nodes: new Set(),
  addresses: new Set(),
  groups: new Set(),
};

/**
 * What differs between two snapshots of a cluster. What could not be read in one of them, the blacklist, and what a rule for forwarded
 * packets refers to concern all guests.
 */
export function findClusterChanges(before: LiveCluster, now: LiveCluster): ClusterChanges {
  const nodes = listChanged(before.nodes, now.nodes);
  const aliases = listChanged(before.aliases, now.aliases);
  const sets = listChanged(before.ipsets, now.ipsets);
  const groups = listChanged(before.groups, now.groups);
  if (!nodes || !aliases || !sets || !groups || !isDeepStrictEqual(listShared(before), listShared(now)))
    return EVERYWHERE;
  // What does not differ itself refers to the same things in both.
  const named = new Set(aliases.map((name) => name.toLowerCase()));
  const affectedSets = listAffected(sets, now.ipsets, (entries) => entries.some((entry) => isMember(entry, named)));
  const addresses = new Set([...named, ...affectedSets.map((name) => name.toLowerCase())]);
  const refers = (rules: readonly LiveRule[]) => rules.some((rule) => isAffected(rule, addresses));
  const changes = { addresses, groups: new Set(listAffected(groups, now.groups, refers)) };
  const isForwarding = (rules: readonly LiveRule[] | null | undefined) =>
    listForwarding(rules).some((rule) => concernsRule(changes, rule));
  const isShared =
    addresses.has('blacklist') ||
    isForwarding(now.rules) ||
    Object.values(now.vnets ?? {}).some(({ rules }) => isForwarding(rules));
  if (isShared) return EVERYWHERE;
  const affectedNodes = listAffected(nodes, now.nodes, ({ rules }) => isForwarding(rules));
  return { everywhere: false, ...changes, nodes: new Set(affectedNodes) };
}

function concernsRule({ groups, addresses }: Pick<ClusterChanges, 'groups' | 'addresses'>, rule: LiveRule): boolean {
  return (rule.type === 'group' && groups.has(rule.action)) || isAffected(rule, addresses);
}

/**
 * Whether a packet of a guest may depend on what differs: then what was found out about the guest does not hold any more.
 * @param nodeName the node that the guest is on; null: not known
 */
export function concernsGuest(
  changes: ClusterChanges,
  { rules, ipsets }: Pick<LiveGuest, 'rules' | 'ipsets'>,
  nodeName: string | null,
): boolean {
  const { everywhere, nodes, addresses, groups } = changes;
  if (everywhere || (nodeName !== null && nodes.has(nodeName))) return true;
  if (addresses.size + groups.size === 0) return false;
  return (
    (rules?.some((rule) => concernsRule(changes, rule)) ?? false) ||
    Object.values(ipsets ?? {}).some((entries) => entries.some((entry) => isMember(entry, addresses)))
  );
}

/** The entries of `now`, those that are the same as before as the same objects. */
function shareEntries<T>(before: Named<T>, now: Named<T>): Named<T> {
  if (!before || !now) return now;
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => {
      const old = Object.hasOwn(before, name) ? (before[name] as T) : value;
      return [name, isDeepStrictEqual(old, value) ? old : value];
    }),
  );
}

/** A snapshot that shares with the one before what is the same: several of one cluster take the room of one, and are compared fast. */
export function shareSnapshot<T extends LiveCluster>(before: LiveCluster, now: T): T {
  const { groups, ipsets, aliases, nodes, vnets } = now;
  return {
    ...now,
    ...{ aliases, groups: shareEntries(before.groups, groups), ipsets: shareEntries(before.ipsets, ipsets) },
    ...(nodes && { nodes: shareEntries(before.nodes, nodes) }),
    ...(vnets && { vnets: shareEntries(before.vnets, vnets) }),
  };
}
