import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { getRunCount } from '@/test/thorough';
import { type DiscoveryInput, type DiscoveryPlan, orderChanges } from './discovery-plan';
import { planDiscovery } from './plan-discovery';

const NETWORKS = ['vmbr0', 'vmbr1', 'vmbr2'];
const DISCOVERED = 'discovered';
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.1.1', '192.168.5.5'];
const WORKLOADS = ['w1', 'w2', 'w3'];
const MACS = ['bc:24:11:00:00:01', 'bc:24:11:00:00:02', 'bc:24:11:00:00:03', 'bc:24:11:00:00:04'];
const CIDRS = ['10.0.0.0/24', '10.0.0.0/25', '10.0.0.0/16', '10.0.1.0/24'];
const START = Date.parse('2026-12-01T00:00:00Z');

const address = fc.constantFrom(...ADDRESSES);
const workload = fc.constantFrom(...WORKLOADS);
const card = fc.record({
  mac: fc.constantFrom(...MACS),
  bridge: fc.constantFrom(...NETWORKS, 'elsewhere'),
  configured: fc.option(fc.record({ address, prefix: fc.constantFrom(24, 25, 32) }), { freq: 3 }),
  /** What the guest itself lists on it; null: it was not heard. */
  live: fc.option(fc.array(fc.record({ address, prefix: fc.constantFrom(24, 25, null) }), { maxLength: 2 })),
});
/** What is read of a guest; null: its settings could not be read. */
const guest = fc.option(
  fc.record({
    isContainer: fc.boolean(),
    cards: fc.array(card, { maxLength: 2 }),
    bridge: fc.option(address, { freq: 1 }),
  }),
  { freq: 6 },
);
/** What people and syncs do between two discoveries. */
const action = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), address }),
  fc.record({ kind: fc.constant('assign' as const), address, workload }),
  fc.record({ kind: fc.constant('resolve' as const), address, resolution: fc.constantFrom('keep', 'assign') }),
  fc.record({ kind: fc.constant('edit' as const), address }),
  fc.record({ kind: fc.constant('delete' as const), address }),
  fc.record({ kind: fc.constant('removeWorkload' as const), workload }),
);
const step = fc.record({
  actions: fc.array(action, { maxLength: 3 }),
  hours: fc.constantFrom(1, 7, 24 * 15),
  guests: fc.record({ w1: guest, w2: guest, w3: guest }),
  leases: fc.array(fc.record({ address, mac: fc.constantFrom(...MACS) }), { maxLength: 2 }),
  isComplete: fc.boolean(),
});
const history = fc.record({
  subnets: fc.uniqueArray(fc.record({ network: fc.constantFrom(...NETWORKS), cidr: fc.constantFrom(...CIDRS) }), {
    selector: ({ network, cidr }) => `${network} ${cidr}`,
    maxLength: 5,
  }),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Stored = { [K in 'subnets' | 'addresses' | 'conflicts' | 'sightings']: Mutable<DiscoveryInput[K][number]>[] };

/** The stored rows of a cluster, changed as `storeDiscovery`, people and syncs change them. */
class Store {
  #ids = 0;
  readonly rows: Stored = { subnets: [], addresses: [], conflicts: [], sightings: [] };
  now = new Date(START);
  readonly newId = () => `id${String(++this.#ids).padStart(4, '0')}`;

  constructor(subnets: readonly { network: string; cidr: string }[]) {
    for (const { network, cidr } of subnets)
      this.rows.subnets.push({ id: this.newId(), network_id: network, cidr, removable: false });
  }

  act(one: Step['actions'][number]): void {
    const { rows } = this;
    const row = rows.addresses.find((item) => 'address' in one && item.address === one.address);
    if (one.kind === 'removeWorkload') {
      const isOther = (item: { workload_id: string | null }) => item.workload_id !== one.workload;
      rows.conflicts = rows.conflicts.filter((item) => isOther(item) && item.other_workload_id !== one.workload);
      rows.sightings = rows.sightings.filter(isOther);
      for (const item of rows.addresses)
        if (!isOther(item)) Object.assign(item, { workload_id: null, interface_id: null });
    } else if (!row) {
      if (one.kind === 'reserve') this.#reserve(one.address);
    } else if (one.kind === 'resolve') this.#resolve(row, one.resolution);
    else if (one.kind === 'delete') {
      rows.addresses = rows.addresses.filter((item) => item !== row);
      for (const item of rows.conflicts) if (item.ip_address_id === row.id) item.ip_address_id = null;
    } else if (row.state === 'conflict') return;
    else if (one.kind === 'edit') row.source = 'manual';
    else if (one.kind === 'reserve') Object.assign(row, { state: 'reserved', source: 'manual' });
    else Object.assign(row, { workload_id: one.workload, state: 'active', mac: null, source: 'manual' });
  }

  #resolve(row: Stored['addresses'][number], resolution: string): void {
    const ofRow = this.rows.conflicts.filter((item) => item.ip_address_id === row.id && item.status === 'open');
    const [conflict] = ofRow;
    if (!conflict) return;
    conflict.status = 'resolved';
    const isLast = ofRow.length === 1 && row.state === 'conflict';
    if (isLast) Object.assign(row, { state: conflict.state_before ?? 'active' });
    if (resolution !== 'assign' || conflict.other_workload_id === null) return;
    Object.assign(row, { workload_id: conflict.other_workload_id, interface_id: null, mac: conflict.other_mac });
    Object.assign(row, { source: 'manual', ...(isLast && conflict.state_before !== 'dhcp' && { state: 'active' }) });
  }

  /** Reserved addresses without a workload, disputed or not. */
  listReserved(): string[] {
    const disputed = this.rows.conflicts.filter((row) => row.status === 'open' && row.state_before === 'reserved');
    return this.rows.addresses
      .filter(({ id, state }) => state === 'reserved' || disputed.some((row) => row.ip_address_id === id))
      .filter(({ workload_id }) => workload_id === null)
      .map(({ id, address }) => `${id} ${address}`);
  }

  #reserve(address: string): void {
    const ip = parseIp(address);
    const holds = ({ cidr }: { cidr: string }) => {
      const parsed = parseCidr(cidr);
      return parsed && ip && cidrContains(parsed, ip);
    };
    const [subnet] = this.rows.subnets
      .filter(holds)
      .sort((a, b) => Number(b.cidr.split('/')[1]) - Number(a.cidr.split('/')[1]));
    if (!subnet) return;
    this.rows.addresses.push({
      ...{ id: this.newId(), network_id: subnet.network_id, subnet_id: subnet.id, address },
      ...{ workload_id: null, interface_id: null, mac: null, state: 'reserved', source: 'manual' },
      ...{ first_seen_at: null, last_seen_at: null, updated_at: this.now.toISOString() },
    });
  }

  plan({ guests, leases, isComplete }: Step): DiscoveryPlan {
    const known = Object.entries(guests).flatMap(([workload_id, found], vmid) =>
      found === null ? [] : [{ workload_id, vmid, ...found }],
    );
    return planDiscovery({
      ...structuredClone(this.rows),
      readings: known.map(({ workload_id, vmid, isContainer, cards, bridge }) => ({
        ...{ workload_id, vmid, kind: isContainer ? 'lxc' : 'qemu' },
        settings: {
          ...{ node: 'pve1', creation_fingerprint: null, unreadable: [], agent_enabled: true, os_managed: true },
          nics: cards.map(({ mac, bridge, configured }, i) => ({
            ...{ name: `net${i}`, guest_name: null, model: null, mac, bridge, vlan_tag: null, trunks: null },
            ...{ firewall: true, link_down: false, mtu: null, rate_mbytes: null, pending: false, raw: '' },
            ip_config: configured && { ip: `${configured.address}/${configured.prefix}` },
          })),
        },
        live: {
          ignored: 0,
          items: [
            ...cards.map(({ mac, live }, i) => ({ name: `eth${i}`, mac: mac.toUpperCase(), addresses: live })),
            { name: 'docker0', mac: null, addresses: bridge === null ? null : [{ address: bridge, prefix: 24 }] },
          ],
        },
      })),
      leases: {
        items: leases.map((lease) => ({ ...lease, network: 'n', zone: 'z', vmid: null, hostname: null })),
        complete: isComplete,
      },
      networks: new Map([...NETWORKS, DISCOVERED].map((name) => [name, name])),
      interfaces: known.flatMap(({ workload_id, cards }) =>
        cards.map(({ mac, bridge }, i) => ({
          ...{ id: `${workload_id} net${i}`, workload_id, name: `net${i}`, mac },
          network_id: NETWORKS.includes(bridge) ? bridge : null,
        })),
      ),
      ...{ discoveredNetworkId: DISCOVERED, newId: this.newId, now: this.now },
    });
  }

  apply({ subnets, addresses, conflicts, sightings }: DiscoveryPlan): void {
    const { rows } = this;
    const at = this.now.toISOString();
    for (const row of subnets.create) rows.subnets.push({ ...row, network_id: DISCOVERED, removable: true });
    rows.addresses = rows.addresses.filter(({ id }) => !addresses.remove.some((gone) => gone.id === id));
    for (const write of orderChanges(addresses.change, rows.addresses).flat())
      Object.assign(rows.addresses.find(({ id }) => id === write.id) ?? {}, write, { updated_at: at });
    for (const row of addresses.create) rows.addresses.push({ ...row, updated_at: at });
    for (const { id, ...seen } of addresses.note)
      Object.assign(rows.addresses.find((row) => row.id === id) ?? {}, seen);
    for (const row of conflicts.create) rows.conflicts.push({ ...row, status: 'open' });
    for (const { id, ...row } of conflicts.reopen)
      Object.assign(rows.conflicts.find((known) => known.id === id) ?? {}, row, { status: 'open' });
    for (const { id } of conflicts.gone)
      Object.assign(rows.conflicts.find((known) => known.id === id) ?? {}, { status: 'gone' });
    rows.subnets = rows.subnets.filter(({ id }) => !subnets.remove.includes(id));
    rows.sightings = rows.sightings.filter(({ id }) => !sightings.end.includes(id));
    for (const row of rows.sightings) if (sightings.confirm.includes(row.id)) row.last_seen_at = at;
    rows.sightings.push(...sightings.create);
  }
}

