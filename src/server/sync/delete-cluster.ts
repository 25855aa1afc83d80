import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { deleteClusterRow, findCluster, lockClusterForDelete } from '../inventory/queries/clusters';
import { notFound } from '../lib/refusals';
import { listRulesOfCluster } from '../tenancy/queries/mapping-rules';
import { auditedCluster } from './audited-cluster';

/**
 * Deletes a cluster with its nodes, workloads, networks, subnets and addresses, and the mapping rules for it alone. A sync that runs on it ends by itself.
 * @throws AppError `not_found`
 */
export function deleteCluster(scope: Scope<'cluster:write'>, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockClusterForDelete(tx, id);
    const cluster = row && (await findCluster(tx, id));
    if (!row || !cluster) throw notFound('cluster');
    const mapping_rules = await listRulesOfCluster(tx, id);
    await deleteClusterRow(tx, id);
    if (mapping_rules.length > 0) await publishEvent(tx, { type: 'mapping_rule.changed' });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: id });
    await publishEvent(tx, { type: 'inventory.changed', cluster_id: id });
    await recordAudit(tx, scope, {
      action: 'cluster.deleted',
      object_kind: 'cluster',
      object_id: id,
      object_name: row.name,
      before: { ...auditedCluster(row), deleted_with_it: cluster.counts, mapping_rules },
    });
  });
}
