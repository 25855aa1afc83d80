import { SEVERITIES, severityOf } from '@/domain/dashboard/sensitive-ports';
import { contextOf } from '@/domain/flow-context/context-of';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import type { SuspiciousRow } from '../../repositories/suspicious-flows';

/** What became of flows, and which entry of the dashboard they belong to. */
export type Judged = {
  /** Of the entry, once it was asked for: a hash of the key. */
  id?: string;
  readonly decision: string;
  /** Position in `SEVERITIES`: 0 is the worst. */
  readonly severity: number;
  /** The same for flows of one entry. */
  readonly key: string;
};

/** What was found at a guest, as long as it is the same; by what decides. */
const known = new WeakMap<GuestContext, Map<string, Judged>>();
/** More than these of one guest are not kept. */
const MAX_KNOWN = 2_000;

const endsOf = ({ cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol }: SuspiciousRow) =>
  `${cluster_id} ${source_ip} ${destination_ip} ${destination_workload_id} ${port} ${protocol}`;

const judgedAs = (ends: string, port: number, decision: string): Judged => ({
  decision,
  severity: SEVERITIES.indexOf(severityOf(port, decision)),
  key: `${ends} ${decision}`,
});

function judgeAt(guest: GuestContext, row: SuspiciousRow, ends: string): Judged {
  const { source_ip, destination_ip, protocol, source_port, port, nic } = row;
  const workload_id = nic === null ? null : guest.workload_id;
  const flow = { source_ip, destination_ip, protocol, source_port, destination_port: port, decision: row.decision };
  const { decision } = contextOf(guest, { ...flow, initiator: 'source', workload_id, nic }, 'destination');
  return judgedAs(ends, port, decision);
}

/** What became of flows: at the guest that was called by what its rules say now; without a guest as the agents saw it. */
export function judgeSuspicious(row: SuspiciousRow, guest: GuestContext | null): Judged {
  const { port, decision, source_port, nic } = row;
  const ends = endsOf(row);
  if (!guest) return judgedAs(ends, port, decision);
  let atGuest = known.get(guest);
  if (!atGuest || atGuest.size >= MAX_KNOWN) {
    atGuest = new Map();
    known.set(guest, atGuest);
  }
  const seen = `${ends} ${source_port} ${decision} ${nic}`;
  let judged = atGuest.get(seen);
  if (!judged) {
    judged = judgeAt(guest, row, ends);
    atGuest.set(seen, judged);
  }
  return judged;
}
