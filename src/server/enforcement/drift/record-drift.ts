import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { groupBy } from '../../lib/group-by';
import { newId } from '../../lib/ids';
import { compareDrift, hashLive } from '../policies/firewall-state/compare-drift';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import {
  attributeDrift,
  type DriftRow,
  listUnresolvedDrift,
  listVersionRuleIds,
  type NewDrift,
  resolveDrift,
  storeDrift,
} from '../queries/drifts';
import { listAppliedInCluster } from '../queries/policy-placements';

const toKey = (row: Pick<DriftRow, 'policy_id' | 'workload_id' | 'kind' | 'subject_key'>) =>
  [row.policy_id, row.workload_id, row.kind, row.subject_key].join(' ');

type Seen = Omit<NewDrift, 'id' | 'rule_id'> & { policy_version: number; rule_position: number | null };

/**
 * Stores how a cluster's live state differs from what was applied, after it was read: new differences are added, known
 * ones updated, and those that are gone resolved. What could not be read, or was applied while it was read, stays as it is.
 * Seven queries, whatever there is.
 * @param before the state before the cluster was read
 * @param ownUser by whom the service itself writes to the cluster
 */
export async function recordDrift(
  clusterId: string,
  before: FirewallState,
  firewall: FirewallState,
  ownUser: string | null,
): Promise<void> {
  const [applied, open] = await Promise.all([listAppliedInCluster(db, clusterId), listUnresolvedDrift(db, clusterId)]);
  const placements = groupBy(applied, ({ workload_id }) => workload_id);
  const seen: Seen[] = [];
  const unread = new Set<string>();
  const times: string[] = [];
  for (const { id, cluster_id } of firewall.inputs.workloads.values()) {
    if (cluster_id !== clusterId) continue;
    const read = firewall.snapshots.guests.get(id);
    const rows = placements.get(id) ?? [];
    if (read) times.push(read.read_at);
    // Without rules it is not known whether rules of a policy are live.
    if (!read || (read.state.rules === null && read.state.presence !== 'absent')) unread.add(id);
    for (const [policyId, found] of compareDrift(firewall, id, rows)) {
      const row = rows.find(({ policy_id }) => policy_id === policyId);
      // Applied, or cleaned up, while the workload was read: what was read may be neither the one nor the other.
      if (!found || before.appliedAt(policyId, id) !== row?.applied_at) {
        unread.add(`${policyId} ${id}`);
        continue;
      }
      for (const kind of found.unread) unread.add(`${policyId} ${id} ${kind}`);
      // Pages read single workloads in between: then the read before is no limit of when it was edited.
      const former =
        found.differences.length > 0 ? (compareDrift(before, id, rows).get(policyId)?.differences ?? []) : [];
      for (const { rules: _, ...difference } of found.differences) {
        const wasThere = former.some(
          (one) =>
            one.kind === difference.kind && one.subject_key === difference.subject_key && one.live === difference.live,
        );
        const times = {
          unchanged_at: wasThere ? null : (before.snapshots.guests.get(id)?.read_at ?? null),
          changed_until: read?.read_at ?? null,
        };
        const { kind, subject_key, subject, desired, last_applied, live, rule_position } = difference;
        const policy_version = row?.policy_version ?? 0;
        const where = { policy_id: policyId, workload_id: id, policy_version, rule_position, ...times };
        seen.push({ ...where, kind, subject_key, subject, desired, last_applied, live, live_hash: hashLive(live) });
      }
    }
  }
  const versions = new Map(
    seen
      .filter(({ rule_position }) => rule_position !== null)
      .map(({ policy_id, policy_version }) => [`${policy_id} ${policy_version}`, { policy_id, policy_version }]),
  );
  const ruleIds = await listVersionRuleIds(db, [...versions.values()]);
  const rows = seen.map(
    ({ policy_version, rule_position, ...row }): NewDrift => ({
      ...row,
      id: newId(),
      rule_id: ruleIds.get(`${row.policy_id} ${policy_version} ${rule_position}`) ?? null,
    }),
  );
  const found = new Set(rows.map(toKey));
  const isUnread = ({ policy_id, workload_id, kind }: DriftRow) =>
    [workload_id, `${policy_id} ${workload_id}`, `${policy_id} ${workload_id} ${kind}`].some((key) => unread.has(key));
  const gone = open.filter((row) => !found.has(toKey(row)) && !isUnread(row));
  if (rows.length === 0 && gone.length === 0) return;
  const at = times.reduce((latest, time) => (Date.parse(time) > Date.parse(latest) ? time : latest), times[0] ?? '');
  const known = new Map(open.map((row) => [toKey(row), row.live_hash]));
  const isChanged = gone.length > 0 || rows.some((row) => known.get(toKey(row)) !== row.live_hash);
  await db.transaction(async (tx) => {
    await storeDrift(tx, rows, at);
    await attributeDrift(tx, clusterId, ownUser);
    await resolveDrift(
      tx,
      gone.map(({ id }) => id),
      at,
    );
    if (isChanged) await publishEvent(tx, { type: 'firewall.changed', cluster_id: clusterId });
  });
}
