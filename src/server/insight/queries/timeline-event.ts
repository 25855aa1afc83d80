import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import type { TIMELINE_OBJECTS, TimelineKind } from '@/domain/timeline';
import { pgArray } from '../../db/pg-array';
import { workloadOwners } from '../../db/schema/moves';
import { workloads } from '../../db/schema/workloads';

// What the sources of a timeline are written with: an event, who sees it, and what became of rows of a tracked table.

/** An event as it is stored: of a changed row, the row before and after. */
export type TimelineRow = {
  id: string;
  at: string;
  not_before: string | null;
  kind: TimelineKind;
  workload_id: string | null;
  actor_name: string | null;
  object_kind: (typeof TIMELINE_OBJECTS)[number] | null;
  object_id: string | null;
  object_name: string | null;
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

export const raw = (text: string): SQL => sql.raw(text);

/** Whether a workload was visible at a time; history belongs to those who owned it then. */
export function visibleAt(reach: Reach, workload: SQL | AnyColumn, at: SQL | AnyColumn): SQL {
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') return sql`true`;
  return sql`(exists (select 1 from ${workloadOwners} as o where o.workload_id = ${workload}
      and o.tenant_id = any (${pgArray('uuid', tenants)}) and (o.from_at is null or o.from_at <= ${at})
      and (o.to_at is null or o.to_at > ${at}))
    or exists (select 1 from ${workloads} as w where w.id = ${workload}
      and w.project_id = any (${pgArray('uuid', getReachableProjects(reach))})
      and (w.project_since is null or w.project_since <= ${at})))`;
}

/** The moment before: a user who sees a workload since `at` does not see what it was before. */
export const justBefore = (at: SQL) => sql`${at} - interval '1 microsecond'`;

type Parts = Partial<Record<'not_before' | 'workload' | 'actor' | 'subject' | 'before' | 'after', SQL | AnyColumn>> & {
  readonly object?: {
    kind: (typeof TIMELINE_OBJECTS)[number];
    id: SQL | AnyColumn;
    name: SQL | AnyColumn;
  };
};

/** Columns of `TimelineRow`, in this order. @param source makes ids of different sources differ */
export const event = (
  source: string,
  key: SQL | AnyColumn,
  at: SQL | AnyColumn,
  kind: SQL | string,
  parts: Parts,
): SQL => sql`
  ${`${source}:`}::text || ${key}::text as id, ${at} as at, ${parts.not_before ?? raw('null')}::timestamptz as not_before,
  ${typeof kind === 'string' ? sql`${kind}::text` : kind} as kind, ${parts.workload ?? raw('null')}::uuid as workload_id,
  ${parts.actor ?? raw('null')}::text as actor_name, ${parts.object?.kind ?? null}::text as object_kind,
  ${parts.object?.id ?? raw('null')}::uuid as object_id, ${parts.object?.name ?? raw('null')}::text as object_name,
  ${parts.subject ?? raw('null')}::text as subject, ${parts.before ?? raw('null')}::jsonb as before,
  ${parts.after ?? raw('null')}::jsonb as after`;

/**
 * What became of rows over time, from a tracked table and its past: where a version begins, with the one that it replaces, and where the
 * last one ends. `columns` are those that count, `where` selects rows; both name the row `x`.
 */
export function edges(
  table: string,
  names: { key: string; workload: string; since: string },
  columns: string,
  where: SQL,
): SQL {
  const content = raw(`(select to_jsonb(r) from (select ${columns}) as r)`);
  const [key, workload, past] = [raw(names.key), raw(names.workload), raw(`past_${table}`)];
  return sql`(
    select v.key, v.workload_id, e.at, e.before, e.after from (
      select *, lag(content) over w as former, lag(until_at) over w as former_until, lead(from_at) over w as next_from from (
        select ${key} as key, ${workload} as workload_id, x.from_at, x.until_at, ${content} as content from ${past} as x where ${where}
        union all
        select ${key}, ${workload}, coalesce((select max(p.until_at) from ${past} as p where ${raw(names.key.replaceAll('x.', 'p.'))} = ${key}),
          ${raw(names.since)}), null, ${content}
        from ${raw(table)} as x where ${where}
      ) as x window w as (partition by key order by from_at)
    ) as v cross join lateral (values
      (v.from_at, case when v.former_until = v.from_at then v.former end, v.content),
      (case when v.until_at is not null and v.next_from is distinct from v.until_at then v.until_at end, v.content, null)
    ) as e (at, before, after)
    where e.at is not null and e.before is distinct from e.after)`;
}

/** The versions of rows of a tracked table, with the time of each. The columns and `where` name the row `x`. */
export const versions = (table: string, columns: string, where: SQL): SQL => {
  const content = raw(`(select to_jsonb(r) from (select ${columns}) as r)`);
  const [now, past] = [raw(table), raw(`past_${table}`)];
  return sql`(select x.id, x.from_at, x.until_at, ${content} as content from ${past} as x where ${where}
    union all select x.id, coalesce((select max(p.until_at) from ${past} as p where p.id = x.id), x.created_at), null, ${content}
    from ${now} as x where ${where})`;
};
