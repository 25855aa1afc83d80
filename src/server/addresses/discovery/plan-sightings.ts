import { FINDING_TIMES } from '@/domain/ipam/findings/address-evidence';
import { isHostAddress } from '@/domain/ipam/host-address';
import { parseIp } from '@/domain/net/ip-address';
import { groupBy } from '../../lib/group-by';
import type { OpenSighting, SightingPlan } from '../queries/sightings';
import type { GuestReading, Observed } from './observe';

/** While nothing contradicts it, being seen is noted at most this often. */
export const SIGHTING_NOTE_MS = 30 * 60 * 1000;

type SightingInput = {
  readings: readonly GuestReading[];
  observed: ReadonlyMap<string, Observed>;
  networks: ReadonlyMap<string, string>;
  open: readonly OpenSighting[];
  leasesComplete: boolean;
  newId: () => string;
  now: Date;
};

type Claim = Omit<OpenSighting, 'id' | 'last_seen_at'>;

const buildKey = ({ workload_id, nic, address, source }: Pick<Claim, 'workload_id' | 'nic' | 'address' | 'source'>) =>
  `${workload_id} ${nic} ${address} ${source}`;

/** What all sources say about a workload, the less trusted ones as well. */
function listClaims({ workload_id, settings }: GuestReading, observed: Observed, input: SightingInput): Claim[] {
  const nics = new Map((settings?.nics ?? []).map((nic) => [nic.name, nic]));
  return observed.claims.flatMap(({ nic: name, address, source, seen_on }) => {
    const nic = nics.get(name);
    const ip = parseIp(address);
    if (!nic || !ip || !isHostAddress(ip)) return [];
    return [
      {
        ...{ workload_id, nic: name, address, source, seen_on },
        network_id: input.networks.get(nic.bridge ?? '') ?? null,
        vlan_tag: nic.vlan_tag,
        mac: nic.mac?.toLowerCase() ?? null,
      },
    ];
  });
}

/** Whether a source was read and does not have it: what could not be read is unknown, and stays. */
function isDisproved(row: OpenSighting, { settings }: GuestReading, observed: Observed, leasesComplete: boolean) {
  if (!settings || observed.macs === null) return false;
  const nic = settings.nics.find(({ name }) => name === row.nic);
  if (!nic) return true;
  switch (row.source) {
    case 'config':
    case 'cloudinit':
      return true;
    case 'sdn':
      return leasesComplete;
    case 'agent':
      return nic.mac !== null && observed.heard.has(nic.mac.toLowerCase());
    case 'traffic':
      return false;
  }
}

/**
 * Plans what a discovery stores of each source's own word. An interface that is attached elsewhere, or has another MAC address,
 * begins a new sighting. Where several workloads have an address, every confirmation is noted: who has it at the same time
 * depends on it.
 */
export function planSightings(input: SightingInput): SightingPlan {
  const { readings, observed, open, leasesComplete, newId, now } = input;
  const at = now.toISOString();
  const plan: SightingPlan = { create: [], confirm: [], end: [] };
  const openOf = groupBy(open, ({ workload_id }) => workload_id);
  const claims = new Map<string, Claim[]>();
  for (const reading of readings) {
    const found = observed.get(reading.workload_id);
    if (found) claims.set(reading.workload_id, listClaims(reading, found, input));
  }
  const recent = open.filter(({ last_seen_at }) => now.getTime() - Date.parse(last_seen_at) < FINDING_TIMES.recent);
  const holders = groupBy([...recent, ...[...claims.values()].flat()], ({ address }) => address);
  const isContested = (address: string) =>
    new Set(holders.get(address)?.map(({ workload_id }) => workload_id)).size > 1;
  for (const reading of readings) {
    const found = observed.get(reading.workload_id);
    if (!found) continue;
    const reported = new Map((claims.get(reading.workload_id) ?? []).map((claim) => [buildKey(claim), claim]));
    for (const row of openOf.get(reading.workload_id) ?? []) {
      const claim = reported.get(buildKey(row));
      const isSame = claim?.network_id === row.network_id && claim.vlan_tag === row.vlan_tag && claim.mac === row.mac;
      if (claim && isSame) {
        reported.delete(buildKey(row));
        if (now.getTime() - Date.parse(row.last_seen_at) >= SIGHTING_NOTE_MS || isContested(row.address))
          plan.confirm.push(row.id);
      } else if (claim || isDisproved(row, reading, found, leasesComplete)) plan.end.push(row.id);
    }
    for (const claim of reported.values())
      plan.create.push({ ...claim, id: newId(), first_seen_at: at, last_seen_at: at });
  }
  return plan;
}
