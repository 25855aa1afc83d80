import { addressSetHas } from '@/domain/firewall/address-set';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import type { AddressEvidence, AddressFinding } from '@/domain/ipam/findings/address-evidence';
import { findAddressFindings } from '@/domain/ipam/findings/find-findings';
import { parseIp } from '@/domain/net/ip-address';
import { closeConflicts, insertConflicts, reopenConflicts } from '../../addresses/queries/discovery';
import { endSeenSources } from '../../addresses/queries/sightings';
import { db } from '../../db/client';
import { ipamConflicts } from '../../db/schema/ipam';
import { updateRows } from '../../db/update-rows';
import type { FirewallState } from '../../enforcement/policies/firewall-state/firewall-state';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { liveStateAt } from '../../enforcement/policies/firewall-state/views';
import { publishEvent } from '../../events/event-hub';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import {
  listClustersWithSightings,
  listStoredFindings,
  loadAddressEvidence,
  lockFindings,
} from '../queries/address-evidence';

/** Open findings of one kind in one cluster: a scan through a prefix must not fill the list. */
const MOST_OF_KIND = 1000;
/** Newer evidence of an open finding is noted at most this often. */
const EVIDENCE_NOTE_MS = 60 * 60 * 1000;

type Row = typeof ipamConflicts.$inferInsert & { id: string };

/** Whether the IP filter of an interface drops packets from an address; only what was read completely is known to. */
export function buildForbids(firewall: FirewallState): AddressEvidence['forbids'] {
  const filters = new Map<string, ReturnType<typeof prepareGuest> | null>();
  const prepare = (workloadId: string, name: string) => {
    const workload = firewall.inputs.workloads.get(workloadId);
    const guest = firewall.snapshots.guests.get(workloadId)?.state;
    const nic = guest?.nics?.find((one) => one.name === name);
    if (!workload || !guest || !nic || guest.pending_nics.includes(name)) return null;
    const prepared = prepareGuest(liveStateAt(firewall, workload), nic);
    const { cluster, guest: isEnabled, nic: isFiltered } = prepared.switches;
    return cluster && isEnabled && isFiltered ? prepared : null;
  };
  return ({ workload_id, nic, address }) => {
    const key = `${workload_id} ${nic}`;
    const known = filters.get(key);
    const prepared = known === undefined ? prepare(workload_id, nic) : known;
    filters.set(key, prepared);
    const ip = parseIp(address);
    return Boolean(
      ip && prepared?.filters.every(({ ip_filter }) => ip_filter !== null && addressSetHas(ip_filter, ip) === 'no'),
    );
  };
}

/** What makes it the same finding when it is found again. */
function buildKey({ kind, network_id, address, ip_address_id, holder, other }: AddressFinding): string {
  switch (kind) {
    case 'duplicate_address':
      return `traffic ${network_id} ${address} ${holder?.workload_id} ${other?.workload_id}`;
    case 'stale_address':
      return `${ip_address_id}`;
    case 'moved_address':
      return `${network_id} ${address} ${holder?.workload_id} ${holder?.nic} ${other?.workload_id} ${other?.nic}`;
    case 'spoofed_address':
    case 'unmanaged_address':
      return `${network_id} ${address} ${other?.workload_id} ${other?.nic}`;
  }
}

const toTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());

const toRow = (cluster_id: string, finding: AddressFinding): Row => ({
  id: newId(),
  cluster_id,
  kind: finding.kind,
  key: buildKey(finding),
  ip_address_id: finding.ip_address_id,
  network_id: finding.network_id,
  address: finding.address,
  workload_id: finding.holder?.workload_id ?? null,
  interface_name: finding.holder?.nic ?? null,
  other_workload_id: finding.other?.workload_id ?? null,
  other_interface_name: finding.other?.nic ?? null,
  other_mac: finding.other?.mac ?? null,
  other_source: finding.other?.source ?? null,
  reason: finding.reason,
  began_at: toTime(finding.began),
  evidence_at: toTime(finding.last),
});

/** Two workloads that say that they have an address: that is what discoveries detect. */
const isOfDiscovery = ({ kind, other }: AddressFinding) => kind === 'duplicate_address' && other?.source !== 'traffic';

/** The rows of the findings, at most so many of each kind. */
function listRows(clusterId: string, findings: readonly AddressFinding[]): Map<string, Row> {
  const counts = new Map<string, number>();
  const rows = new Map<string, Row>();
  for (const finding of findings) {
    const count = counts.get(finding.kind) ?? 0;
    const row = toRow(clusterId, finding);
    const name = `${row.kind} ${row.key}`;
    if (isOfDiscovery(finding) || count >= MOST_OF_KIND || rows.has(name)) continue;
    counts.set(finding.kind, count + 1);
    rows.set(name, row);
  }
  return rows;
}

/**
 * Compares what all sources say about the addresses of a cluster, and stores what contradicts each other as conflicts. Findings
 * that a user resolved stay resolved while they are found.
 */
export async function settleClusterFindings(clusterId: string): Promise<void> {
  const forbids = buildForbids(await readFirewallState());
  const now = clock.now();
  await db.transaction(async (tx) => {
    await lockFindings(tx, clusterId);
    const world = await loadAddressEvidence(tx, clusterId, now);
    const found = listRows(clusterId, findAddressFindings({ ...world, forbids }));
    const stored = await listStoredFindings(tx, clusterId);
    const known = new Map(stored.map((row) => [`${row.kind} ${row.key}`, row]));
    const create: Row[] = [];
    const reopen: Row[] = [];
    const newer: (Pick<Row, 'began_at' | 'evidence_at' | 'ip_address_id'> & { id: string })[] = [];
    for (const [name, row] of found) {
      const before = known.get(name);
      if (!before) create.push(row);
      else if (before.status === 'gone') reopen.push({ ...row, id: before.id });
      else {
        const age = Date.parse(row.evidence_at ?? '') - Date.parse(before.evidence_at ?? '');
        if (age >= EVIDENCE_NOTE_MS || row.ip_address_id !== before.ip_address_id) {
          const { began_at, evidence_at, ip_address_id } = row;
          newer.push({ id: before.id, began_at, evidence_at, ip_address_id });
        }
      }
    }
    const gone = stored.filter(({ kind, key, status }) => status !== 'gone' && !found.has(`${kind} ${key}`));
    await insertConflicts(tx, create);
    await reopenConflicts(tx, reopen);
    await updateRows(tx, ipamConflicts, newer);
    await closeConflicts(
      tx,
      gone.map(({ id }) => id),
    );
    if (create.length + reopen.length + gone.length > 0)
      await publishEvent(tx, { type: 'ipam.changed', cluster_id: clusterId });
  });
}

/** Settles the findings of all clusters, one after the other. */
export async function settleFindings(signal?: AbortSignal): Promise<void> {
  await endSeenSources(db, clock.now());
  for (const clusterId of await listClustersWithSightings(db)) {
    signal?.throwIfAborted();
    await settleClusterFindings(clusterId);
  }
}
