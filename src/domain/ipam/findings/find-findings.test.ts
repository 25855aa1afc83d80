import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cidrContains, parseCidr } from '../../net/cidr';
import { parseIp } from '../../net/ip-address';
import type { AddressEvidence, AddressFinding, AddressRegistration, AddressSighting } from './address-evidence';
import { findAddressFindings } from './find-findings';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 30 * DAY;
const [STALE, RECENT, MOVED] = [NOW - 7 * DAY, NOW - DAY, NOW - 7 * DAY];

type Evidence = Omit<AddressEvidence, 'forbids'> & { forbidden: string };

const find = ({ forbidden, ...world }: Evidence): AddressFinding[] =>
  findAddressFindings({ ...world, forbids: ({ workload_id, nic }) => `${workload_id} ${nic}` === forbidden });

const sameSegment = (
  a: { network_id: string | null; vlan_tag: number | null },
  b: { network_id: string | null; vlan_tag: number | null },
) => a.network_id !== null && a.network_id === b.network_id && (a.vlan_tag ?? 0) === (b.vlan_tag ?? 0);

/** The same questions, each answered by going through everything for every candidate. */
function oracle(world: Evidence): Set<string> {
  const { sightings, registrations, interfaces, prefixes, running } = world;
  const found = new Set<string>();
  const claim = (s: AddressSighting) => s.source !== 'traffic';
  const hours = Array.from({ length: NOW / HOUR + 1 }, (_, i) => i * HOUR);
  const covers = (s: AddressSighting, t: number) => s.first <= t && t <= s.last;
  const together = (a: AddressSighting, b: AddressSighting) => hours.some((t) => covers(a, t) && covers(b, t));
  const recent = (s: AddressSighting) => s.last >= RECENT;
  const own = (s: AddressSighting) =>
    registrations.some((r) => r.address === s.address && r.workload_id === s.workload_id) ||
    sightings.some(
      (c) =>
        claim(c) &&
        c.workload_id === s.workload_id &&
        c.address === s.address &&
        hours.some((t) => covers(s, t) && c.first <= t && (t <= c.last || !c.ended)),
    );
  const concerns = (r: AddressRegistration, s: AddressSighting) => {
    if (r.address !== s.address) return false;
    const nics = interfaces.filter(({ workload_id }) => workload_id === r.workload_id);
    return r.workload_id === null || nics.length === 0
      ? r.network_id === s.network_id
      : nics.some((nic) => sameSegment(nic, s));
  };
  const overruled = (s: AddressSighting) => {
    const guest = sightings.filter(
      (c) => c.source === 'agent' && !c.ended && c.workload_id === s.workload_id && c.nic === s.nic,
    );
    const family = guest.filter((c) => c.address.includes(':') === s.address.includes(':'));
    return (
      ['config', 'cloudinit'].includes(s.source) && family.length > 0 && !guest.some((c) => c.address === s.address)
    );
  };
  const holds = (s: AddressSighting) => claim(s) || own(s);
  const holdersAgainst = (s: AddressSighting) =>
    sightings.filter(
      (h) =>
        holds(h) &&
        h.workload_id !== s.workload_id &&
        h.address === s.address &&
        sameSegment(h, s) &&
        recent(h) &&
        together(h, s),
    );
  const spoofed = (s: AddressSighting) => {
    if (claim(s) || !recent(s)) return null;
    if (!own(s) && holdersAgainst(s).length > 0) return 'held';
    if (!own(s) && registrations.some((r) => r.workload_id !== null && concerns(r, s) && r.since <= s.last))
      return 'registered';
    return `${s.workload_id} ${s.nic}` === world.forbidden ? 'ip_filter' : null;
  };
  const unexplained = (s: AddressSighting) =>
    !claim(s) && !own(s) && spoofed(s) !== 'held' && spoofed(s) !== 'registered';
  const longest = (address: string, network: string | null) => {
    const ip = parseIp(address);
    const around = prefixes.filter(({ cidr, network_id }) => {
      const parsed = parseCidr(cidr);
      return ip && parsed && cidrContains(parsed, ip) && (network === null || network_id === network);
    });
    const length = (cidr: string) => Number(cidr.split('/')[1]);
    const most = Math.max(...around.map(({ cidr }) => length(cidr)));
    return around.filter(({ cidr }) => length(cidr) === most);
  };
  const findAround = (s: AddressSighting) => [
    ...new Set([...(s.network_id === null ? [] : longest(s.address, s.network_id)), ...longest(s.address, null)]),
  ];
  const onLink = (s: AddressSighting) =>
    findAround(s).filter((prefix) => {
      const claims = sightings.filter(
        (c) => claim(c) && c.network_id !== null && findAround(c).some(({ cidr }) => cidr === prefix.cidr),
      );
      if (claims.some((c) => sameSegment(c, s))) return true;
      if (prefix.network_id !== s.network_id) return false;
      return prefix.vlan_tag === null ? claims.length === 0 : prefix.vlan_tag === (s.vlan_tag ?? 0);
    });

  for (const s of sightings) {
    const why = spoofed(s);
    if (why && s.network_id !== null) found.add(`spoofed ${s.address} ${s.workload_id} ${s.nic} ${why}`);
    for (const t of sightings) {
      if (s.workload_id >= t.workload_id || s.address !== t.address || !sameSegment(s, t)) continue;
      if (!recent(s) || !recent(t) || !together(s, t)) continue;
      const both = (test: (one: AddressSighting) => boolean) => test(s) && test(t);
      if (both((one) => holds(one) && !overruled(one)) || both(unexplained))
        found.add(`duplicate ${s.address} ${s.network_id} ${s.vlan_tag ?? 0} ${s.workload_id} ${t.workload_id}`);
    }
    // Seen for an hour, still there, in a prefix of the segment, and it is registered nowhere.
    const live = s.source === 'agent' || unexplained(s);
    const known = registrations.some(
      (r) =>
        r.address === s.address && (r.network_id === s.network_id || r.workload_id === s.workload_id || concerns(r, s)),
    );
    const here = s.network_id === null ? [] : onLink(s);
    if (live && !known && !s.ended && recent(s) && NOW - s.first >= HOUR && here.length > 0)
      if (!here.some(({ gateway }) => gateway === s.address))
        found.add(`unmanaged ${s.address} ${s.workload_id} ${s.nic}`);
    // Walks back from now to the last moment at which another interface had it.
    const claims = sightings.filter((c) => claim(c) && c.address === s.address && sameSegment(c, s));
    const isHere = (c: AddressSighting) => c.workload_id === s.workload_id && c.nic === s.nic;
    const has = (c: AddressSighting, t: number) => c.first <= t && (c.ended ? t <= c.last : t <= NOW);
    const others = claims.filter((c) => !isHere(c));
    const mine = claims.filter(isHere);
    const left = hours.findLast((t) => others.some((c) => has(c, t)));
    if (!claim(s) || left === undefined || left === NOW || others.some(({ ended }) => !ended)) continue;
    if (!mine.some(({ ended }) => !ended) || mine.some((c) => has(c, left))) continue;
    const came = hours.find((t) => t > left && mine.some((c) => has(c, t)));
    if (came !== undefined && came >= MOVED) found.add(`moved ${s.address} ${s.workload_id} ${s.nic} ${left} ${came}`);
  }
  for (const r of registrations) {
    const runs = running.get(r.workload_id ?? '');
    if (r.state !== 'active' || r.since > STALE || runs === undefined || runs > STALE) continue;
    const live = sightings.filter(
      (s) => s.workload_id === r.workload_id && (s.source === 'agent' || s.source === 'traffic'),
    );
    const watched = live.some(({ first }) => first <= STALE) && live.some(({ last }) => last >= RECENT);
    const seen = sightings.some(
      (s) => s.address === r.address && (s.workload_id === r.workload_id || concerns(r, s)) && s.last >= STALE,
    );
    if (watched && !seen) found.add(`stale ${r.id}`);
  }
  return found;
}

