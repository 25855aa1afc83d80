import { lockAuditChain } from '../../../audit/queries/audit';
import { recordAudit } from '../../../audit/record';
import { systemScope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { listUnrecordedVersions } from '../../queries/policy-versions';

/** As the migration `networks-by-cluster` writes it. */
const MIGRATION_REASON = 'Networks named with their cluster';

/**
 * Adds the audit records of policy versions that a migration of the database made: it runs before this program, and cannot
 * extend the chain. Safe to run from any number of processes and again at any time.
 * @returns how many were added
 */
export function recordMigratedVersions(): Promise<number> {
  const scope = systemScope('policy:write', 'upgrade');
  return db.transaction(async (tx) => {
    // Before looking: of two processes the second must see what the first added.
    await lockAuditChain(tx);
    const versions = await listUnrecordedVersions(tx, MIGRATION_REASON);
    for (const { policy_id, version, snapshot, before, tenant_id } of versions) {
      await recordAudit(tx, scope, {
        action: 'policy.updated',
        object_kind: 'policy',
        object_id: policy_id,
        object_name: snapshot.name,
        tenant_id,
        before: before && { version: version - 1, ...before },
        after: { version, reason: MIGRATION_REASON, ...snapshot },
      });
    }
    return versions.length;
  });
}
