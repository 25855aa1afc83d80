import type { Cluster, ClusterUpdate } from '@/domain/cluster';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import {
  type ClusterRow,
  clusterNameTaken,
  findCluster,
  lockClusterRow,
  updateCluster as updateRow,
} from '../inventory/queries/clusters';
import { seal } from '../lib/crypto';
import { AppError } from '../lib/errors';
import { assertVersion, nameTaken, notFound } from '../lib/refusals';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { auditedCluster } from './audited-cluster';
import { refuseWhileNamed } from './refuse-while-named';

/** The columns that the update changes, trust that was learnt for another address or certificate included. */
function changesOf(row: ClusterRow, input: Omit<ClusterUpdate, 'version'>): Partial<ClusterRow> {
  const { api_token, ...fields } = input;
  const moved = fields.api_url !== undefined && fields.api_url !== row.api_url;
  if (moved) assertAllowedTarget('api_url', new URL(fields.api_url ?? '').hostname);
  if (moved && api_token === undefined) {
    // Otherwise whoever may change the address could have the token sent to a server of their own.
    throw new AppError(
      'refused',
      'A new address needs the API token entered again: the stored one is kept for its own.',
      {
        errors: [{ field: 'api_token', message: 'Enter the token that is valid at the new address.' }],
      },
    );
  }
  // A pinned certificate belongs to one address.
  const pin = fields.tls_fingerprint ?? (fields.tls_fingerprint === null || moved ? null : row.tls_fingerprint);
  const wanted: Partial<ClusterRow> = { ...fields, tls_fingerprint: pin };
  const changes: Partial<ClusterRow> = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== row[name as keyof ClusterRow]),
  );
  if (moved || changes.tls_fingerprint !== undefined) changes.tls_ca = null;
  if (moved) changes.entry_points = [];
  if (api_token !== undefined) {
    const token = seal(api_token, row.id);
    changes.api_token_encrypted = token.sealed;
    changes.api_token_key_id = token.key_id;
  }
  return changes;
}

/**
 * Changes a cluster; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`; `version_conflict` when `version` is given and no longer current; `conflict` when the name
 * is taken, or when policies refer to the cluster by its present name; `refused` when the address changes without a token or to one that no connection
 * may be made to
 */
export function updateCluster(
  scope: Scope<'cluster:write'>,
  id: string,
  { version, ...input }: ClusterUpdate,
): Promise<Cluster> {
  return db.transaction(async (tx) => {
    const row = await lockClusterRow(tx, id);
    if (!row) throw notFound('cluster');
    assertVersion('cluster', row.version, version);
    const changes = changesOf(row, input);
    if (Object.keys(changes).length > 0) {
      if (changes.name !== undefined) {
        if (await clusterNameTaken(tx, changes.name)) throw nameTaken('cluster', changes.name);
        await refuseWhileNamed(tx, row.name);
      }
      await updateRow(tx, id, { ...changes, version: row.version + 1 });
      await publishEvent(tx, { type: 'cluster.changed', cluster_id: id });
    }
    const cluster = await findCluster(tx, id);
    if (!cluster) throw new Error('the cluster that is locked is not there');
    if (Object.keys(changes).length > 0) {
      await recordAudit(tx, scope, {
        action: 'cluster.updated',
        object_kind: 'cluster',
        object_id: id,
        object_name: cluster.name,
        before: auditedCluster(row),
        after: {
          ...auditedCluster({ ...row, ...changes }),
          ...(changes.api_token_encrypted && { has_new_api_token: true }),
        },
      });
    }
    return cluster;
  });
}
