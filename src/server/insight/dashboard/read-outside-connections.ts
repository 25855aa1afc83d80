import type { FromOutside, OutsideConnection } from '@/domain/dashboard/dashboard';
import { planRange } from '@/domain/flow/plan-range';
import { isWithinReach } from '@/domain/permissions';
import { mergeVerdicts } from '@/domain/summed-verdict';
import { readRows } from '@/domain/topology/conversation-table';
import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import type { Scope } from '../../auth/scope';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { flowStore } from '../../traffic/storage/flow-store';
import { type ConversationVerdict, evaluateConversations } from '../flows/conversation-verdicts';
import { selectFlows } from '../flows/list-flows';

/** The largest conversations that are evaluated: a scan of all addresses must not make the page slow. */
const MOST_EVALUATED = 2_000;

/** What was dropped is less urgent than what passed. */
const rank = (verdict: EdgeVerdict) => (verdict === 'dropped' ? 1 : 0);

/**
 * Connections that were opened outside all known subnets to workloads that the reader may see, by service and verdict. At most six
 * queries.
 * @param rules evidence that what the rules say may be shown; null: only what was observed is
 * @throws AppError `malformed` when the range ends before it begins
 */
export async function readOutsideConnections(
  scope: Scope<'flow:read'>,
  rules: Scope<'workload:read'> | null,
  range: { since: string; until: string },
  most: number,
): Promise<FromOutside> {
  const [{ selection, since, until, now, retentionHours }, firewall] = await Promise.all([
    selectFlows(scope, range),
    readFirewallState(),
  ]);
  const plan = planRange({ since, until }, { now, retentionHours, summed: true });
  const times = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  const asked = { from_outside: true, most: MOST_EVALUATED };
  const { table, complete } = await flowStore().edges({ ...selection, ...times }, source, asked);
  const conversations = readRows(table).flatMap((one) => {
    const id = one.destination_workload_id;
    const workload = id === null ? undefined : firewall.inputs.workloads.get(id);
    // A workload that went to another tenant is known to the reader in its past only, and by another name.
    return workload && isWithinReach(workload, scope.reach) ? [{ ...one, destination: workload }] : [];
  });
  const readers = { flows: scope.reach, rules: rules?.reach ?? null };
  const verdicts = await evaluateConversations(firewall, readers, conversations);
  const rows = new Map<string, OutsideConnection>();
  for (const [index, conversation] of conversations.entries()) {
    const { destination, source_prefix, protocol, port, bytes, packets, flows, last_seen_at } = conversation;
    const { id: destination_workload_id, name: destination_workload_name } = destination;
    const { edge: verdict, verdict: says } = verdicts[index] as ConversationVerdict;
    const id = [source_prefix, destination_workload_id, protocol, port, verdict].join(' ');
    const known = rows.get(id);
    if (known) {
      Object.assign(known, mergeVerdicts(known, says));
      known.bytes += bytes;
      known.packets += packets;
      known.flows += flows;
      if (last_seen_at > known.last_seen_at) known.last_seen_at = last_seen_at;
      continue;
    }
    const ends = { source_prefix, destination_workload_id, destination_workload_name };
    rows.set(id, { id, ...ends, protocol, port, verdict, ...says, bytes, packets, flows, last_seen_at });
  }
  const all = [...rows.values()].sort(
    (a, b) => rank(a.verdict) - rank(b.verdict) || b.bytes - a.bytes || b.flows - a.flows || (a.id < b.id ? -1 : 1),
  );
  return {
    items: all.slice(0, most),
    total: all.length,
    complete,
    verdicts: Object.fromEntries(
      EDGE_VERDICTS.map((verdict) => [verdict, all.filter((row) => row.verdict === verdict).length]),
    ) as FromOutside['verdicts'],
  };
}
