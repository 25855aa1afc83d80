import { type AnyColumn, inArray, type SQL, sql } from 'drizzle-orm';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import type { TIMELINE_OBJECTS, TimelineKind } from '@/domain/timeline';
import { db } from '../../db/client';
import { pgArray } from '../../db/pg-array';
import { users } from '../../db/schema/access';
import { hypervisorEdits } from '../../db/schema/agents';
import { changes, changeTransitions, changeWorkloads } from '../../db/schema/changes';
import { deploymentGuests, policyPlacements } from '../../db/schema/deployments';
import { drifts } from '../../db/schema/drift';
import { escapedConversations } from '../../db/schema/escaped';
import { ipAddressHistory } from '../../db/schema/ipam';
import { workloadOwners } from '../../db/schema/moves';
import { deployments, policies, policyVersions, securityGroups } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { changeInReach } from '../../enforcement/queries/changes';
import { policyInReach } from '../../enforcement/queries/policies';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';
import type { TrafficDay } from '../../traffic/storage/coverage-rows';

/** Of each kind of source, where its reader may see it; null: nowhere. */
export type TimelineReach = {
  readonly inventory: Reach;
  readonly addresses: Reach | null;
  readonly groups: Reach | null;
  readonly policies: Reach | null;
  readonly traffic: Reach | null;
};

/** Events before a place in the order, newest first. */
export type TimelineSelection = {
  readonly workload_ids: readonly string[];
  /** When they had traffic. */
  readonly days: readonly TrafficDay[];
  readonly since: string;
  readonly until: string;
  readonly after: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
};

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

const raw = (text: string): SQL => sql.raw(text);

