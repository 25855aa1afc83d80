import { SEVERITIES, sensitiveServiceAt, severityOf } from '@/domain/dashboard/sensitive-ports';
import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { flowLabel } from '@/domain/flow/flow-label';
import { contextOf } from '@/domain/flow-context/context-of';
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

type Judged = { decision: string; id: string };

const idOf = (row: SuspiciousRow, decision: string) =>
  stableKey([
    ...[row.cluster_id, row.source_ip, row.destination_ip, row.destination_workload_id],
    ...[row.port, row.protocol, decision],
  ]);

/** What was found at a guest, as long as it is the same; by what decides. */
const judged = new WeakMap<GuestContext, Map<string, Judged>>();
/** More than these of one guest are not kept. */
const MAX_JUDGED = 2_000;

function judgeAt(guest: GuestContext, row: SuspiciousRow): Judged {
  const { source_ip, destination_ip, protocol, source_port, port, nic } = row;
  const workload_id = nic === null ? null : guest.workload_id;
  const flow = { source_ip, destination_ip, protocol, source_port, destination_port: port, decision: row.decision };
  const { decision } = contextOf(guest, { ...flow, initiator: 'source', workload_id, nic }, 'destination');
  return { decision, id: idOf(row, decision) };
}

/** What became of the flows: at the guest that was called by what its rules say now, without one as the agents saw it. */
function judge(row: SuspiciousRow, board: Board, policies: TenantReach): Judged {
  const { destination_workload_id: workloadId } = row;
  const guest = workloadId === null ? null : guestContext(board, workloadId, policies);
  if (!guest) return { decision: row.decision, id: idOf(row, row.decision) };
  let known = judged.get(guest);
  if (!known || known.size >= MAX_JUDGED) {
    known = new Map();
    judged.set(guest, known);
  }
  const { source_ip, destination_ip, protocol, source_port, port, decision, nic } = row;
  const key = `${source_ip} ${destination_ip} ${protocol} ${source_port} ${port} ${decision} ${nic}`;
  const found = known.get(key) ?? judgeAt(guest, row);
  known.set(key, found);
  return found;
}

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

const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);

const earlier = (a: string, b: string) => (a.localeCompare(b) < 0 ? a : b);
const later = (a: string, b: string) => (a.localeCompare(b) < 0 ? b : a);

function merge(a: SuspiciousTraffic, b: SuspiciousTraffic): SuspiciousTraffic {
  return {
    ...a,
    flows: a.flows + b.flows,
    bytes: sum(a.bytes, b.bytes),
    packets: sum(a.packets, b.packets),
    first_seen_at: earlier(a.first_seen_at, b.first_seen_at),
    last_seen_at: later(a.last_seen_at, b.last_seen_at),
  };
}

const worstFirst = (a: SuspiciousTraffic, b: SuspiciousTraffic) =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  (a.last_seen_at === b.last_seen_at ? (a.id < b.id ? -1 : 1) : a.last_seen_at > b.last_seen_at ? -1 : 1);

/**
 * Who outside all subnets of today reached or tried to reach sensitive ports, the worst first; all of it. What can be told
 * of a workload's rules goes into the decision, policies in audit mode as far as `policies` reaches.
 */
export async function readSuspicious(
  selection: FlowSelection,
  board: Board,
  policies: TenantReach,
): Promise<SuspiciousTraffic[]> {
  const { book, gone } = await goneSubnets();
  const subnetOf = subnets(book);
  const entries = new Map<string, SuspiciousTraffic>();
  for (const row of await sumSuspiciousFlows(selection, gone)) {
    const service = sensitiveServiceAt(row.port);
    if (!service || subnetOf(row.source_ip) !== null) continue;
    const { decision, id } = judge(row, board, policies);
    const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol } = row;
    const workload = destination_workload_id === null ? undefined : board.world.workloads.get(destination_workload_id);
    const entry: SuspiciousTraffic = {
      id,
      severity: severityOf(port, decision),
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
      decision,
      flows: row.flows,
      bytes: row.bytes,
      packets: row.packets,
      first_seen_at: row.first_seen_at,
      last_seen_at: row.last_seen_at,
    };
    const known = entries.get(id);
    entries.set(id, known ? merge(known, entry) : entry);
  }
  return [...entries.values()].sort(worstFirst);
}
