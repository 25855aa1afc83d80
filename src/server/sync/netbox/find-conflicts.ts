import type { ImportChange } from '@/domain/ipam/csv-import';
import { type Cidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import type { NetboxObject } from '@/domain/netbox/objects';
import type { NetboxNetwork } from '@/domain/netbox/source';
import type { ImportContext } from '../../addresses/imports/plan-addresses';
import type { KnownObject } from '../queries/netbox-objects';
import type { Withheld } from './withhold';

/** Where an object belongs. */
export type Place = { cluster_id: string; cluster: string; network_id: string; network: string };
/** An object with its place, and what the import wrote of it before. */
export type Placed = { object: NetboxObject; place: Place; known: KnownObject | undefined };

const ALL = (reason: string): Withheld => ({ reason, fields: null });
const DELETED = 'It was imported before and deleted in Fabric since.';
const DIFFERS = 'Fabric has a value that this import did not write: a person or a discovery set it.';
const isEmpty = (value: unknown) => value === null || value === '';

/** Fields whose stored value is neither empty nor what the import wrote. */
function withholdFields({ fields }: ImportChange, known: KnownObject | undefined): Withheld | null {
  const differing = fields
    .filter(({ field, old }) => field !== 'source' && !isEmpty(old) && known?.written[field] !== old)
    .map(({ field }) => field);
  if (differing.length === 0) return null;
  // The origin of an address changes with its state.
  return { reason: DIFFERS, fields: new Set(differing.includes('state') ? [...differing, 'source'] : differing) };
}

/** Whether the source says that two networks belong to different VRFs: these may have the same addresses. */
export type AreSeparate = (network: string, other: string) => boolean;

/** Networks of different VRFs by the networks of a source. */
export function createVrfComparison(matches: readonly NetboxNetwork[]): AreSeparate {
  const vrfs = new Map<string, Set<string>>();
  for (const { network_id, vrf } of matches) vrfs.set(network_id, (vrfs.get(network_id) ?? new Set()).add(vrf));
  return (network, other) => {
    const [ours, theirs] = [vrfs.get(network), vrfs.get(other)];
    return ours !== undefined && theirs !== undefined && ![...ours].some((vrf) => theirs.has(vrf));
  };
}

type Named = { cluster_id: string; network_id: string; cidr: string };

const toKey = (cluster: string, { address, prefix }: Cidr) => `${cluster} ${address.family} ${prefix} ${address.value}`;

/** Prefixes by cluster and network address: finds those around another one by one lookup for each length that occurs. */
class PrefixIndex {
  readonly #rows = new Map<string, Named[]>();
  readonly #lengths = new Set<number>();

  constructor(rows: readonly Named[]) {
    for (const row of rows) {
      const cidr = parseCidr(row.cidr);
      if (!cidr) continue;
      const key = toKey(row.cluster_id, cidr);
      this.#rows.set(key, [...(this.#rows.get(key) ?? []), row]);
      this.#lengths.add(cidr.prefix);
    }
  }

  /** Those of other networks of the cluster that hold all of it, itself included. */
  listAround({ cluster_id, network_id, cidr: text }: Named, areSeparate: AreSeparate): Named[] {
    const cidr = parseCidr(text);
    if (!cidr) return [];
    return [...this.#lengths]
      .filter((prefix) => prefix <= cidr.prefix)
      .flatMap((prefix) => this.#rows.get(toKey(cluster_id, toNetwork({ address: cidr.address, prefix }))) ?? [])
      .filter((row) => row.network_id !== network_id && !areSeparate(network_id, row.network_id));
  }
}

/** Finds prefixes of other networks of a cluster that overlap a new one. */
function createOverlapFinder(context: ImportContext, planned: readonly Named[], areSeparate: AreSeparate) {
  const names = new Map(context.networks.map(({ id, name }) => [id, name]));
  const stored = new PrefixIndex(context.subnets);
  const fresh = new PrefixIndex(planned);
  const inside = new Map<string, Named>();
  for (const row of context.subnets)
    for (const around of fresh.listAround(row, areSeparate)) inside.set(`${around.network_id} ${around.cidr}`, row);
  return (one: Named): string | null => {
    const found = stored.listAround(one, areSeparate).at(-1) ?? inside.get(`${one.network_id} ${one.cidr}`);
    return found ? `${found.cidr} of ${names.get(found.network_id)}` : null;
  };
}

/** Decides which changes of prefixes are conflicts. */
export function createPrefixCheck(
  placed: ReadonlyMap<number, Placed>,
  context: ImportContext,
  areSeparate: AreSeparate,
) {
  const findOverlap = createOverlapFinder(
    context,
    [...placed.values()].map(({ object, place }) => ({ ...place, cidr: object.name })),
    areSeparate,
  );
  return (change: ImportChange): Withheld | null => {
    const found = placed.get(change.line);
    if (!found) return null;
    if (change.action === 'update') return withholdFields(change, found.known);
    if (found.known) return ALL(DELETED);
    const overlap = findOverlap({ ...found.place, cidr: change.name });
    return overlap === null ? null : ALL(`It overlaps ${overlap} in the same cluster.`);
  };
}

/** Decides which changes of addresses are conflicts. */
export function createAddressCheck(
  placed: ReadonlyMap<number, Placed>,
  context: ImportContext,
  areSeparate: AreSeparate,
) {
  const names = new Map(context.networks.map(({ id, name }) => [id, name]));
  const clusterOf = new Map(context.networks.map(({ id, cluster_id }) => [id, cluster_id]));
  const elsewhere = new Map<string, string[]>();
  for (const { network_id, address } of context.addresses) {
    const ip = parseIp(address);
    const key = `${clusterOf.get(network_id)} ${ip ? `${ip.family} ${ip.value}` : address}`;
    elsewhere.set(key, [...(elsewhere.get(key) ?? []), network_id]);
  }
  return (change: ImportChange): Withheld | null => {
    const found = placed.get(change.line);
    if (!found) return null;
    if (change.action === 'update') return withholdFields(change, found.known);
    if (found.known) return ALL(DELETED);
    const ip = parseIp(change.name);
    const holders = ip ? (elsewhere.get(`${found.place.cluster_id} ${ip.family} ${ip.value}`) ?? []) : [];
    const { network_id } = found.place;
    const other = holders.find((id) => id !== network_id && !areSeparate(network_id, id));
    return other === undefined ? null : ALL(`${names.get(other)} of the same cluster has this address.`);
  };
}
