import { type AnyColumn, inArray, type SQL, sql } from 'drizzle-orm';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
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
import { deployments, policies, policyVersions } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { changeTitle, transitionActor } from '../../enforcement/queries/change-list';
import { changeInReach } from '../../enforcement/queries/changes';
import { policyInReach } from '../../enforcement/queries/policies';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';
import type { TrafficDay } from '../../traffic/storage/coverage-rows';
import { edges, event, justBefore, raw, type TimelineRow, visibleAt } from './timeline-event';
import { groupEvents } from './timeline-groups';

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
        actor: transitionActor(reach),
        object: { kind: 'change', id: changes.id, name: changeTitle(reach) },
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
      and ${hypervisorEdits.at} >= w.created_at
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
