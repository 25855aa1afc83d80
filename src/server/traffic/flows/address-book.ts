import { HOUR_MS } from '@/domain/durations';
import type { FlowEnd } from '@/domain/flow/attribute-ends';
import { type Placement, wasOn } from '@/domain/flow/observer';
import { parseCidr } from '@/domain/net/cidr';
import { formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import { db } from '../../db/client';
import { sharedValue } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { storedSettings } from '../../settings/settings';
import { type FlowInventory, inventoryStamp, loadFlowInventory } from '../queries/flow-inventory';

/** Where each guest is, and was. */
function buildPlacements({ workloads, placements = [], reused_vmids = [] }: FlowInventory): Map<string, Placement> {
  const history = groupBy(placements, (row) => row.workload_id);
  const begun = new Map(reused_vmids.map((row) => [row.workload_id, row.since_ms]));
  return new Map(
    workloads.map(({ id, node_id }) => {
      let since: number | null = null;
      const past = (history.get(id) ?? []).map((row) => {
        const stay = { node_id: row.node_id, since, until: Date.parse(row.left_at) };
        since = Date.parse(row.seen_at);
        return stay;
      });
      return [id, { node_id, since, past, vmid_since: begun.get(id) ?? null }];
    }),
  );
}

/** Finds which guests of a cluster have an address and which known subnet contains it. */
export class AddressBook {
  readonly #prefixes = new PrefixTable<string>();
  readonly #guests = new Map<string, string>();
  readonly #holders = new Map<string, string[]>();
  readonly #places: ReadonlyMap<string, Placement>;
  /** Known subnets, and which rows they come from. */
  readonly #cidrs: ReadonlyMap<string, string>;

  constructor(inventory: FlowInventory) {
    this.#cidrs = new Map(inventory.cidrs.map((cidr, i) => [cidr, inventory.cidr_ids?.[i] ?? '']));
    for (const text of this.#cidrs.keys()) {
      const cidr = parseCidr(text);
      if (cidr) this.#prefixes.set(cidr, text);
    }
    for (const { id, cluster_id, vmid } of inventory.workloads) this.#guests.set(`${cluster_id} ${vmid}`, id);
    this.#places = buildPlacements(inventory);
    for (const { cluster_id, address, workload_id } of inventory.addresses) {
      const ip = parseIp(address);
      if (!ip) continue;
      const key = `${cluster_id} ${formatIp(ip)}`;
      const holders = this.#holders.get(key);
      if (!holders) this.#holders.set(key, [workload_id]);
      else if (!holders.includes(workload_id)) holders.push(workload_id);
    }
  }

  /** Address spaces of clusters may overlap, so a guest is looked up only in the cluster that reported the flow. */
  endOf(clusterId: string, ip: IpAddress): FlowEnd {
    return {
      workload_ids: this.#holders.get(`${clusterId} ${formatIp(ip)}`) ?? [],
      cidr: this.subnetOf(ip),
    };
  }

  /** The longest known subnet that holds the address; null: external. */
  subnetOf(ip: IpAddress): string | null {
    return this.#prefixes.match(ip) ?? null;
  }

  /**
   * What this book can tell and another could not: subnets (also one that went and came back in between), addresses of which a workload is known now (as the narrowest
   * networks), and guests of which a number, or
   * another node, is known now.
   */
  gainedSince(before: AddressBook): { networks: string[]; vmids: number[] } {
    const addresses = [...this.#holders].filter(([key, holders]) => {
      const had = before.#holders.get(key);
      return had?.length !== holders.length || holders.some((id) => !had.includes(id));
    });
    const guests = [...this.#guests].filter(
      ([key, id]) => before.#guests.get(key) !== id || this.#hasMoved(id, before),
    );
    const moved = [...this.#holders].filter(([, holders]) => holders.some((id) => this.#hasMoved(id, before)));
    const after = (key: string) => key.slice(key.indexOf(' ') + 1);
    return {
      networks: [
        ...[...this.#cidrs].flatMap(([cidr, ids]) => (before.#cidrs.get(cidr) === ids ? [] : [cidr])),
        ...new Set([...addresses, ...moved].map(([key]) => after(key))),
      ],
      vmids: [...new Set(guests.map(([key]) => Number(after(key))))],
    };
  }

  /** The subnets among some networks; of all that are known when none are given. */
  subnetsAmong(networks: readonly string[] | null): string[] {
    return networks === null ? [...this.#cidrs.keys()] : networks.filter((network) => this.#cidrs.has(network));
  }

  /** Whether a guest is on a different node than in the other book. Its node may now report for it. */
  #hasMoved(id: string, before: AddressBook): boolean {
    return this.#places.get(id)?.node_id !== before.#places.get(id)?.node_id;
  }

  /** Whether a guest may have been on a node at a time (milliseconds since 1970). */
  wasOn(id: string, nodeId: string, at: number): boolean {
    const place = this.#places.get(id);
    return place !== undefined && wasOn(place, nodeId, at);
  }

  placeOf(id: string): Placement | null {
    return this.#places.get(id) ?? null;
  }

  guest(clusterId: string, vmid: number | undefined): string | null {
    return vmid === undefined ? null : (this.#guests.get(`${clusterId} ${vmid}`) ?? null);
  }
}

/** Pauses until the inventory is looked at again, in multiples of how long it took to look and to read it, and at most. */
const LOOK_FACTOR = 10;
const READ_FACTOR = 3;
const MAX_PAUSE_MS = 2_000;

type Current = { book: AddressBook; stamp: string; checkAfter: number };

const current = sharedValue<Current>('address_book', async (before) => {
  const started = performance.now();
  // The stamp is read before the rows: a change in between leads to one more reading, never to one too few.
  const stamp = await inventoryStamp(db);
  const looked = performance.now();
  const load = async (): Promise<Current> => {
    const { flow_retention_hours } = await storedSettings(db);
    const oldest = new Date(clock.now().getTime() - flow_retention_hours * HOUR_MS).toISOString();
    return { book: new AddressBook(await loadFlowInventory(db, oldest)), stamp, checkAfter: 0 };
  };
  const now = before?.stamp === stamp ? before : await load();
  const ended = performance.now();
  const pause = LOOK_FACTOR * (looked - started) + READ_FACTOR * (ended - looked);
  now.checkAfter = ended + Math.min(pause, MAX_PAUSE_MS);
  return now;
});

/** The address book of this process, rebuilt when the inventory changes. */
export async function addressBook(): Promise<AddressBook> {
  return (await current.read(({ checkAfter }) => performance.now() < checkAfter)).book;
}

/** The address book as the inventory is now, also when it was made a moment ago. */
export async function freshAddressBook(): Promise<AddressBook> {
  return (await current.readNow()).book;
}