/** What a plan changes, as text. A confirmation of a contested sighting changes nothing. */
const listChanges = ({ subnets, addresses, conflicts, sightings }: DiscoveryPlan) =>
  Object.entries({ ...{ subnets, addresses, conflicts }, sightings: { ...sightings, confirm: [] } }).flatMap(
    ([table, lists]) =>
      Object.entries(lists).flatMap(([what, list]) =>
        (list as unknown[]).map((row) => `${what} ${table} ${JSON.stringify(row)}`),
      ),
  );

describe('planDiscovery', () => {
  it('changes nothing when the same is read twice, whatever people did before', () => {
    fc.assert(
      fc.property(history, ({ subnets, steps }) => {
        const store = new Store(subnets);
        for (const one of steps) {
          store.now = new Date(store.now.getTime() + one.hours * 3_600_000);
          for (const item of one.actions) store.act(item);
          const reserved = store.listReserved();
          store.apply(store.plan(one));
          expect(store.listReserved()).toEqual(reserved);
          expect(listChanges(store.plan(one))).toEqual([]);
          const places = store.rows.addresses.map((row) => `${row.network_id} ${row.address}`);
          expect(new Set(places).size).toBe(places.length);
        }
      }),
      { numRuns: getRunCount(300, 8000) },
    );
  });

  it('gives the place that an address leaves to the workload that was seen there, in either order', () => {
    const onCard = (mac: string, bridge: string, address: string) => ({
      ...{ isContainer: false, bridge: null },
      cards: [{ mac, bridge, configured: null, live: [{ address, prefix: 24 }] }],
    });
    const [mac1 = '', mac2 = ''] = MACS;
    const rest = { actions: [], hours: 1, leases: [], isComplete: true };
    for (const [mover, newcomer] of [
      ['w1', 'w2'],
      ['w2', 'w1'],
    ] as const) {
      const store = new Store(NETWORKS.map((network) => ({ network, cidr: '10.0.0.0/24' })));
      const none = { w1: null, w2: null, w3: null };
      store.apply(store.plan({ ...rest, guests: { ...none, [mover]: onCard(mac1, 'vmbr0', '10.0.0.1') } }));
      const guests = { [mover]: onCard(mac1, 'vmbr1', '10.0.0.1'), [newcomer]: onCard(mac2, 'vmbr0', '10.0.0.1') };
      store.apply(store.plan({ ...rest, guests: { ...none, ...guests } }));
      expect(store.rows.conflicts).toEqual([]);
      expect(store.rows.addresses).toMatchObject([
        { network_id: 'vmbr1', workload_id: mover, state: 'active' },
        { network_id: 'vmbr0', workload_id: newcomer, state: 'active' },
      ]);
    }
  });
});