/** Whether a workload was visible at a time; history belongs to those who owned it then. */
function visibleAt(reach: Reach, workload: SQL | AnyColumn, at: SQL | AnyColumn): SQL {
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
const justBefore = (at: SQL) => sql`${at} - interval '1 microsecond'`;

type Parts = Partial<Record<'not_before' | 'workload' | 'actor' | 'subject' | 'before' | 'after', SQL | AnyColumn>> & {
  readonly object?: {
    kind: (typeof TIMELINE_OBJECTS)[number];
    id: SQL | AnyColumn;
    name: SQL | AnyColumn;
  };
};

/** Columns of `TimelineRow`, in this order. @param source makes ids of different sources differ */
const event = (source: string, key: SQL | AnyColumn, at: SQL | AnyColumn, kind: SQL | string, parts: Parts): SQL => sql`
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
function edges(
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

const WORKLOAD_COLUMNS = `x.name, x.status, array_to_string(x.tags, ', ') as tags, x.pool, x.template, x.missing_since is not null as missing,
  (select n.name from nodes as n where n.id = x.node_id) as node,
  (select p.name from projects as p where p.id = x.project_id) as project`;
const INTERFACE_COLUMNS = `x.name, x.mac, x.bridge, x.vlan_tag, x.firewall, x.link_down, x.ip_config,
  (select n.name from networks as n where n.id = x.network_id) as network`;
/** Of a snapshot of a guest's firewall: what fits into a line. Null is what could not be read. */
const READING = `case jsonb_typeof(state -> 'rules') when 'array' then jsonb_array_length(state -> 'rules') end as rules, state -> 'options' as options`;
const CLUSTER_READING = `case jsonb_typeof(state -> 'rules') when 'array' then jsonb_array_length(state -> 'rules') end as rules,
  state #> '{options,enable}' as enable`;

/** The steps of a change that touch workloads. */
const STEPS = ['applying', 'awaiting_confirmation', 'confirmed', 'failed', 'rolling_back', 'rolled_back'] as const;

function inventoryEvents(ids: SQL, reach: Reach): SQL[] {
  const names = { key: 'x.id', workload: 'x.id', since: 'x.created_at' };
  const ofWorkload = edges('workloads', names, WORKLOAD_COLUMNS, sql`x.id = any (${ids})`);
  const ofInterface = edges(
    'workload_interfaces',
    { ...names, workload: 'x.workload_id' },
    INTERFACE_COLUMNS,
    sql`x.workload_id = any (${ids})`,
  );
  const at = raw('v.at');
  const workload = raw('v.workload_id');
  // What it was before belongs to the owner of then.
  const before = sql`case when ${visibleAt(reach, workload, justBefore(at))} then v.before end`;
  const key = (source: string) => sql`v.key || '@' || extract(epoch from v.at) || ${source}`;
  return [
    sql`select ${event(
      'workload',
      key(''),
      at,
      sql`case when v.before is null then 'workload_added' else 'workload_changed' end`,
      {
        workload,
        before,
        after: raw('v.after'),
      },
    )} from ${ofWorkload} as v where v.after is not null and ${visibleAt(reach, workload, at)}`,
    sql`select ${event(
      'interface',
      key(''),
      at,
      sql`case when v.before is null then 'interface_added' when v.after is null then 'interface_removed' else 'interface_changed' end`,
      { workload, before, after: raw('v.after'), subject: sql`coalesce(v.after, v.before) ->> 'name'` },
    )} from ${ofInterface} as v where ${visibleAt(reach, workload, at)}`,
  ];
}

/** Readings of firewalls that differ from the reading before, of these workloads or of what they share. */
function readingEvents(ids: SQL, reach: Reach): SQL[] {
  const readings = (kind: 'guest' | 'cluster', objects: SQL) => {
    const [table, id, content] =
      kind === 'guest'
        ? [raw('guest_firewall_snapshots'), raw('workload_id'), raw(READING)]
        : [raw('cluster_firewall_snapshots'), raw('cluster_id'), raw(CLUSTER_READING)];
    return sql`(select *, lag(last_read_at) over w as former_read_at, lag(content) over w as former, lag(replaced) over w as is_replaced
      from (
        select p.object_id, p.from_at, p.last_read_at, p.replaced, (select to_jsonb(r) from (select ${content} from firewall_states as f
          where f.state_hash = p.state_hash) as r) as content
        from past_firewalls as p where p.kind = ${kind} and p.object_id in (${objects})
        union all
        select s.${id}, s.first_read_at, s.read_at, true, (select to_jsonb(r) from (select ${content}) as r)
        from ${table} as s where s.${id} in (${objects})
      ) as r window w as (partition by object_id order by from_at))`;
  };
  const key = raw(`v.object_id || '@' || extract(epoch from v.from_at)`);
  const at = raw('v.from_at');
  const parts = { not_before: raw('v.former_read_at'), before: raw('v.former'), after: raw('v.content') };
  const workload = raw('v.object_id');
  const clusterIds = sql`select distinct w.cluster_id from ${workloads} as w where w.id = any (${ids})`;
  const ofCluster = sql`exists (select 1 from ${workloads} as w where w.id = any (${ids}) and w.cluster_id = v.object_id
    and ${visibleAt(reach, raw('w.id'), at)})`;
  return [
    sql`select ${event('rules', key, at, 'rules_read', { ...parts, workload })}
      from ${readings('guest', sql`select unnest(${ids})`)} as v
      where v.is_replaced and ${visibleAt(reach, workload, at)} and ${visibleAt(reach, workload, sql`v.former_read_at`)}`,
    sql`select ${event('cluster_rules', key, at, 'cluster_rules_read', parts)}
      from ${readings('cluster', clusterIds)} as v where v.is_replaced and ${ofCluster}`,
  ];
}

function addressEvents(ids: SQL, reach: Reach): SQL[] {
  const h = ipAddressHistory;
  const one = (edge: 'from' | 'until') => {
    const at = edge === 'from' ? h.from_at : h.until_at;
    const kind = edge === 'from' ? 'address_assigned' : 'address_released';
    const parts = {
      workload: h.workload_id,
      subject: sql`host(${h.address}) || coalesce(' (' || ${h.interface_name} || ')', '')`,
    };
    return sql`select ${event(`address_${edge}`, h.id, at, kind, parts)} from ${h}
      where ${h.workload_id} = any (${ids}) and ${at} is not null and ${visibleAt(reach, h.workload_id, at)}`;
  };
  return [one('from'), one('until')];
}

function groupEvents(ids: SQL, reach: Reach, inventory: Reach): SQL[] {
  const members = edges(
    'security_group_members',
    { key: `x.security_group_id || '/' || x.workload_id`, workload: 'x.workload_id', since: 'x.created_at' },
    'x.security_group_id as id',
    sql`x.workload_id = any (${ids})`,
  );
  const parts = {
    workload: raw('v.workload_id'),
    object: { kind: 'group', id: securityGroups.id, name: securityGroups.name },
  } as const;
  return [
    sql`select ${event('member', raw(`v.key || '@' || extract(epoch from v.at)`), raw('v.at'), sql`case when v.after is null then 'group_left' else 'group_joined' end`, parts)}
      from ${members} as v join ${securityGroups} on ${securityGroups.id} = (coalesce(v.after, v.before) ->> 'id')::uuid
      where ${ownedInReach(securityGroups, reach) ?? sql`true`} and ${visibleAt(inventory, raw('v.workload_id'), raw('v.at'))}`,
    tagEvents(ids, reach, inventory),
  ];
}

/** The versions of rows of a tracked table, with the time of each. The columns and `where` name the row `x`. */
const versions = (table: string, columns: string, where: SQL): SQL => {
  const content = raw(`(select to_jsonb(r) from (select ${columns}) as r)`);
  const [now, past] = [raw(table), raw(`past_${table}`)];
  return sql`(select x.id, x.from_at, x.until_at, ${content} as content from ${past} as x where ${where}
    union all select x.id, coalesce((select max(p.until_at) from ${past} as p where p.id = x.id), x.created_at), null, ${content}
    from ${now} as x where ${where})`;
};

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

function policyEvents(ids: SQL, reach: Reach): SQL[] {
  const [g, d] = [deploymentGuests, deployments];
  // Policies that wrote to one of the workloads at some time.
  const touching = sql`select ${d.policy_id} from ${g} join ${d} on ${d.id} = ${g.deployment_id} where ${g.workload_id} = any (${ids})
    union select ${policyPlacements.policy_id} from ${policyPlacements} where ${policyPlacements.workload_id} = any (${ids})`;
  const ended = sql`coalesce(${g.finished_at}, ${g.started_at}, ${d.created_at})`;
  const isVisible = (workload: AnyColumn, at: SQL | AnyColumn) => visibleAt(reach, workload, at);
  const toPolicy = (id: AnyColumn) => ({ kind: 'policy', id, name: policies.name }) as const;
  const drift = (edge: 'found' | 'resolved') => {
    const at = edge === 'found' ? drifts.first_seen_at : drifts.resolved_at;
    return sql`select ${event(`drift_${edge}`, drifts.id, at, `drift_${edge}`, {
      workload: drifts.workload_id,
      object: { kind: 'drift', id: drifts.id, name: policies.name },
      subject: drifts.kind,
      ...(edge === 'found' && { not_before: drifts.unchanged_at, actor: drifts.changed_by }),
    })} from ${drifts} join ${policies} on ${policies.id} = ${drifts.policy_id}
      where ${drifts.workload_id} = any (${ids}) and ${at} is not null and ${policyInReach(reach) ?? sql`true`}
        and ${isVisible(drifts.workload_id, at)}`;
  };
  return [
    sql`select ${event('policy', policyVersions.id, policyVersions.created_at, 'policy_saved', {
      actor: users.email,
      object: toPolicy(policyVersions.policy_id),
      subject: policyVersions.version,
    })} from ${policyVersions} join ${policies} on ${policies.id} = ${policyVersions.policy_id}
      left join ${users} on ${users.id} = ${policyVersions.author_id}
      where ${policyVersions.policy_id} in (${touching}) and ${policyInReach(reach) ?? sql`true`}`,
    sql`select ${event('deployment', g.id, ended, 'deployment', {
      workload: g.workload_id,
      actor: users.email,
      object: { kind: 'policy', id: policies.id, name: d.policy_name },
      subject: g.status,
    })} from ${g} join ${d} on ${d.id} = ${g.deployment_id} left join ${users} on ${users.id} = ${d.requested_by}
      left join ${policies} on ${policies.id} = ${d.policy_id}
      where ${g.workload_id} = any (${ids}) and ${ownedInReach(d, reach) ?? sql`true`} and ${isVisible(g.workload_id, ended)}`,
    sql`select ${event(
      'change',
      sql`${changeTransitions.id} || '/' || ${changeWorkloads.workload_id}`,
      changeTransitions.created_at,
      'change_step',
      {
        workload: changeWorkloads.workload_id,
        actor: changeTransitions.actor_name,
        object: { kind: 'change', id: changes.id, name: changes.title },
        subject: changeTransitions.to,
      },
    )} from ${changeWorkloads} join ${changes} on ${changes.id} = ${changeWorkloads.change_id}
      join ${changeTransitions} on ${changeTransitions.change_id} = ${changes.id}
      where ${changeWorkloads.workload_id} = any (${ids}) and ${inArray(changeTransitions.to, [...STEPS])}
        and ${changeInReach(db, reach) ?? sql`true`} and ${isVisible(changeWorkloads.workload_id, changeTransitions.created_at)}`,
    drift('found'),
    drift('resolved'),
    sql`select ${event(
      'edit',
      sql`w.id || '/' || ${hypervisorEdits.object} || '@' || extract(epoch from ${hypervisorEdits.at}) || ${hypervisorEdits.user_name}`,
      hypervisorEdits.at,
      'hypervisor_edit',
      {
        workload: raw('w.id'),
        actor: hypervisorEdits.user_name,
        subject: hypervisorEdits.object,
      },
    )} from ${hypervisorEdits} join ${workloads} as w on w.cluster_id = ${hypervisorEdits.cluster_id} and w.vmid = ${hypervisorEdits.vmid}
      where w.id = any (${ids}) and ${visibleAt(reach, raw('w.id'), hypervisorEdits.at)}`,
  ];
}

function trafficEvents(ids: SQL, reach: Reach, days: readonly TrafficDay[]): SQL[] {
  const given = sql`unnest(${pgArray(
    'uuid',
    days.map((one) => one.workload_id),
  )}, ${pgArray(
    'date',
    days.map((one) => one.day),
  )},
      ${pgArray(
        'timestamptz',
        days.map((one) => one.last_flow_at),
      )}) as c (workload_id, day, last_flow_at)`;
  const seen = (edge: 'first' | 'last') => {
    const at = raw('c.last_flow_at');
    const start = raw(`(c.day::timestamp at time zone 'UTC')`);
    return sql`select ${event(`${edge}_traffic`, raw('c.workload_id'), at, `${edge}_traffic`, {
      workload: raw('c.workload_id'),
      ...(edge === 'first' && { not_before: start }),
    })} from (
      select distinct on (workload_id) workload_id, day, last_flow_at from ${given}
      where ${visibleAt(reach, raw('c.workload_id'), start)} and ${visibleAt(reach, raw('c.workload_id'), at)}
      order by workload_id, day ${raw(edge === 'first' ? 'asc' : 'desc')}) as c`;
  };
  const e = escapedConversations;
  return [
    seen('first'),
    seen('last'),
    sql`select ${event('escaped', e.id, e.first_seen_at, 'escaped_traffic', {
      workload: e.workload_id,
      subject: sql`host(${e.client_ip}) || ' → ' || host(${e.server_ip}) || coalesce(' ' || ${e.protocol} || '/' || ${e.server_port}, '')`,
    })} from ${e} where ${e.workload_id} = any (${ids}) and ${e.reason} is not null and ${visibleAt(reach, e.workload_id, e.first_seen_at)}`,
  ];
}

const time = (name: string) => raw(`to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${name}`);

/** What happened to some workloads, newest first. One query. */
export async function listTimelineRows(reach: TimelineReach, selection: TimelineSelection): Promise<TimelineRow[]> {
  const ids = pgArray('uuid', selection.workload_ids);
  const sources = [
    ...inventoryEvents(ids, reach.inventory),
    ...readingEvents(ids, reach.inventory),
    ...(reach.addresses ? addressEvents(ids, reach.addresses) : []),
    ...(reach.groups ? groupEvents(ids, reach.groups, reach.inventory) : []),
    ...(reach.policies ? policyEvents(ids, reach.policies) : []),
    ...(reach.traffic ? trafficEvents(ids, reach.traffic, selection.days) : []),
  ];
  const { after } = selection;
  const rest = after ? sql`and (e.at, e.id collate "C") < (${after.at}::timestamptz, ${after.id}::text)` : sql``;
  return db.execute<TimelineRow>(sql`
    select e.id, ${time('at')}, ${time('not_before')}, kind, workload_id, actor_name, object_kind, object_id, object_name, subject, before, after
    from (select distinct on (id) * from (${sql.join(sources, sql` union all `)}) as s
      where s.at >= ${selection.since}::timestamptz and s.at < ${selection.until}::timestamptz) as e
    where true ${rest} order by e.at desc, e.id collate "C" desc limit ${selection.limit}`);
}

/** Whether some workload is or was visible. One query. */
export async function isWorkloadKnown(reach: Reach, id: string): Promise<boolean> {
  const tenants = getReachableTenants(reach);
  const visible =
    tenants === 'all'
      ? sql`true`
      : sql`(exists (select 1 from ${workloadOwners} as o where o.workload_id = w.id and o.tenant_id = any (${pgArray('uuid', tenants)}))
          or w.project_id = any (${pgArray('uuid', getReachableProjects(reach))}))`;
  const rows = await db.execute(sql`select 1 from ${workloads} as w where w.id = ${id}::uuid and ${visible}`);
  return rows.length > 0;
}
