import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { FormerWorkload } from '@/domain/former-workload';
import type { TenantReach } from '@/domain/permissions';
import { db } from '../../db/client';
import { tenants } from '../../db/schema/access';
import { workloadOwners } from '../../db/schema/moves';
import { tenantInReach } from '../../tenancy/queries/tenant-reach';

/** When a workload belonged to tenants within reach, as far as that has ended; the newest first. One query. */
export async function listFormerPeriods(
  reach: TenantReach,
  workloadId: string,
  limit: number,
): Promise<FormerWorkload['periods']> {
  const rows = await db
    .select({
      tenant_id: tenants.id,
      tenant_name: tenants.name,
      name: workloadOwners.workload_name,
      from_at: workloadOwners.from_at,
      to_at: workloadOwners.to_at,
    })
    .from(workloadOwners)
    .innerJoin(tenants, eq(tenants.id, workloadOwners.tenant_id))
    .where(
      and(
        eq(workloadOwners.workload_id, workloadId),
        isNotNull(workloadOwners.to_at),
        tenantInReach(workloadOwners.tenant_id, reach),
      ),
    )
    .orderBy(desc(workloadOwners.id))
    .limit(limit);
  return rows.flatMap(({ to_at, ...row }) => (to_at === null ? [] : [{ ...row, to_at }]));
}
