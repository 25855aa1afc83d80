import { SEVERITIES, sensitiveServiceAt, severityOf } from '@/domain/dashboard/sensitive-ports';
import type { SuspiciousTraffic } from '@/domain/dashboard/suspicious-traffic';
import { flowLabel } from '@/domain/flow/flow-label';
import { contextOf } from '@/domain/flow-context/context-of';
import { parseIp } from '@/domain/net/ip-address';
import type { TenantReach } from '@/domain/permissions';
import type { FlowSelection } from '../../repositories/flow-conditions';
import { type SuspiciousRow, sumSuspiciousFlows } from '../../repositories/suspicious-flows';
import type { AddressBook } from '../flows/address-book';
import { stableKey } from '../flows/stable-key';
import { guestContext } from '../insights/guest-context';
import type { Board } from '../policies/board/board';
import { goneSubnets } from './gone-subnets';

/** What became of the flows: at the guest that was called by what its rules say now, without one as the agents saw it. */
function decisionOf(row: SuspiciousRow, board: Board, policies: TenantReach): string {
  const { destination_workload_id: workloadId } = row;
  if (workloadId === null) return row.decision;
  const guest = guestContext(board, workloadId, policies);
  if (!guest) return row.decision;
  const flow = {
    source_ip: row.source_ip,
    destination_ip: row.destination_ip,
    protocol: row.protocol,
    source_port: row.source_port,
    destination_port: row.port,
    decision: row.decision,
    initiator: 'source',
    workload_id: row.nic === null ? null : workloadId,
    nic: row.nic,
  } as const;
  return contextOf(guest, flow, 'destination').decision;
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
    const decision = decisionOf(row, board, policies);
    const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol } = row;
    const id = stableKey([cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol, decision]);
    const entry: SuspiciousTraffic = {
      id,
      severity: severityOf(port, decision),
      cluster_id,
      cluster_name: row.cluster_name,
      source_ip,
      source_label: flowLabel(source_ip, null),
      destination_ip,
      destination_label: flowLabel(destination_ip, subnetOf(destination_ip) ?? null),
      destination_workload_id,
      destination_workload_name: row.destination_workload_name,
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
