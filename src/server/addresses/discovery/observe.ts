import { isContainerInterface, isHostAddress } from '@/domain/ipam/host-address';
import type { AddressSource, AddressState } from '@/domain/ipam/ip-address';
import { formatCidr, parseCidr, toNetwork } from '@/domain/net/cidr';
import { addressBits, formatIp, type IpAddress, parseIp } from '@/domain/net/ip-address';
import type { GuestInterfaces, GuestNic, GuestSettings, SdnLease } from '../../providers/hypervisor/types';

/** Sources in order of trust: what is in use, what was handed out, what is configured, what was wished for. */
export const TRUST = ['agent', 'sdn', 'config', 'cloudinit'] as const satisfies readonly AddressSource[];
export type DiscoverySource = (typeof TRUST)[number];

/** What could be read of one guest. */
export type GuestReading = {
  workload_id: string;
  vmid: number;
  kind: 'qemu' | 'lxc';
  /** Null when the configuration could not be read: then nothing is known. */
  settings: GuestSettings | null;
  /** Null when the guest could not be asked, or does not run. */
  live: GuestInterfaces | null;
};

/** One address that a guest has, or should have, on one of its cards. */
export type Observation = {
  workload_id: string;
  address: string;
  ip: IpAddress;
  /** Length that the source gives it. */
  prefix: number | null;
  nic: string;
  /** Lower case. */
  mac: string | null;
  bridge: string | null;
  source: DiscoverySource;
  state: Extract<AddressState, 'active' | 'dhcp'>;
  gateway: string | null;
};

/** What follows from a reading: addresses seen, addresses of containers, and on which cards the guest itself was heard. */
export type Observed = {
  observations: Observation[];
  /** What every source says, also where a more trusted one decides. */
  claims: { nic: string; address: string; source: DiscoverySource; seen_on: string | null }[];
  /** Addresses on interfaces of containers and loopback. */
  container: Set<string>;
  /** Prefixes of these interfaces: an address there that no one else has belongs to a container. */
  containerPrefixes: string[];
  /** Cards (MAC, lower case) whose addresses the guest itself listed: what it did not name there is not in use. */
  heard: Set<string>;
  /** Cards that the guest has, null when unknown. */
  macs: Set<string> | null;
  ignored: number;
};

const MAX_PER_GUEST = 512;

type Found = { address: string; prefix: number | null; source: DiscoverySource; seen_on?: string };

/** A value of `ip` or `ip6` as an address; `dhcp`, `auto` and `manual` are none. */
function parseConfigured(value: string | undefined, source: DiscoverySource): Found[] {
  const cidr = value === undefined ? null : parseCidr(value);
  return cidr ? [{ address: formatIp(cidr.address), prefix: cidr.prefix, source }] : [];
}

/** The prefix of a bridge of containers by its own address; ends of cables, which have none, hold no others. */
function bridgePrefix(address: string, prefix: number | null): string[] {
  const ip = parseIp(address);
  if (!ip || !isHostAddress(ip) || prefix === null || prefix < 8 || prefix >= addressBits(ip.family)) return [];
  return [formatCidr(toNetwork({ address: ip, prefix }))];
}

/** Whether the card gets its addresses of this family by themselves. */
function isDynamic(nic: GuestNic, family: 4 | 6): boolean {
  const value = family === 4 ? nic.ip_config?.ip : nic.ip_config?.ip6;
  return value === 'dhcp' || value === 'auto';
}

/**
 * Which addresses a guest has, from everything that was read about it. Interfaces are matched with cards by MAC address,
 * never by name or order. For each card and family the most trusted source that says something decides.
 */
