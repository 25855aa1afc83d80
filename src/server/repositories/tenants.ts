import { eq, sql } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { tenants } from '../db/schema/access';

/** Id and name of tenants, by name. */
export async function listTenantNames(executor: Executor, limit: number): Promise<{ id: string; name: string }[]> {
  return executor
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .orderBy(sql`lower(${tenants.name})`)
    .limit(limit);
}

export async function tenantExists(executor: Executor, id: string): Promise<boolean> {
  return (await executor.$count(tenants, eq(tenants.id, id))) > 0;
}
