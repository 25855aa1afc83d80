import { DAY_MS } from '@/domain/durations';
import { classifyEscape, ESCAPED_DAYS } from '@/domain/enforcement-chain/escaped';
import { evaluateChain } from '@/domain/enforcement-chain/evaluate-chain';
import { gatherFacts } from '@/domain/enforcement-chain/gather-facts';
import type { ChainLink } from '@/domain/enforcement-chain/link-details';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { hashFilter } from '../guest-firewall/record-filters';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { liveStateAt } from '../policies/firewall-state/views';
import {
  decideEscaped,
  deleteEscaped,
  type EscapedRow,
  listUndecided,
  type NewEscaped,
  retainEscaped,
  storeEscaped,
} from '../queries/escaped';
import { findGuestFilters, findNodeReport, type GuestFilterRow } from '../queries/guest-filters';
import type { InputWorkload } from '../queries/policy-inputs';
import type { FoundEscape } from './escape-finder';
import { type ReadReport, readNodeReport } from './node-report';

/** What a link says about traffic that is not denied at all, or about other conversations, explains none that escaped. */
const NO_EXPLANATION: readonly ChainLink[] = ['default_policy', 'open_connections'];

type Guest = { readonly workload: InputWorkload; readonly report: ReadReport; readonly filter: GuestFilterRow | null };

/** The first broken link at the interface that saw a conversation, else at any interface. */
function findBrokenLink(firewall: FirewallState, { workload, report, filter }: Guest, nic: number | null) {
  const guest = firewall.snapshots.guests.get(workload.id)?.state;
  const state = liveStateAt(firewall, workload);
  const readings = { state, status: workload.status, filter, ruleset: report.ruleset };
  for (const each of guest?.nics ?? []) {
    if (nic !== null && each.name !== `net${nic}`) continue;
    const pending = guest?.pending_nics.includes(each.name) ?? false;
    const seen = { report: report.at({ vmid: workload.vmid, name: each.name }), older_connections: null };
    const { first_broken, links } = evaluateChain(gatherFacts(readings, { ...each, pending }, seen));
    const broken = links.find(({ link }) => link === first_broken);
    if (broken && !NO_EXPLANATION.includes(broken.link)) return broken;
  }
  return null;
}

/** Stores conversations that passed although rules deny them. Whether the rules were live then is decided afterwards. */
export async function storeEscapes(tx: Tx, firewall: FirewallState, found: readonly FoundEscape[]): Promise<void> {
  if (found.length === 0) return;
  const found_at = clock.now().toISOString();
  const ids = [...new Set(found.map(({ workload_id }) => workload_id))].sort();
  const filters = new Map((await findGuestFilters(tx, ids)).map((row) => [row.workload_id, row]));
  const reports = new Map<string, ReadReport>();
  const rows: NewEscaped[] = [];
  for (const id of ids) {
    const workload = firewall.inputs.workloads.get(id);
    const snapshot = firewall.snapshots.guests.get(id)?.state;
    const filter_hash = workload && snapshot && hashFilter(liveStateAt(firewall, workload), snapshot);
    if (!workload || !filter_hash) continue;
    const { cluster_id, node_name, project_id } = workload;
    const key = `${cluster_id} ${node_name}`;
    const report =
      reports.get(key) ?? readNodeReport(node_name === null ? null : await findNodeReport(tx, cluster_id, node_name));
    reports.set(key, report);
    const guest = { workload, report, filter: filters.get(id) ?? null };
    for (const { flow, nic, ...one } of found.filter(({ workload_id }) => workload_id === id)) {
      const broken = findBrokenLink(firewall, guest, nic);
      rows.push({
        ...one,
        id: newId(),
        project_id,
        nic,
        client_ip: flow.source_ip,
        client_port: flow.source_port,
        server_ip: flow.destination_ip,
        server_port: flow.destination_port,
        protocol: flow.protocol,
        broken_link: broken?.link ?? null,
        broken_detail: broken?.detail ?? null,
        log_accepted: flow.decision === 'accept',
        filter_hash,
        start_known: flow.start_known,
        first_seen_at: flow.first_seen_at,
        last_seen_at: flow.observed_at,
        found_at,
      });
    }
  }
  await storeEscaped(tx, rows);
}

const BATCH = 1_000;

/** Classifies conversations whose rules have been read again since, and deletes old ones. Safe to run twice at a time. */
export async function decideEscapes(): Promise<void> {
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  await db.transaction(async (tx) => {
    await retainEscaped(tx, { seen: ago(ESCAPED_DAYS), undecided: ago(1) });
    const undecided = await listUndecided(tx, BATCH);
    const ids = [...new Set(undecided.map(({ workload_id }) => workload_id))];
    const filters = new Map((await findGuestFilters(tx, ids)).map((row) => [row.workload_id, row]));
    const outcomes = new Map<ReturnType<typeof classifyEscape>, string[]>();
    for (const row of undecided) {
      const outcome = classifyEscape(row satisfies EscapedRow, filters.get(row.workload_id) ?? null);
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), row.id]);
    }
    for (const [outcome, list] of outcomes) {
      if (outcome === 'none') await deleteEscaped(tx, list);
      else if (outcome !== 'pending') await decideEscaped(tx, outcome, list);
    }
  });
}
