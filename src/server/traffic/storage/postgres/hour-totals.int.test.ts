import { beforeAll, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import {
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  storeHistory,
} from '../contract/flow-history.fixture';
import { postgresFlowStore as store } from './postgres-flow-store';

const sql = sqlClient();
let inventory: Inventory;
const findComplete = async () => {
  const rows = await sql<{ at: string }[]>`select to_json(bucket_at) #>> '{}' as at from flow_complete_hours
    where cluster_id = ${inventory.nodes[0]?.cluster_id ?? ''}`;
  return rows.map(({ at }) => Date.parse(at));
};
const sumAll = async () => {
  while (!(await store.upkeep.sum()).done);
};
const [earlier, later] = [NOW - 3 * HOUR, NOW - 2 * HOUR];

beforeAll(async () => {
  inventory = await makeInventory();
  await storeHistory(store, makeHeartbeats(makeConnections(1, 60, inventory), 2, false), inventory);
  await sumAll();
});

it('has totals of hours that are over, and of none that has just ended', async () => {
  const complete = await findComplete();
  expect(complete).toEqual(expect.arrayContaining([earlier, later]));
  expect(Math.max(...complete)).toBeLessThanOrEqual(Date.now() - HOUR - 5 * 60_000);
});

it('reads no totals after marks were deleted, by any process', async () => {
  await sql`insert into traffic_marks (cluster_id, bucket_at) select cluster_id, ${iso(later + HOUR / 2)}::timestamptz
    from flow_complete_hours where bucket_at = ${iso(later)}::timestamptz`;
  await sql`delete from traffic_marks`;
  expect(await findComplete()).not.toContain(later);
  expect(await findComplete()).toContain(earlier);
  await sumAll();
  expect(await findComplete()).toContain(later);
});

it('makes no totals of what is left of an hour whose minutes have moved', async () => {
  await sql`delete from flow_complete_hours where bucket_at = ${iso(earlier)}::timestamptz`;
  await sql`with moved as (delete from flow_rollup_minutes where (node_id, bucket_at, rollup_key) in (
      select node_id, bucket_at, rollup_key from flow_rollup_minutes where bucket_at >= ${iso(earlier)}::timestamptz
        and bucket_at < ${iso(later)}::timestamptz limit 1) returning *)
    insert into flow_rollup_hours (node_id, bucket_at, rollup_key, cluster_id, source_workload_id, destination_workload_id, source_prefix,
      destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
    select node_id, date_trunc('hour', bucket_at, 'UTC'), rollup_key, cluster_id, source_workload_id, destination_workload_id, source_prefix,
      destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows from moved`;
  await sumAll();
  expect(await findComplete()).not.toContain(earlier);
});
