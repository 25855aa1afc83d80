import { smallLab } from '@fabric/simulator/scenarios/small-lab';
import { afterEach, expect, it } from 'vitest';
import { makeProject, makeTenant } from '@/test/factories';
import { systemScope } from '../auth/scope';
import { createMappingRule } from '../placement/mapping-rules';
import { inventoryWrites, makeSyncLab, type SyncLab } from './testing/sync-lab.fixture';

let fixture: SyncLab;
afterEach(() => fixture.close());

it('a sync puts guests where the rules want them as pools and tags change, and the next one writes nothing', async () => {
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 });
  const { control, sync, settle, workloads, sql } = fixture;
  const tenant = await makeTenant();
  const shop = await makeProject(tenant);
  const staging = await makeProject(await makeTenant());
  const scope = systemScope('mapping:write', 'test');
  const rule = { cluster_id: null, priority: 1000, enabled: true, description: '' };
  await createMappingRule(scope, { ...rule, source: 'pool', value: 'production', project_id: shop.id });
  await createMappingRule(scope, { ...rule, source: 'tag', value: 'staging', project_id: staging.id });
  expect((await sync()).status).toBe('ok');
  const desired = (row: { pool: string | null; tags: string[] }) =>
    row.pool === 'production' ? shop.id : row.tags.includes('staging') ? staging.id : null;
  const first = await workloads();
  expect(first.filter(({ project_id }) => project_id === shop.id).length).toBeGreaterThan(2);
  expect(first.filter(({ project_id }) => project_id === staging.id).length).toBeGreaterThan(0);
  expect(first.map(({ project_id }) => project_id)).toEqual(first.map(desired));

  await settle();
  await sync();
  const writes = await inventoryWrites(sql);
  await sync();
  expect(await inventoryWrites(sql)).toEqual(writes);

  const [moving] = first.filter(({ pool }) => pool === 'production');
  if (!moving) throw new Error('the lab has nobody in production');
  control.state.pools.get('production')?.members.delete(moving.vmid);
  await settle();
  await sync();
  expect((await fixture.workload(moving.vmid)).project_id).toBe(moving.tags.includes('staging') ? staging.id : null);
  const [record] = await sql`
    select actor_name, tenant_id from audit_records where action = 'workload.mapped' and tenant_id = ${tenant.id}
    order by seq desc limit 1`;
  expect(record).toEqual({ actor_name: 'cluster sync', tenant_id: tenant.id });
});
