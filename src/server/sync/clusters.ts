import type { Cluster, ClusterCounts, ClusterInput, ClusterUpdate } from '@/domain/cluster';
import { parseEndpoint } from '@/domain/policy/endpoint';
import { recordAudit } from '../audit/record';
import type { Actor, Origin, Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { listPolicyEndpoints } from '../enforcement/queries/policies';
import { publishEvent } from '../events/event-hub';
import {
  type ClusterRow,
  clusterNameTaken,
  deleteClusterRow,
  findCluster,
  insertCluster,
  lockClusterForDelete,
  lockClusterRow,
  updateCluster as updateRow,
} from '../inventory/queries/clusters';
import { seal } from '../lib/crypto';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, nameTaken, notFound } from '../lib/refusals';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { listClusterRules } from '../tenancy/queries/mapping-rules';

const SETTABLE = ['name', 'api_url', 'tls_fingerprint', 'rule_placement'] as const;
type Settable = Pick<ClusterRow, (typeof SETTABLE)[number]>;

/** What the audit trail keeps of a cluster: what an administrator sets, and of the token only whether there is one. */
export function auditedCluster(row: Settable & { api_token_encrypted?: string | null }): Record<string, unknown> {
  return {
    ...Object.fromEntries(SETTABLE.map((field) => [field, row[field]])),
    has_api_token: Boolean(row.api_token_encrypted),
  };
}

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
  if (!cluster) throw new Error('expected the stored cluster to exist');
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

const NAMED = 5;

const refersToCluster = (text: string, cluster: string): boolean => {
  const endpoint = parseEndpoint(text);
  return 'cluster' in endpoint && endpoint.cluster === cluster;
};

/**
 * Endpoints name networks and VMIDs by their cluster: with another name they resolve to nothing, and applying their
 * policies would remove rules. So a cluster that is named is not renamed.
 * @throws AppError `conflict` naming the policies when there are any
 */
export async function assertClusterNotReferenced(tx: Tx, cluster: string): Promise<void> {
  const policies = await listPolicyEndpoints(tx);
  const naming = policies.filter(({ endpoints }) => endpoints.some((text) => refersToCluster(text, cluster)));
  if (naming.length === 0) return;
  const more = naming.length > NAMED ? ` and ${naming.length - NAMED} more` : '';
  const list = naming.slice(0, NAMED).map(({ name }) => name);
  throw new AppError(
    'conflict',
    `The endpoints of ${naming.length === 1 ? 'a policy name' : `${naming.length} policies name`} the cluster ${cluster}: ${list.join(', ')}${more}. Change these endpoints first, then rename the cluster.`,
    { errors: [{ field: 'name', message: 'Policies refer to the cluster by its name.' }] },
  );
}

/** The columns that the update changes, trust that was learnt for another address or certificate included. */
function computeChanges(row: ClusterRow, input: Omit<ClusterUpdate, 'version'>): Partial<ClusterRow> {
  const { api_token, ...fields } = input;
  const moved = fields.api_url !== undefined && fields.api_url !== row.api_url;
  if (moved) assertAllowedTarget('api_url', new URL(fields.api_url ?? '').hostname);
  if (moved && api_token === undefined) {
    // Otherwise any user who may change the address could have the token sent to a server of their own.
    throw new AppError(
      'refused',
      'For a new address, enter the API token again: the stored token is only sent to its own address.',
      {
        errors: [{ field: 'api_token', message: 'Enter the API token that is valid at the new address.' }],
      },
    );
  }
  // A pinned certificate belongs to one address.
  const pin = fields.tls_fingerprint ?? (fields.tls_fingerprint === null || moved ? null : row.tls_fingerprint);
  const desired: Partial<ClusterRow> = { ...fields, tls_fingerprint: pin };
  const changes: Partial<ClusterRow> = Object.fromEntries(
    Object.entries(desired).filter(([name, value]) => value !== undefined && value !== row[name as keyof ClusterRow]),
  );
  if (moved || changes.tls_fingerprint !== undefined) changes.tls_ca = null;
  if (moved) changes.entry_points = [];
  if (api_token !== undefined) {
    const token = seal(api_token, row.id);
    changes.api_token_encrypted = token.sealed;
    changes.api_token_key_id = token.key_id;
    // What the new token may do is known after the next sync.
    changes.missing_write_privileges = null;
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
    const changes = computeChanges(row, input);
    if (Object.keys(changes).length > 0) {
      if (changes.name !== undefined) {
        if (await clusterNameTaken(tx, changes.name)) throw nameTaken('cluster', changes.name);
        await assertClusterNotReferenced(tx, row.name);
      }
      await updateRow(tx, id, { ...changes, version: row.version + 1 });
      await publishEvent(tx, { type: 'cluster.changed', cluster_id: id });
    }
    const cluster = await findCluster(tx, id);
    if (!cluster) throw new Error('expected the locked cluster to exist');
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

/**
 * Deletes a cluster with its nodes, workloads, networks, subnets and addresses, and the mapping rules for it alone. A sync that runs on it ends by itself.
 * @throws AppError `not_found`
 */
export function deleteCluster(scope: Scope<'cluster:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockClusterForDelete(tx, id);
    const cluster = row && (await findCluster(tx, id));
    if (!row || !cluster) throw notFound('cluster');
    assertVersion('cluster', row.version, version);
    const mapping_rules = await listClusterRules(tx, id);
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

/**
 * What would be deleted together with the cluster.
 * @throws AppError `not_found`
 */
export async function previewDelete(_scope: Scope<'cluster:write'>, id: string): Promise<ClusterCounts> {
  const cluster = await findCluster(db, id);
  if (!cluster) throw notFound('cluster');
  return cluster.counts;
}