export function observe(reading: GuestReading, leasesOf: ReadonlyMap<string, readonly SdnLease[]>): Observed {
  const { settings, live } = reading;
  const observed: Observed = {
    observations: [],
    claims: [],
    container: new Set(),
    containerPrefixes: [],
    heard: new Set(),
    macs: null,
    ignored: 0,
  };
  if (!settings) return observed;
  const getMac = (nic: GuestNic) => nic.mac?.toLowerCase() ?? null;
  // A card that could not be understood may have any address: its absence proves nothing.
  observed.macs = settings.unreadable.length > 0 ? null : new Set(settings.nics.flatMap((nic) => getMac(nic) ?? []));
  const liveOf = new Map<string, { address: string; prefix: number | null; seen_on: string }[]>();
  observed.ignored += live?.ignored ?? 0;
  const cards = new Set(settings.nics.flatMap((nic) => getMac(nic) ?? []));
  for (const { name, mac, addresses } of live?.items ?? []) {
    const card = mac?.toLowerCase() ?? '';
    if (isContainerInterface(name)) {
      for (const { address, prefix } of addresses ?? []) {
        observed.container.add(address);
        observed.containerPrefixes.push(...bridgePrefix(address, prefix));
      }
      observed.ignored += addresses?.length ?? 0;
    } else if (!cards.has(card)) observed.ignored += addresses?.length ?? 0;
    else if (addresses !== null) {
      observed.heard.add(card);
      liveOf.set(card, [...(liveOf.get(card) ?? []), ...addresses.map((item) => ({ ...item, seen_on: name }))]);
    }
  }
  for (const nic of settings.nics) {
    const mac = getMac(nic);
    if (isContainerInterface(nic.bridge ?? '')) continue;
    const heard = mac !== null && observed.heard.has(mac);
    const wished = reading.kind === 'lxc' ? 'config' : 'cloudinit';
    const usable = reading.kind === 'qemu' || settings.os_managed;
    const sources: Record<DiscoverySource, Found[]> = {
      agent: (liveOf.get(mac ?? '') ?? []).map((item) => ({ ...item, source: 'agent' })),
      sdn: (leasesOf.get(mac ?? '') ?? [])
        .filter((lease) => lease.vmid === null || lease.vmid === reading.vmid)
        .map(({ address }) => ({ address, prefix: null, source: 'sdn' })),
      config: [],
      cloudinit: [],
    };
    if (usable)
      sources[wished] = [...parseConfigured(nic.ip_config?.ip, wished), ...parseConfigured(nic.ip_config?.ip6, wished)];
    for (const source of TRUST)
      for (const { address, seen_on = null } of sources[source])
        if (observed.claims.length < MAX_PER_GUEST) observed.claims.push({ nic: nic.name, address, source, seen_on });
    const leased = new Set(sources.sdn.map((found) => found.address));
    const isFamily = (family: 4 | 6) => (found: Found) => found.address.includes(':') === (family === 6);
    for (const family of [4, 6] as const) {
      const reported = TRUST.map((source) => sources[source].filter(isFamily(family)));
      // Who was heard is believed, also when it has no address of this family.
      const best = heard ? reported[0] : reported.find((list) => list.length > 0);
      for (const { address, prefix, source } of best ?? []) {
        const ip = parseIp(address);
        const known = observed.observations.some((item) => item.address === address);
        if (!ip || !isHostAddress(ip) || known || observed.observations.length >= MAX_PER_GUEST) {
          if (!known) observed.ignored += 1;
          continue;
        }
        observed.observations.push({
          workload_id: reading.workload_id,
          address,
          ip,
          prefix,
          nic: nic.name,
          mac,
          bridge: nic.bridge,
          source,
          state: leased.has(address) || isDynamic(nic, family) ? 'dhcp' : 'active',
          gateway: (family === 4 ? nic.ip_config?.gw : nic.ip_config?.gw6) ?? null,
        });
      }
    }
  }
  return observed;
}

/** Whether it is proved that the guest does not have this address (any more), wherever it was known from. */
export function provesAbsence(
  reading: GuestReading,
  observed: Observed,
  row: { address: string; mac: string | null; source: AddressSource },
  leasesComplete: boolean,
): boolean {
  if (!reading.settings || observed.macs === null) return false;
  if (observed.observations.some(({ address }) => address === row.address)) return false;
  // The card is gone, so is what was on it.
  if (row.mac !== null && !observed.macs.has(row.mac)) return true;
  const heardAll = [...observed.macs].every((mac) => observed.heard.has(mac));
  if (row.mac === null ? heardAll : observed.heard.has(row.mac)) return true;
  switch (row.source) {
    case 'sdn':
      return leasesComplete;
    case 'config':
    case 'cloudinit':
      return true;
    case 'agent':
    case 'manual':
      // Only the guest itself could tell.
      return false;
  }
}
