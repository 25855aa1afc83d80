import { SEVERITIES, sensitiveServiceAt } from '@/domain/dashboard/sensitive-ports';
import type { SuspiciousSummary, SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { flowLabel } from '@/domain/flow/flow-label';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { parseIp } from '@/domain/net/ip-address';
import type { TenantReach } from '@/domain/permissions';
import type { FlowSelection } from '../../repositories/flow-conditions';
import { type SuspiciousRow, sumSuspiciousFlows } from '../../repositories/suspicious-flows';
import type { AddressBook } from '../flows/address-book';
import { stableKey } from '../flows/stable-key';
import { guestContext } from '../insights/guest-context';
import type { Board } from '../policies/board/board';
import { goneSubnets } from './gone-subnets';
import { type Judged, judgeSuspicious } from './judge-suspicious';

type Found = { judged: Judged; row: SuspiciousRow };

/** The longest known subnet of an address (null: outside), each address looked up once; undefined for what is none. */
function subnets(book: AddressBook): (address: string) => string | null | undefined {
  const known = new Map<string, string | null | undefined>();
  return (address) => {
    if (known.has(address)) return known.get(address);
    const ip = parseIp(address);
    const subnet = ip ? book.subnetOf(ip) : undefined;
    known.set(address, subnet);
    return subnet;
  };
}

/** Guests made ready, each once for all that reached it; policies in audit mode as far as `policies` reaches. */
function guests(board: Board, policies: TenantReach): (workloadId: string | null) => GuestContext | null {
  const known = new Map<string, GuestContext | null>();
  return (workloadId) => {
    if (workloadId === null) return null;
    let guest = known.get(workloadId);
    if (guest === undefined) {
      guest = guestContext(board, workloadId, policies);
      known.set(workloadId, guest);
    }
    return guest;
  };
}

const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

const merge = (a: SuspiciousRow, b: SuspiciousRow): SuspiciousRow => ({
  ...a,
  flows: a.flows + b.flows,
  bytes: sum(a.bytes, b.bytes),
  packets: sum(a.packets, b.packets),
  first_seen_ms: Math.min(a.first_seen_ms, b.first_seen_ms),
  last_seen_ms: Math.max(a.last_seen_ms, b.last_seen_ms),
});

const worstFirst = (a: Found, b: Found) =>
  a.judged.severity - b.judged.severity ||
  b.row.last_seen_ms - a.row.last_seen_ms ||
  (a.judged.key < b.judged.key ? -1 : 1);

/** The first `limit` by `order`. A few of many are picked in one pass instead of sorting all. */
function firstOf<T>(all: readonly T[], order: (a: T, b: T) => number, limit: number): T[] {
  if (limit > 100 || limit >= all.length) return [...all].sort(order).slice(0, limit);
  const first: T[] = [];
  for (const one of all) {
    const last = first[limit - 1];
    if (limit === 0 || (last !== undefined && order(one, last) >= 0)) continue;
    const at = first.findIndex((other) => order(one, other) < 0);
    first.splice(at === -1 ? first.length : at, 0, one);
    first.length = Math.min(first.length, limit);
  }
  return first;
}

function summarize(found: readonly Found[]): SuspiciousSummary {
  const summary = { total: found.length, critical: 0, high: 0, medium: 0, low: 0 };
  for (const { judged } of found) summary[SEVERITIES[judged.severity] ?? 'critical'] += 1;
  return summary;
}

/**
 * Who outside all subnets of today reached or tried to reach sensitive ports, the worst first: all of it, or the `limit`
 * worst, with the counts of all. What can be told of a workload's rules goes into the decision, policies in audit mode as
 * far as `policies` reaches.
 */
export async function readSuspicious(
  selection: FlowSelection,
  board: Board,
  policies: TenantReach,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ entries: SuspiciousTraffic[]; summary: SuspiciousSummary }> {
  const { book, gone } = await goneSubnets();
  const subnetOf = subnets(book);
  const guestOf = guests(board, policies);
  const found = new Map<string, Found>();
  for (const row of await sumSuspiciousFlows(selection, gone)) {
    if (sensitiveServiceAt(row.port) === null || subnetOf(row.source_ip) !== null) continue;
    const judged = judgeSuspicious(row, guestOf(row.destination_workload_id));
    const before = found.get(judged.key);
    if (before) before.row = merge(before.row, row);
    else found.set(judged.key, { judged, row });
  }
  const all = [...found.values()];

  // Most readers ask for the worst few: what is only shown is made of these alone.
  const entryOf = ({ judged, row }: Found): SuspiciousTraffic[] => {
    const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol } = row;
    const service = sensitiveServiceAt(port);
    const severity = SEVERITIES[judged.severity];
    if (!service || !severity) return [];
    const workload = destination_workload_id === null ? undefined : board.world.workloads.get(destination_workload_id);
    judged.id ??= stableKey([judged.key]);
    return [
      {
        id: judged.id,
        severity,
        cluster_id,
        cluster_name: board.world.clusters.get(cluster_id)?.name ?? null,
        source_ip,
        source_label: flowLabel(source_ip, null),
        destination_ip,
        destination_label: flowLabel(destination_ip, subnetOf(destination_ip) ?? null),
        // A workload that is gone has no page to lead to.
        destination_workload_id: workload?.id ?? null,
        destination_workload_name: workload?.name ?? null,
        service,
        port,
        protocol,
        decision: judged.decision,
        flows: row.flows,
        bytes: row.bytes,
        packets: row.packets,
        first_seen_at: new Date(row.first_seen_ms).toISOString(),
        last_seen_at: new Date(row.last_seen_ms).toISOString(),
      },
    ];
  };
  return { entries: firstOf(all, worstFirst, limit).flatMap(entryOf), summary: summarize(all) };
}
