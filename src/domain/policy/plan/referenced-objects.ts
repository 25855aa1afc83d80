import type { LiveCluster, LiveRule, LiveSetEntry } from '../../firewall/live-state';
import type { GuestFilter } from './guest-filter';

type Referred = {
  /** Null: could not be read, or does not exist. */
  readonly groups: readonly (readonly [string, readonly LiveRule[] | null])[];
  readonly ipsets: readonly (readonly [string, readonly LiveSetEntry[] | null])[];
  readonly aliases: readonly (readonly [string, string | null])[];
};

const SET = /^\+(?:dc\/)?([a-z][a-z0-9_-]+)$/i;
const ALIAS = /^(?:dc\/)?([a-z][a-z0-9_-]+)$/i;

const find = <T>(record: Readonly<Record<string, T>> | null, name: string): T | null =>
  record && Object.hasOwn(record, name) ? (record[name] ?? null) : null;

/**
 * The cluster objects that affect a guest's packets: groups, sets and aliases that its rules and sets refer to,
 * directly or through a group, and the set `blacklist`. A guest's own object of the same name counts as well, so the
 * result may name too many objects, never too few.
 */
export function collectReferencedObjects(
  { rules, sets }: Pick<GuestFilter, 'rules' | 'sets'>,
  cluster: LiveCluster,
): Referred {
  const groupNames = [...new Set(rules.filter(({ type }) => type === 'group').map(({ action }) => action))].sort();
  const groups = groupNames.map((name) => [name, find(cluster.groups, name)] as const);
  const all = [...rules, ...groups.flatMap(([, members]) => members ?? [])];
  const texts = all.flatMap(({ source, dest }) => [source ?? '', dest ?? '']);
  const setNames = texts.flatMap((text) => SET.exec(text)?.[1] ?? []);
  const ipsets = [...new Set([...setNames, 'blacklist'])]
    .sort()
    .map((name) => [name, find(cluster.ipsets, name)] as const);
  const entries = [...Object.values(sets), ...ipsets.map(([, list]) => list ?? [])].flat().map(({ cidr }) => cidr);
  const lower = cluster.aliases && new Map(Object.entries(cluster.aliases).map(([k, v]) => [k.toLowerCase(), v]));
  const aliases = [...new Set([...texts, ...entries].flatMap((text) => ALIAS.exec(text)?.[1]?.toLowerCase() ?? []))]
    .sort()
    .map((name) => [name, lower?.get(name) ?? null] as const);
  return { groups, ipsets, aliases };
}