function toLine(finding: AddressFinding, world: Evidence): string {
  const { kind, address, network_id, holder, other, reason, began, last, ip_address_id } = finding;
  switch (kind) {
    case 'duplicate_address': {
      const nic = world.interfaces.find((one) => one.workload_id === other?.workload_id && one.nic === other?.nic);
      return `duplicate ${address} ${network_id} ${nic?.vlan_tag ?? 0} ${holder?.workload_id} ${other?.workload_id}`;
    }
    case 'spoofed_address':
      return `spoofed ${address} ${other?.workload_id} ${other?.nic} ${reason}`;
    case 'unmanaged_address':
      return `unmanaged ${address} ${other?.workload_id} ${other?.nic}`;
    case 'moved_address':
      return `moved ${address} ${other?.workload_id} ${other?.nic} ${last} ${began}`;
    case 'stale_address':
      return `stale ${ip_address_id}`;
  }
}

const INTERFACES = [
  { workload_id: 'a', nic: 'net0', network_id: 'lan', vlan_tag: null },
  { workload_id: 'a', nic: 'net1', network_id: 'lan', vlan_tag: 20 },
  { workload_id: 'b', nic: 'net0', network_id: 'lan', vlan_tag: null },
  { workload_id: 'b', nic: 'net1', network_id: 'dmz', vlan_tag: null },
  { workload_id: 'c', nic: 'net0', network_id: 'lan', vlan_tag: 20 },
  { workload_id: 'c', nic: 'net1', network_id: null, vlan_tag: null },
];
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.1.9', '192.168.5.5', '2001:db8::5'];
const PREFIXES = [
  { network_id: 'lan', cidr: '10.0.0.0/24', vlan_tag: null, gateway: '10.0.0.1' },
  { network_id: 'lan', cidr: '10.0.0.0/16', vlan_tag: 20, gateway: null },
  { network_id: 'found', cidr: '10.0.1.0/24', vlan_tag: null, gateway: null },
  { network_id: 'dmz', cidr: '10.0.0.0/24', vlan_tag: null, gateway: null },
  { network_id: 'dmz', cidr: '2001:db8::/64', vlan_tag: null, gateway: null },
];

