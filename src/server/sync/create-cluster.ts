import type { Cluster, ClusterInput } from '@/domain/cluster';
import { recordAudit } from '../audit/record';
import type { Actor, Origin, Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { clusterNameTaken, findCluster, insertCluster } from '../inventory/queries/clusters';
import { seal } from '../lib/crypto';
import { newId } from '../lib/ids';
import { nameTaken } from '../lib/refusals';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { auditedCluster } from './audited-cluster';

/**
 * Stores a cluster inside the caller's transaction; its token is encrypted for this row only. Nothing is asked of the
 * cluster itself.
 * @throws AppError `conflict` when the name is taken, `refused` when no connection may be made to the address
 */
export async function createClusterIn(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  input: ClusterInput,
  field = 'api_url',
): Promise<Cluster> {
  assertAllowedTarget(field, new URL(input.api_url).hostname);
  if (await clusterNameTaken(tx, input.name)) throw nameTaken('cluster', input.name);
  const { api_token, ...fields } = input;
  const id = newId();
  const token = seal(api_token, id);
  const row = { ...fields, id, api_token_encrypted: token.sealed, api_token_key_id: token.key_id };
  await insertCluster(tx, row);
  await publishEvent(tx, { type: 'cluster.changed', cluster_id: id });
  const cluster = await findCluster(tx, id);
  if (!cluster) throw new Error('the cluster that was just stored is not there');
  await recordAudit(tx, scope, {
    action: 'cluster.created',
    object_kind: 'cluster',
    object_id: id,
    object_name: row.name,
    after: auditedCluster(row),
  });
  return cluster;
}

/** Adds a cluster. */
export function createCluster(scope: Scope<'cluster:write'>, input: ClusterInput): Promise<Cluster> {
  return db.transaction((tx) => createClusterIn(tx, scope, input));
}
