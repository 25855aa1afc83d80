import type { RowError } from '@/domain/ipam/import-rows';
import { parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import type { NetboxObject, NetboxRead } from '@/domain/netbox/objects';
import type { NetboxNetwork } from '@/domain/netbox/source';
import type { ImportContext } from '../../addresses/imports/plan-addresses';
import type { KnownObject } from '../queries/netbox-objects';
import type { Place, Placed } from './find-conflicts';

type Problem = { field: string; reason: string };
type Placement = { placed: Map<number, Placed>; errors: RowError[] };
const knownKey = (kind: string, id: number) => `${kind} ${id}`;

const formatVrf = (vrf: string) => (vrf === '' ? 'the global table' : `VRF ${vrf}`);

/** Finds places of objects by the networks of a source. Nothing is guessed: without a match there is no place. */
export class ObjectPlacer {
  readonly #networks: ReadonlyMap<string, Place>;
  readonly #known: ReadonlyMap<string, KnownObject>;

  constructor(
    readonly matches: readonly NetboxNetwork[],
    context: ImportContext,
    known: readonly KnownObject[],
  ) {
    const clusters = new Map(context.clusters.map(({ id, name }) => [id, name]));
    this.#networks = new Map(
      context.networks.map(({ id, cluster_id, name }) => [
        id,
        { cluster_id, cluster: clusters.get(cluster_id) ?? '', network_id: id, network: name },
      ]),
    );
    this.#known = new Map(known.map((one) => [knownKey(one.kind, one.netbox_id), one]));
  }

  #place(objects: readonly NetboxObject[], find: (object: NetboxObject) => Place | Problem): Placement {
    const result: Placement = { placed: new Map(), errors: [] };
    for (const object of objects) {
      const place = find(object);
      if ('reason' in place) {
        const message = `${object.name} (NetBox ID ${object.netbox_id}): ${place.reason}`;
        result.errors.push({ line: object.line, field: place.field, message });
        continue;
      }
      const known = this.#known.get(knownKey(object.kind, object.netbox_id));
      const isSame = known?.network_id === place.network_id && known.name === object.name;
      result.placed.set(object.line, { object, place, known: isSame ? known : undefined });
    }
    return result;
  }

  /** Prefixes belong to the network that the source names for their VRF and VLAN. */
  placePrefixes({ objects }: NetboxRead): Placement {
    return this.#place(
      objects.filter(({ kind }) => kind === 'prefix'),
      ({ vrf, vlan }) => {
        const ofVrf = this.matches.filter((one) => one.vrf === vrf);
        const match =
          ofVrf.find((one) => one.vlan !== null && one.vlan === vlan) ?? ofVrf.find((one) => one.vlan === null);
        if (!match) {
          const where = `${formatVrf(vrf)}${vlan === null ? '' : `, VLAN ${vlan}`}`;
          return { field: 'vrf', reason: `the source has no network for ${where}. Add one to the source.` };
        }
        return (
          this.#networks.get(match.network_id) ?? {
            field: 'vrf',
            reason: `the network for ${formatVrf(vrf)} was deleted. Choose another one in the source.`,
          }
        );
      },
    );
  }

  /** Addresses belong to the network of their VRF whose longest prefix contains them. */
  placeAddresses({ objects }: NetboxRead, subnets: readonly { network_id: string; cidr: string }[]): Placement {
    const prefixes = new Map<string, Set<string>>();
    for (const { network_id, cidr } of subnets) {
      const cidrs = prefixes.get(network_id) ?? new Set();
      prefixes.set(network_id, cidrs.add(cidr));
    }
    const tables = new Map<string, PrefixTable<{ prefix: number; networks: string[] }>>();
    const getTable = (vrf: string) => {
      const found = tables.get(vrf);
      if (found) return found;
      const ids = new Set(this.matches.filter((one) => one.vrf === vrf).map((one) => one.network_id));
      const byCidr = new Map<string, string[]>();
      for (const id of ids)
        for (const cidr of prefixes.get(id) ?? []) byCidr.set(cidr, [...(byCidr.get(cidr) ?? []), id]);
      const table = new PrefixTable<{ prefix: number; networks: string[] }>();
      for (const [text, networks] of byCidr) {
        const cidr = parseCidr(text);
        if (cidr) table.set(cidr, { prefix: cidr.prefix, networks });
      }
      tables.set(vrf, table);
      return table;
    };
    return this.#place(
      objects.filter(({ kind }) => kind === 'address'),
      ({ vrf, name }) => {
        if (!this.matches.some((one) => one.vrf === vrf))
          return { field: 'vrf', reason: `the source has no network for ${formatVrf(vrf)}. Add one to the source.` };
        const ip = parseIp(name);
        const networks = (ip && getTable(vrf).match(ip)?.networks) ?? [];
        const [only, other] = networks.map((id) => this.#networks.get(id));
        if (!only)
          return { field: 'address', reason: `no imported or stored prefix of ${formatVrf(vrf)} contains it.` };
        if (other)
          return {
            field: 'address',
            reason: `its prefix is in several networks of ${formatVrf(vrf)}: ${only.network}, ${other.network}. Delete one of them, or match the VRF with one network.`,
          };
        return only;
      },
    );
  }
}
