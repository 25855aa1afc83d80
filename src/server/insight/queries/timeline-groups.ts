import { type SQL, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import { securityGroups } from '../../db/schema/policies';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';
import { edges, event, justBefore, raw, versions, visibleAt } from './timeline-event';

/** An audit record is written in the same transaction, by the clock of another process. */
const NEAR = `interval '2 seconds'`;

/** Who saved a group or its members at a time; null where several people did, or it is not on record. */
const savedBy = (group: string): SQL =>
  raw(`(select case when count(distinct r.actor_name) = 1 then min(r.actor_name) end from audit_records as r
    where r.object_kind = 'security_group' and r.object_id = (${group})::text and r.at between v.at - ${NEAR} and v.at + ${NEAR})`);

/** When workloads became members of groups, and when they left them: added manually, and by tag. */
export function groupEvents(ids: SQL, reach: Reach, inventory: Reach): SQL[] {
  const members = edges(
    'security_group_members',
    { key: `x.security_group_id || '/' || x.workload_id`, workload: 'x.workload_id', since: 'x.created_at' },
    'x.security_group_id as id',
    sql`x.workload_id = any (${ids})`,
  );
  const parts = {
    workload: raw('v.workload_id'),
    actor: savedBy(`coalesce(v.after, v.before) ->> 'id'`),
    object: { kind: 'group', id: securityGroups.id, name: securityGroups.name },
  } as const;
  return [
    sql`select ${event('member', raw(`v.key || '@' || extract(epoch from v.at)`), raw('v.at'), sql`case when v.after is null then 'group_left' else 'group_joined' end`, parts)}
      from ${members} as v join ${securityGroups} on ${securityGroups.id} = (coalesce(v.after, v.before) ->> 'id')::uuid
      where ${ownedInReach(securityGroups, reach) ?? sql`true`} and ${visibleAt(inventory, raw('v.workload_id'), raw('v.at'))}`,
    tagEvents(ids, reach, inventory),
  ];
}

const TAGGED = `x.tags, x.project_id, (select p.tenant_id from projects as p where p.id = x.project_id) as tenant_id`;
const TAGS = `x.member_tags, x.member_tags_match, x.tenant_id, x.project_id`;
/** Whether a version of a workload is a member of a version of a group by its tags, as `resolveMembers` decides. */
const IS_TAGGED = `jsonb_array_length(g.content -> 'member_tags') > 0
  and case g.content ->> 'member_tags_match' when 'all' then (w.content -> 'tags') @> (g.content -> 'member_tags')
    else exists (select 1 from jsonb_array_elements_text(g.content -> 'member_tags') as m (tag)
      join jsonb_array_elements_text(w.content -> 'tags') as o (tag) using (tag)) end
  and (g.content ->> 'tenant_id' is null or g.content ->> 'tenant_id' = w.content ->> 'tenant_id')
  and (g.content ->> 'project_id' is null or g.content ->> 'project_id' = w.content ->> 'project_id')`;
const listTags = (value: string) =>
  `(select string_agg(tag, ', ') from jsonb_array_elements_text(${value}) as t (tag))`;
const tagsAt = (group: string, workload: string) =>
  raw(
    `jsonb_build_object('group_tags', ${listTags(`${group} -> 'member_tags'`)}, 'tags', ${listTags(`${workload} -> 'tags'`)})`,
  );

/** Where membership by tag begins and ends: of each time in which neither the workload nor the group changed, with the time before. */
function tagEvents(ids: SQL, reach: Reach, inventory: Reach): SQL {
  const workload = versions('workloads', TAGGED, sql`x.id = any (${ids})`);
  const group = versions(
    'security_groups',
    TAGS,
    sql`x.id in (select id from security_groups where member_tags <> '{}' union select id from past_security_groups where member_tags <> '{}')`,
  );
  const at = raw('v.at');
  // A user who sees a workload since then does not see what it was before.
  const isOwn = sql`${visibleAt(inventory, raw('v.workload_id'), justBefore(at))} and v.is_before is not null`;
  return sql`select ${event(
    'tagged',
    raw(`v.group_id || '/' || v.workload_id || '@' || extract(epoch from v.at)`),
    at,
    sql`case when v.is_member then 'group_joined_by_tag' else 'group_left_by_tag' end`,
    {
      workload: raw('v.workload_id'),
      actor: sql`case when v.group_before is distinct from v.group_tags then ${savedBy('v.group_id')} end`,
      object: { kind: 'group', id: securityGroups.id, name: securityGroups.name },
      before: sql`case when ${isOwn} then ${tagsAt('v.group_before', 'v.workload_before')} end`,
      after: tagsAt('v.group_tags', 'v.workload_tags'),
    },
  )} from (
    select *, lag(is_member) over p as is_before, lag(workload_tags) over p as workload_before, lag(group_tags) over p as group_before
    from (select w.id as workload_id, g.id as group_id, greatest(w.from_at, g.from_at) as at, (${raw(IS_TAGGED)}) as is_member,
      w.content as workload_tags, g.content as group_tags
      from ${workload} as w join ${group} as g on w.from_at < coalesce(g.until_at, 'infinity') and g.from_at < coalesce(w.until_at, 'infinity')
    ) as s window p as (partition by workload_id, group_id order by at)
  ) as v join ${securityGroups} on ${securityGroups.id} = v.group_id
  where v.is_member is distinct from coalesce(v.is_before, false) and ${ownedInReach(securityGroups, reach) ?? sql`true`}
    and ${visibleAt(inventory, raw('v.workload_id'), at)}`;
}
