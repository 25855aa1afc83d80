import type postgres from 'postgres';
import { CLOSED_STATES } from '@/domain/flow/assign-conversation';
import { AppError } from '../../../lib/errors';
import { OPEN_HOURS } from '../clickhouse/retention';
import { FEW, LOCK_PATIENCE, MOST_ROUNDS, tryUntilFree } from './move-days';
import type { Move } from './move-record';
import { isDated, isForward } from './postgres-history';

const IS_OPEN = `c.last_seen_at >= now() - interval '${OPEN_HOURS} hours' and ${isDated('c.id')}`;
const CLOSED = CLOSED_STATES.map((state) => `'${state}'`).join(', ');

/** What the nodes reported of each direction and decision: the newest flow of each wins. */
const REPORTS = `
  select jsonb_object_agg(t.node_id || case when ${isForward('t.source', 't.destination')} then '>' else '<' end || t.decision,
    jsonb_build_array((extract(epoch from t.observed_at) * 1000)::bigint, case when t.state in (${CLOSED}) then 1 else 0 end,
      coalesce(t.reported_bytes, t.bytes), coalesce(t.reported_packets, t.packets)) order by t.observed_at) as reports
  from traffic_flows as t where t.conversation_id = c.id`;

/** Conversations that may continue, as `append` finds them. Two that two nodes began at the same time have the same ordinal: the key
 * has no room for both, so those of such a key get new ones. */
const insertOpen = (condition: string) => `
  insert into open_conversations (conversation_key, ordinal, id, revision, is_final, low_workload_id, high_workload_id, observer_id,
    first_seen_at, last_seen_at, reports, is_merge_due)
  select conversation_key, case when keys.is_unique then ordinal else keys.last + place end, id, revision, is_final,
    case when low_is_client then client_workload_id else server_workload_id end,
    case when low_is_client then server_workload_id else client_workload_id end, workload_id, first_seen_at, last_seen_at, reports, is_merge_due
  from (
    select c.*, ${isForward('c.client', 'c.server')} as low_is_client, row_number() over of_key as place
    from traffic_conversations as c where ${IS_OPEN} and ${condition} window of_key as (partition by c.conversation_key order by c.ordinal, c.id)) as c
  join lateral (
    select count(*) = count(distinct k.ordinal) as is_unique, max(k.ordinal)::int as last
    from traffic_conversations as k where k.conversation_key = c.conversation_key) as keys on true
  cross join lateral (${REPORTS}) as r where r.reports is not null`;

/** The oldest moment that a transaction that is not committed may have written as the time of its change. */
async function readOldestWrite(client: postgres.Sql): Promise<string> {
  const [row] = await client<{ at: string }[]>`
    select to_char(least(now(), min(xact_start)) - interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.USOF') as at
    from pg_stat_activity where datname = current_database() and backend_xid is not null`;
  if (!row) throw new Error('expected the time of the database');
  return row.at;
}

/** Copies again what changed since a time. @returns how many keys */
async function copyChanged(tx: postgres.Sql, since: string): Promise<number> {
  await tx`create temp table moving_keys (conversation_key uuid) on commit drop`;
  await tx`insert into moving_keys select distinct conversation_key from traffic_conversations where updated_at >= ${since}::text::timestamptz`;
  const [keys] = await tx<{ count: number }[]>`select count(*)::int as count from moving_keys`;
  await tx`delete from open_conversations where conversation_key in (select conversation_key from moving_keys)`;
  await tx.unsafe(insertOpen('c.conversation_key in (select conversation_key from moving_keys)'));
  return keys?.count ?? 0;
}

/** Copies conversations that may continue while more is stored, so that little is left for the moment of the switch. @returns since when */
async function copyAhead(client: postgres.Sql): Promise<string> {
  let since = await readOldestWrite(client);
  await client.begin(async (tx) => {
    await tx`truncate open_conversations`;
    await tx.unsafe(insertOpen('true'));
  });
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = await readOldestWrite(client);
    const from = since;
    const changed = await client.begin((tx) => copyChanged(tx as unknown as postgres.Sql, from));
    since = next;
    if (changed < FEW) break;
  }
  return since;
}

const UNASSIGNED =
  'Some flows have no conversation yet. A worker of this release assigns them: run the command again in a minute.';

/** The rest, and the switch itself: no flows are stored until it is done, and a writer that waited for it is refused. */
const finishSwitch = (client: postgres.Sql, { id }: Move, since: string): Promise<void> =>
  client.begin(async (begun) => {
    const tx = begun as unknown as postgres.Sql;
    await tx.unsafe(`set local lock_timeout = '${LOCK_PATIENCE}'`);
    await tx`lock table traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes
      in share row exclusive mode`;
    const [unassigned] = await tx`select 1 from traffic_flows where conversation_id is null limit 1`;
    if (unassigned) throw new AppError('unavailable', UNASSIGNED);
    await copyChanged(tx, since);
    // That a conversation ended when its workload moved is no change of it.
    await tx.unsafe(`update open_conversations as o set is_final = true from traffic_conversations as c
      where c.is_final and not o.is_final and c.id = o.id and ${IS_OPEN}`);
    await tx`delete from flow_counted_days`;
    await tx`delete from flow_storage`;
    await tx`insert into flow_storage (engine, store_id) select 'clickhouse', store_id from flow_moves where id = ${id}`;
    await tx`update flow_moves set switched_at = clock_timestamp() where id = ${id}`;
  }) as Promise<void>;

/**
 * Has flows stored in ClickHouse from now on, with the conversations that may continue: what is reported next adds to them, and is as
 * new as it would have been. Writers wait for seconds; processes that still store in PostgreSQL are refused from then on.
 */
export async function switchToClickhouse(client: postgres.Sql, move: Move): Promise<void> {
  const since = await copyAhead(client);
  await tryUntilFree(() => finishSwitch(client, move, since));
}