const someTime = fc.constantFrom(
  ...[2 * DAY, 5 * DAY, 22 * DAY, 23 * DAY, 24 * DAY, 28 * DAY],
  ...[NOW - 30 * HOUR, NOW - 20 * HOUR, NOW - 2 * HOUR, NOW],
);
const someSighting: fc.Arbitrary<AddressSighting> = fc
  .record({
    at: fc.constantFrom(...INTERFACES),
    address: fc.constantFrom(...ADDRESSES),
    source: fc.constantFrom(
      'agent' as const,
      'sdn' as const,
      'config' as const,
      'traffic' as const,
      'traffic' as const,
    ),
    times: fc.tuple(someTime, someTime),
    ended: fc.boolean(),
  })
  .map(({ at, times, ...rest }) => ({
    ...at,
    mac: null,
    ...rest,
    first: Math.min(...times),
    last: Math.max(...times),
  }));
const someRegistration = fc.record({
  network_id: fc.constantFrom('lan', 'dmz', 'found'),
  address: fc.constantFrom(...ADDRESSES),
  workload_id: fc.constantFrom('a', 'b', 'c', 'd', null),
  state: fc.constantFrom('active', 'active', 'stale', 'reserved'),
  since: someTime,
});
const someEvidence: fc.Arbitrary<Evidence> = fc
  .record({
    sightings: fc.array(someSighting, { maxLength: 9 }),
    registrations: fc.array(someRegistration, { maxLength: 3 }),
    prefixes: fc.subarray(PREFIXES),
    running: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), someTime), { selector: ([id]) => id }),
    forbidden: fc.constantFrom('', '', 'a net0', 'b net1'),
  })
  .map(({ registrations, running, ...rest }) => ({
    ...rest,
    now: NOW,
    registrations: registrations.map((one, i) => ({ ...one, id: `r${i}` })),
    interfaces: INTERFACES,
    running: new Map(running),
  }));

/** Ten workloads on a bridge, each with an address that all sources see, behind a router that sends packets of others. */
function makeCleanCluster(): Evidence {
  const interfaces = Array.from({ length: 10 }, (_, i) => ({
    workload_id: `w${i}`,
    nic: 'net0',
    network_id: 'lan',
    vlan_tag: i < 5 ? 10 : 20,
  }));
  const at = (i: number) => `10.1.${i < 5 ? 10 : 20}.${i + 1}`;
  const seen = { mac: null, first: DAY, last: NOW, ended: false };
  const sightings: AddressSighting[] = interfaces.flatMap((nic, i) =>
    (['agent', 'config', 'traffic'] as const).map((source) => ({ ...nic, ...seen, address: at(i), source })),
  );
  const router = [10, 20].map((vlan_tag, i) => ({
    workload_id: 'router',
    nic: `net${i}`,
    network_id: 'lan',
    vlan_tag,
  }));
  for (const nic of router) {
    const own = `10.1.${nic.vlan_tag}.254`;
    for (const source of ['agent', 'traffic'] as const) sightings.push({ ...nic, ...seen, address: own, source });
    for (let i = 0; i < 10; i += 1)
      if (interfaces[i]?.vlan_tag !== nic.vlan_tag)
        sightings.push({ ...nic, ...seen, address: at(i), source: 'traffic' });
  }
  const registration = (workload_id: string, address: string, i: number) => ({
    ...{ id: `r${i}`, network_id: 'found', address, workload_id, state: 'active', since: DAY },
  });
  return {
    now: NOW,
    sightings,
    registrations: [
      ...interfaces.map((nic, i) => registration(nic.workload_id, at(i), i)),
      ...router.map((nic, i) => registration('router', `10.1.${nic.vlan_tag}.254`, 10 + i)),
    ],
    prefixes: [10, 20].map((third) => ({
      ...{ network_id: 'found', cidr: `10.1.${third}.0/24`, vlan_tag: null, gateway: `10.1.${third}.254` },
    })),
    interfaces: [...interfaces, ...router],
    running: new Map(interfaces.map(({ workload_id }) => [workload_id, DAY])),
    forbidden: '',
  };
}

