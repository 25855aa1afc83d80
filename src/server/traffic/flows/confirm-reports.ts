import { setTimeout as delay } from 'node:timers/promises';
import { settleReport } from '@/domain/flow/observer';
import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import type { openProvider } from '../../inventory/cluster-access';
import { type GuestLocations, readGuestLocations } from '../../inventory/read-guest-locations';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { logger } from '../../lib/logger';
import { processState } from '../../lib/process-state';
import { findNodeName } from '../queries/agent-enrollments';
import { addConfirmedFlows, claimRefusalRecord, lockAgent } from '../queries/agents';
import type { UnconfirmedRow, ValidFlow, WaitingReport } from '../storage/flow-rows';
import { flowStore } from '../storage/flow-store';
import { type AddressBook, freshAddressBook } from './address-book';
import { attributeFlow, confirmedObserver, endLookup, isResolvable } from './known-ends';

/** Reports of one step. */
const CHUNK = 2_000;
/** A cluster is asked at most this often, and less often when it does not answer. */
const READ_PAUSE_MS = 15_000;
const FAILED_PAUSE_MS = 60_000;
/** A node that reports about guests which it does not have is recorded this often. */
const RECORD_PAUSE_MS = 3_600_000;

const scope = systemScope('cluster:sync', 'flow confirmation');
const state = processState(() => ({ nextReadAt: new Map<string, number>() }));

type Options = { signal?: AbortSignal | undefined; openProvider?: typeof openProvider };
export type Settled = { confirmed: number; refused: number; waiting: number };

/** A report as evaluated with the current inventory; null for an invalid address. */
function resolveReport(row: UnconfirmedRow, book: AddressBook, endOf: ReturnType<typeof endLookup>): ValidFlow[] {
  const { record } = row.report;
  const [source, destination] = [endOf(record.source_ip), endOf(record.destination_ip)];
  if (!source || !destination) return [];
  const { cluster_id, node_id, vmid } = row;
  const sighting = { cluster_id, node_id, vmid, at: Date.parse(row.observed_at) };
  const workload_id = confirmedObserver(book, sighting);
  const ends = attributeFlow(book, sighting, source, destination, workload_id);
  return [
    {
      ...row.report,
      record: { ...record, workload_id, ...ends, source_cidr: source.cidr, destination_cidr: destination.cidr },
      source_prefix: source.prefix,
      destination_prefix: destination.prefix,
      is_resolvable: isResolvable([source, destination], ends, { vmid, workload_id }),
    },
  ];
}

/** Rows in parts that hold each flow once, as heartbeats do, in the order in which they came. */
function splitIntoParts(rows: readonly UnconfirmedRow[], book: AddressBook, clusterId: string): ValidFlow[][] {
  const endOf = endLookup(book, clusterId);
  const parts: Map<string, ValidFlow>[] = [];
  let received = '';
  for (const row of rows) {
    for (const flow of resolveReport(row, book, endOf)) {
      const last = parts.at(-1);
      if (last && row.received_at === received && !last.has(flow.record.flow_key)) last.set(flow.record.flow_key, flow);
      else parts.push(new Map([[flow.record.flow_key, flow]]));
    }
    received = row.received_at;
  }
  return parts.map((part) => [...part.values()].sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1)));
}

/** Stores reports of a node as its heartbeats would, each once: the transaction that takes a row stores it. */
async function confirm(tx: Tx, node: Node, ids: readonly number[], book: AddressBook, now: string): Promise<number> {
  const rows = await flowStore().unconfirmed.take(tx, node.node_id, ids);
  let accepted = 0;
  for (const flows of splitIntoParts(rows, book, node.cluster_id))
    accepted += await flowStore().append(tx, node, flows, now);
  const oldest = rows.reduce<string | null>((a, { observed_at: b }) => (a === null || b < a ? b : a), null);
  // A count that finishes in between causes more flows to be checked, never fewer.
  const mark = await flowStore().hits.findMark(tx, node.node_id);
  const counted = { accepted, updated: rows.length - accepted, oldest, counted_until: mark?.until ?? null };
  await addConfirmedFlows(tx, node.node_id, counted, now);
  return rows.length;
}

type Node = { node_id: string; cluster_id: string };
type Refusal = { id: number; vmid: number; placed_node_id: string | null };

