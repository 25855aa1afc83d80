import { getReachableProjects, getReachableTenants } from '@/domain/permissions';
import { recordAudit } from '../audit/record';
import { getActor, type Scope, type Session } from '../auth/scope';
import { db } from '../db/client';
import { findProjectTenants } from './queries/projects';

type Exported = {
  /** Which list, as it is called in the API or on the page. */
  list: string;
  format: string;
  /** The filters that were set. */
  filters: Readonly<Record<string, unknown>>;
};

/** Who exports, and whose things they see. */
export type Exporter = Pick<Scope, 'actor' | 'origin' | 'reach'>;

/**
 * Records that a whole list was exported to a file. An export by a user of tenants, or of single projects of them, is
 * recorded in the audit trails of these tenants; any other export in that of the installation. No export goes
 * unrecorded.
 */
export async function recordExport({ actor, origin, reach }: Exporter, exported: Exported): Promise<void> {
  const { list, format, filters } = exported;
  await db.transaction(async (tx) => {
    const whole = getReachableTenants(reach);
    const ofProjects = (await findProjectTenants(tx, getReachableProjects(reach))).values();
    const tenants = whole === 'all' ? [] : [...new Set([...whole, ...ofProjects])].sort();
    for (const tenant_id of tenants.length === 0 ? [null] : tenants) {
      await recordAudit(
        tx,
        { actor, origin },
        { action: 'list.exported', object_kind: 'list', object_name: list, tenant_id, after: { format, filters } },
      );
    }
  });
}

/** As `recordExport` for a file that a page makes of what it reads page by page. */
export function recordPageExport(session: Session, exported: Omit<Exported, 'format'>): Promise<void> {
  const everywhere = session.grants.some(({ tenant_id }) => tenant_id === null);
  // Who exports what a project has is recorded with the project's tenant.
  const tenants = [...new Set(session.grants.flatMap(({ tenant_id }) => tenant_id ?? []))].sort();
  return recordExport(
    { actor: getActor(session), origin: session.origin, reach: everywhere ? 'all' : tenants },
    { ...exported, format: 'csv' },
  );
}
