import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Condition, Fact } from '@/domain/notifications/condition';
import type { Notification } from '@/domain/notifications/notification';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues } from '@/server/jobs/queues';
import { newId } from '@/server/lib/ids';
import { bearer, makeCluster, makeNode, makeTenant, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { evaluateRules } from './evaluate-rules';

const sql = sqlClient();
let root: { id: string };
beforeAll(async () => {
  await queueBackend.prepare();
  root = await makeUser('super_admin');
});
afterAll(() => closeQueues());

async function addRule(headers: { authorization: string }, conditions: Condition[]): Promise<void> {
  const body = { name: newId(), conditions, open_after_minutes: 0, close_after_minutes: 0 };
  expect((await call('/notification-rules', { headers, body })).status).toBe(201);
}
const fact = (
  condition: Condition,
  object_kind: Fact['object_kind'],
  object_id: string | null,
  key?: string,
): Fact => ({
  ...{ condition, object_kind, object_id, key: key ?? object_id ?? '', object_name: condition, detail: 'It is so.' },
});
/** One round of the schedule with these facts. */
const evaluate = (facts: Fact[], unreadable: Condition[] = []) =>
  evaluateRules(async () => ({ facts, unreadable: new Set(unreadable), unknown: new Set() }));

/** Titles of the recoveries in the inbox of a user, by condition. */
async function listRecoveries(headers: { authorization: string }): Promise<Record<string, string>> {
  const { items } = (await (await call('/notifications', { headers })).json()) as { items: Notification[] };
  const over = items.filter(({ event }) => event === 'closed');
  return Object.fromEntries(over.map(({ condition, title }) => [condition, title]));
}

async function makeConflict(cluster: { id: string }, workload: { id: string }): Promise<string> {
  const id = newId();
  await sql`insert into ipam_conflicts (id, cluster_id, kind, key, address, workload_id)
    values (${id}, ${cluster.id}, 'outside_subnet', ${id}, '10.0.0.1', ${workload.id})`;
  return id;
}

it('reports that objects were removed, left or are no longer enforced, instead of a recovery', async () => {
  const headers = await bearer(root);
  const [gone, kept] = [await makeCluster(), await makeCluster()];
  const [agent, left] = [await makeNode(gone), await makeNode(kept)];
  const [workload, conflicting] = [await makeWorkload(kept), await makeWorkload(gone)];
  const policies = [newId(), newId()] as const;
  const definition = JSON.stringify({ enforcement_mode: 'enforced' });
  for (const id of policies)
    await sql`insert into policies (id, name, tier, definition) values (${id}, ${id}, 'platform_first', ${definition}::text::jsonb)`;
  const test = newId();
  await sql`insert into policy_tests (id, name, expect, "from", "to", protocol) values (${test}, 'web', 'deny', '{any}', '{any}', 'tcp')`;
  const facts = [
    fact('sync_failed', 'cluster', gone.id),
    fact('agent_silent', 'agent', agent.id),
    fact('agent_reports_refused', 'agent', left.id),
    fact('policy_expiring', 'policy', policies[0]),
    fact('policy_drifted', 'policy', policies[1]),
    fact('policy_test_failing', 'policy_test', test),
    fact('workload_traffic_high', 'workload', workload.id),
    fact('suspicious_traffic_critical', 'address', null, `${gone.id} 10.0.0.9 3389 tcp`),
    fact('address_conflict', 'ipam_conflict', await makeConflict(gone, conflicting)),
    fact('cluster_traffic_high', 'cluster', kept.id),
  ];
  await addRule(
    headers,
    facts.map(({ condition }) => condition),
  );
  await evaluate(facts);
  await sql`delete from clusters where id = ${gone.id}`;
  await sql`update nodes set missing_since = now() where id = ${left.id}`;
  await sql`delete from policies where id = ${policies[0]}`;
  await sql`update policies set definition = definition || '{"enforcement_mode": "audit"}' where id = ${policies[1]}`;
  await sql`delete from policy_tests where id = ${test}`;
  await sql`delete from workloads where id = ${workload.id}`;
  await evaluate([]);
  expect(await listRecoveries(headers)).toEqual({
    sync_failed: 'Cluster sync_failed was removed',
    agent_silent: 'Node agent_silent was removed',
    agent_reports_refused: 'Node agent_reports_refused left its cluster',
    policy_expiring: 'Policy policy_expiring was removed',
    policy_drifted: 'Policy policy_drifted is no longer enforced',
    policy_test_failing: 'Policy test policy_test_failing was removed',
    workload_traffic_high: 'Workload workload_traffic_high was removed',
    suspicious_traffic_critical: 'The cluster of suspicious_traffic_critical was removed',
    address_conflict: 'Address conflict address_conflict was removed',
    cluster_traffic_high: 'Traffic of cluster cluster_traffic_high is below the threshold again',
  });
  const [row] = await sql`select items from notifications where event = 'closed' and condition = 'sync_failed'`;
  expect(row?.items).toMatchObject([{ end_reason: 'removed', detail: 'It is so. Cluster sync_failed was removed.' }]);
  const [stored] = await sql`select detail from notification_incidents where condition = 'sync_failed'`;
  expect(stored?.detail).toBe('It is so. Cluster sync_failed was removed.');
});

it('reports to a tenant that a workload or conflict is no longer visible, instead of a recovery', async () => {
  await sql`delete from notification_rules`;
  const { cluster, ours } = await makeTwoTenants('admin');
  const conflict = await makeConflict(cluster, ours.workload);
  const settled = await makeConflict(cluster, ours.workload);
  await addRule(ours.headers, ['drops_high', 'address_conflict', 'traffic_escaped']);
  const stays = await makeWorkload(cluster, ours.project);
  await evaluate([
    fact('drops_high', 'workload', ours.workload.id),
    fact('traffic_escaped', 'workload', stays.id),
    fact('address_conflict', 'ipam_conflict', conflict),
  ]);
  const other = await makeTenant();
  const project = newId();
  await sql`insert into projects (id, tenant_id, name) values (${project}, ${other.id}, 'p')`;
  await sql`update workloads set project_id = ${project} where id = ${ours.workload.id}`;
  await evaluate([fact('address_conflict', 'ipam_conflict', settled)]);
  await sql`update ipam_conflicts set status = 'gone' where id = ${settled}`;
  expect(await listRecoveries(ours.headers)).toEqual({
    drops_high: 'Workload drops_high is no longer visible to the tenant',
    traffic_escaped: 'No more traffic of traffic_escaped against its rules',
    address_conflict: 'Address conflict address_conflict is no longer visible to the tenant',
  });
  await sql`delete from notifications`;
  await evaluate([]);
  expect(await listRecoveries(ours.headers)).toEqual({
    address_conflict: 'Address conflict resolved: address_conflict',
  });
});

it('ends what was removed immediately, also while its condition cannot be checked', async () => {
  await sql`delete from notification_rules`;
  const cluster = await makeCluster();
  const headers = await bearer(root);
  const body = { name: newId(), conditions: ['sync_failed'], open_after_minutes: 0, close_after_minutes: 60 };
  expect((await call('/notification-rules', { headers, body })).status).toBe(201);
  await evaluate([fact('sync_failed', 'cluster', cluster.id)]);
  const count = async () => (await sql`select from notification_incidents where status = 'open'`).length;
  await evaluate([], ['sync_failed']);
  expect(await count()).toBe(1);
  await sql`delete from clusters where id = ${cluster.id}`;
  await evaluate([], ['sync_failed']);
  expect(await count()).toBe(0);
});