/** Refuses reports of a node, and records once an hour that it reported about guests that it does not have. */
async function refuse(tx: Tx, { node_id }: Node, reports: readonly Refusal[], now: string): Promise<number> {
  let refused = 0;
  for (const [placed, of] of groupBy(reports, (report) => report.placed_node_id)) {
    const ids = of.map(({ id }) => id);
    refused += await flowStore().unconfirmed.refuse(tx, node_id, ids, { node_id: placed, at: now });
  }
  const before = new Date(Date.parse(now) - RECORD_PAUSE_MS).toISOString();
  const node =
    refused > 0 && (await claimRefusalRecord(tx, node_id, now, before)) ? await findNodeName(tx, node_id) : null;
  if (!node) return refused;
  await publishEvent(tx, { type: 'inventory.changed', cluster_id: node.cluster_id });
  await recordAudit(tx, scope, {
    action: 'agent.reports_refused',
    object_kind: 'node',
    object_id: node_id,
    object_name: node.name,
    after: { flows: refused, vmids: [...new Set(reports.map(({ vmid }) => vmid))].sort((a, b) => a - b).slice(0, 50) },
  });
  return refused;
}

/** Settles what can be settled of one step's reports. */
async function settleChunk(
  clusterId: string,
  reports: readonly WaitingReport[],
  book: AddressBook,
  places: GuestLocations | null,
): Promise<Settled> {
  const now = clock.now().toISOString();
  const total: Settled = { confirmed: 0, refused: 0, waiting: 0 };
  for (const [node_id, ofNode] of groupBy(reports, (report) => report.node_id)) {
    const node = { node_id, cluster_id: clusterId };
    const confirmed: number[] = [];
    const refused: Refusal[] = [];
    for (const { id, vmid, workload_id, observed_at, received_at } of ofNode) {
      const found = places?.guests.get(vmid) ?? null;
      const outcome = settleReport(
        { node_id, observed_at: Date.parse(observed_at), received_at: Date.parse(received_at) },
        book.placeOf(book.guest(clusterId, vmid) ?? workload_id),
        places && { read_at: places.read_at, found },
      );
      if (outcome === 'confirmed') confirmed.push(id);
      else if (outcome === 'refused') refused.push({ id, vmid, placed_node_id: found?.node_id ?? null });
      else total.waiting += 1;
    }
    if (confirmed.length + refused.length === 0) continue;
    await db.transaction(async (tx) => {
      await lockAgent(tx, node_id);
      total.confirmed += await confirm(tx, node, confirmed, book, now);
      total.refused += await refuse(tx, node, refused, now);
    });
  }
  return total;
}

async function settleCluster(clusterId: string, places: GuestLocations | null, signal: AbortSignal | undefined) {
  const book = await freshAddressBook();
  const total: Settled & { vmids: Set<number> } = { confirmed: 0, refused: 0, waiting: 0, vmids: new Set() };
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const started = performance.now();
    const reports = await flowStore().unconfirmed.waiting(clusterId, after, CHUNK);
    const last = reports.at(-1);
    if (!last) return total;
    after = last.id;
    for (const { vmid } of reports) total.vmids.add(vmid);
    const done = await settleChunk(clusterId, reports, book, places);
    for (const name of ['confirmed', 'refused', 'waiting'] as const) total[name] += done[name];
    await delay(performance.now() - started, undefined, { signal }).catch(() => undefined);
  }
}

/** Where the guests are now; null when it is too early to ask the cluster again, or it cannot be read. */
async function locateGuests(
  clusterId: string,
  vmids: ReadonlySet<number>,
  options: Options,
): Promise<GuestLocations | null> {
  const now = clock.now().getTime();
  const next = state.nextReadAt.get(clusterId) ?? 0;
  // A time further ahead than any pause is of a clock that was put back since.
  if (now < next && next <= now + FAILED_PAUSE_MS) return null;
  state.nextReadAt.set(clusterId, now + READ_PAUSE_MS);
  try {
    return await readGuestLocations(clusterId, vmids, options.openProvider);
  } catch (error) {
    state.nextReadAt.set(clusterId, now + FAILED_PAUSE_MS);
    logger.warn({ err: error, cluster_id: clusterId }, 'cannot read the locations of workloads');
    return null;
  }
}

/**
 * Settles reports about workloads that were not on the node that reported them: first from the current inventory, then
 * by asking the cluster, once for all of them. Confirmed flows are stored; refused ones stay for the platform;
 * undetermined ones wait. Safe to run at any time, concurrently, and to interrupt.
 */
export async function confirmReports(options: Options = {}): Promise<Settled> {
  const total: Settled = { confirmed: 0, refused: 0, waiting: 0 };
  for (const clusterId of await flowStore().unconfirmed.waitingClusters()) {
    const known = await settleCluster(clusterId, null, options.signal);
    const places = known.waiting > 0 ? await locateGuests(clusterId, known.vmids, options) : null;
    const read = places ? await settleCluster(clusterId, places, options.signal) : null;
    total.confirmed += known.confirmed + (read?.confirmed ?? 0);
    total.refused += known.refused + (read?.refused ?? 0);
    total.waiting += read?.waiting ?? known.waiting;
  }
  if (total.confirmed + total.refused > 0) logger.info(total, 'reports about moved workloads settled');
  return total;
}