describe('findAddressFindings', () => {
  it('equals a search through all pairs and all hours', () => {
    fc.assert(
      fc.property(someEvidence, (world) => {
        const found = find(world).map((finding) => toLine(finding, world));
        expect([...new Set(found)].sort()).toEqual([...oracle(world)].sort());
      }),
      { numRuns: 600 },
    );
  });

  it('finds nothing in a clean world, with a router that forwards between two segments', () => {
    expect(find(makeCleanCluster())).toEqual([]);
  });

  it('finds every planted conflict and nothing else', () => {
    const world = makeCleanCluster();
    const nic = (id: string) => ({ ...(world.interfaces.find((one) => one.workload_id === id) as never as object) });
    const plant = (id: string, address: string, more: Partial<AddressSighting>): AddressSighting =>
      ({
        ...nic(id),
        mac: null,
        address,
        source: 'agent',
        first: NOW - 2 * DAY,
        last: NOW,
        ended: false,
        ...more,
      }) as never;
    const sightings = [
      ...world.sightings,
      plant('w1', '10.1.10.1', {}),
      plant('w2', '10.1.10.4', { source: 'traffic' }),
      plant('w6', '10.1.20.77', { source: 'traffic' }),
      plant('w7', '10.1.20.99', { first: DAY, last: NOW - 3 * DAY, ended: true }),
      plant('w8', '10.1.20.99', {}),
    ];
    const extra = { network_id: 'found', state: 'active', since: DAY };
    const registrations = [
      ...world.registrations,
      { ...extra, id: 'idle', address: '10.1.10.55', workload_id: 'w0' },
      { ...extra, id: 'vip', address: '10.1.20.99', workload_id: 'w8' },
    ];
    const lines = find({ ...world, sightings, registrations }).map((one) => toLine(one, world));
    expect(lines.sort()).toEqual([
      'duplicate 10.1.10.1 lan 10 w0 w1',
      `moved 10.1.20.99 w8 net0 ${NOW - 3 * DAY} ${NOW - 2 * DAY}`,
      'spoofed 10.1.10.4 w2 net0 held',
      'stale idle',
      // Registered nowhere: the second interface with the first one's address is known by its workload only.
      'unmanaged 10.1.20.77 w6 net0',
    ]);
  });

  it('finds nothing about an address whose workload could not be observed', () => {
    const world = makeCleanCluster();
    const sightings = world.sightings.filter(({ workload_id }) => workload_id !== 'w0');
    expect(find({ ...world, sightings })).toEqual([]);
    const stopped = {
      ...world,
      running: new Map(),
      sightings: world.sightings.filter(({ source }) => source === 'agent'),
    };
    expect(find(stopped)).toEqual([]);
  });

  it('finds nothing about old moves, configured addresses that the guest does not use, and workloads observed since yesterday', () => {
    const world = makeCleanCluster();
    const at = (id: string) => world.interfaces.find((one) => one.workload_id === id) ?? INTERFACES[0];
    const seen = { mac: null, first: DAY, last: NOW, ended: false };
    const ended = { ...seen, ...at('w5'), source: 'sdn', address: '10.1.20.99', last: NOW - 8 * DAY, ended: true };
    const taken = { ...seen, ...at('w6'), source: 'sdn', address: '10.1.20.99', first: NOW - 8 * DAY + HOUR };
    const idle = { ...seen, ...at('w0'), source: 'config', address: '10.1.10.2' };
    const extra = [ended, taken, idle] as unknown as AddressSighting[];
    const registration = { network_id: 'found', state: 'active', since: DAY, workload_id: 'w9' };
    const fresh = world.sightings.map((one) => (one.workload_id === 'w9' ? { ...one, first: NOW - DAY } : one));
    const registrations = [...world.registrations, { ...registration, id: 'idle', address: '10.1.20.200' }];
    expect(find({ ...world, sightings: [...fresh, ...extra], registrations })).toEqual([]);
  });
});
