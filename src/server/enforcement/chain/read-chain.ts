import { type EvaluatedChain, evaluateChain } from '@/domain/enforcement-chain/evaluate-chain';
import { gatherFacts, type Readings } from '@/domain/enforcement-chain/gather-facts';
import { FIXES, getDetail } from '@/domain/enforcement-chain/link-details';
import type { EnforcementLink, InterfaceChain, WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import { listNodeNotes } from '@/domain/firewall/snapshot';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { flowStore } from '../../traffic/storage/flow-store';
import { readGuestLive } from '../guest-firewall/read-guest-live';
import { countOlderConnections } from '../queries/escaped';
import { findGuestFilters, findNodeReport, type GuestFilterRow } from '../queries/guest-filters';
import { readNodeReport } from './node-report';

function showLink({ link, detail: code }: EvaluatedChain['links'][number]): EnforcementLink {
  const { state, text, fix } = getDetail(code);
  return { link, state, code, detail: text, ...(fix && { fix: { action: fix, text: FIXES[fix] } }) };
}

/** One interface that is certainly not enforced settles it; one that is not known leaves it open. */
function sumEnforced(interfaces: readonly InterfaceChain[] | null): WorkloadChain['enforced'] {
  if (interfaces === null) return 'unknown';
  const found = interfaces.map(({ enforced }) => enforced);
  if (found.length === 0) return 'no_interfaces';
  return found.includes('no') ? 'no' : found.includes('unknown') ? 'unknown' : 'yes';
}

/** Connections seen in this time count as open: agents report them while they last. */
const OPEN_MS = 15 * 60_000;
/** Within this time after an edit, connections that continue have been evaluated. */
const LOOKED_AT_MS = 6 * 60_000;

/** Open connections that are older than the rules which deny them, by interface; null: not known. */
async function readOlderConnections(workloadId: string, filter: GuestFilterRow | null) {
  if (!filter) return () => null;
  const since = new Date(clock.now().getTime() - OPEN_MS).toISOString();
  const [older, marks] = await Promise.all([
    countOlderConnections(db, workloadId, filter.filter_hash, since),
    flowStore().hits.marksOfWorkloads([workloadId]),
  ]);
  const until = marks.get(workloadId)?.until;
  const isComplete = until !== undefined && Date.parse(until) > Date.parse(filter.changed_at) + LOOKED_AT_MS;
  return (nic: string) => {
    const found = (older.get(null) ?? 0) + (older.get(Number(nic.slice(3))) ?? 0);
    return found > 0 || isComplete ? found : null;
  };
}

/**
 * Whether rules really filter the packets of a workload: every link from the data center's switch to the packet, by interface. The
 * cluster is read now; what only the node sees is as its agent reported last.
 * @param hosts evidence that clusters may be read; without it the node is not named
 * @throws AppError `not_found`, also for a workload not visible to the caller
 */
export async function readChain(
  scope: Scope<'workload:read'>,
  workloadId: string,
  hosts: Scope<'cluster:read'> | null,
): Promise<WorkloadChain> {
  const { workload, snapshot, cluster, state, read_at } = await readGuestLive(scope.reach, workloadId);
  const { cluster_id, node_name, vmid, status } = workload;
  const [[filter = null], row] = await Promise.all([
    findGuestFilters(db, [workload.id]),
    node_name === null ? null : findNodeReport(db, cluster_id, node_name),
  ]);
  const report = readNodeReport(row);
  const findOlder = await readOlderConnections(workload.id, filter);
  const readings: Readings = { state, status, filter, ruleset: report.ruleset };
  const guest = snapshot.state;
  const interfaces =
    guest.nics?.map((nic): InterfaceChain => {
      const pending = guest.pending_nics.includes(nic.name);
      const older_connections = findOlder(nic.name);
      const facts = gatherFacts(
        readings,
        { ...nic, pending },
        { report: report.at({ vmid, name: nic.name }), older_connections },
      );
      const { links, implementations, ...chain } = evaluateChain(facts);
      const [implementation = null, other] = implementations;
      return {
        nic: nic.name,
        ...chain,
        implementation: other === undefined ? implementation : null,
        links: links.map(showLink),
        older_connections,
      };
    }) ?? null;
  return {
    workload_id: workload.id,
    vmid,
    presence: guest.presence,
    read_at,
    agent: report.agent,
    node: hosts && row && { node_id: row.node_id, name: row.name },
    enforced: sumEnforced(interfaces),
    interfaces: interfaces ?? [],
    unreadable: [...guest.unreadable, ...listNodeNotes(node_name, cluster)],
  };
}
