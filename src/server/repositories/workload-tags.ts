import { and, ilike, sql } from 'drizzle-orm';
import type { TenantReach } from '@/domain/permissions';
import type { TagCount } from '@/domain/policy-resolution';
import { db } from '../db/client';
import { workloads } from '../db/schema/workloads';
import { likePattern } from './like-pattern';
import { workloadInReach } from './tenant-reach';

const MOST = 20;

/** Tags of workloads within reach with the number that carries each, the most used ones first. One query. */
export async function countTags(tenants: TenantReach, q: string): Promise<TagCount[]> {
  const conditions = and(sql`true`, workloadInReach(tenants), q === '' ? undefined : ilike(sql`tag`, likePattern(q)));
  const rows = await db.execute<{ tag: string; workloads: number }>(sql`
    select tag, count(*)::int as workloads
    from ${workloads} cross join lateral unnest(${workloads.tags}) as tag
    where ${conditions}
    group by tag order by count(*) desc, tag limit ${MOST}`);
  return rows.map(({ tag, workloads: count }) => ({ tag, workloads: count }));
}
