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

/** Projects of two tenants that get the guests of two pools; guest 100 is in the first of them. */
async function mapPools(...[former, next]: [{ id: string }, { id: string }]) {
  const { cluster, sync, workload } = fixture;
  const [production, staging] = [await makeProject(former), await makeProject(next)];
  const rule = { cluster_id: cluster.id, priority: 1000, enabled: true, description: '', source: 'pool' as const };
  const addRule = (value: string, { id: project_id }: { id: string }) =>
    createMappingRule(systemScope('mapping:write', 'test'), { ...rule, value, project_id });
  await addRule('production', production);
  await addRule('staging', staging);
  await sync();
  const before = await workload(100);
  expect(before.project_id).toBe(production.id);
  return { production, staging, before, addRule };
}

it.each([
  ['that can be read', null],
  ['that cannot be read at first', 595],
  ['that may not be read at first', 403],
])('a guest under the VMID of another tenant, with a config %s, does not take anything along', async (_, status) => {
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, `lab ${status}`);
  const { control, simulator, sync, settle, workload, sql } = fixture;
  const [former, next] = [await makeTenant(), await makeTenant()];
  const { staging, before, addRule } = await mapPools(former, next);

  const nics = [{ bridge: 'vmbr0' }];
  control.reuseVmid({ vmid: 100, type: 'qemu', node: 'pve1', name: 'stranger', pool: 'staging', nics });
  await settle();
  const fault =
    status && simulator.onRequest({ path: /\/qemu\/100\/config$/ }, { kind: 'respond', status, reason: 'not now' });
  expect((await sync()).status).toBe('ok');
  if (fault) {
    expect(await workload(100)).toMatchObject({ id: before.id, project_id: null });
    await addRule('other', staging);
    expect(await workload(100)).toMatchObject({ id: before.id, project_id: null });
    fault.remove();
    await sync('auto');
  }
  const after = await workload(100);
  expect(after.project_id).toBe(staging.id);
  expect(after.id).not.toBe(before.id);
  const removals = await sql`
    select tenant_id from audit_records where action = 'workload.removed' and before::text like ${`%${before.id}%`}`;
  expect(removals).toEqual([{ tenant_id: former.id }]);
  const seen = await sql`
    select action from audit_records where tenant_id = ${next.id}
    and concat(before::text, after::text) like ${`%${before.id}%`}`;
  expect(seen).toEqual([]);
});

it('a guest that left its pool leaves the tenant even if its config cannot be read', async () => {
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, 'lab with pools');
  const { control, simulator, sync, settle, workload, cluster } = fixture;
  const project = await makeProject(await makeTenant());
  const rule = { cluster_id: cluster.id, priority: 1000, enabled: true, description: '', project_id: project.id };
  await createMappingRule(systemScope('mapping:write', 'test'), { ...rule, source: 'pool', value: 'production' });
  await sync();
  const before = await workload(100);
  expect(before.project_id).toBe(project.id);
  control.state.pools.get('production')?.members.delete(100);
  await settle();
  simulator.onRequest({ path: /\/qemu\/100\/config$/ }, { kind: 'respond', status: 595, reason: 'not now' });
  await sync();
  expect(await workload(100)).toMatchObject({ id: before.id, project_id: null });
});

it.each([
  ['another tenant leaves its own', false],
  ['another project of its tenant stays', true],
])('a guest that goes to the pool of %s until its config is read', async (_, isWithin) => {
  fixture = await makeSyncLab({ scenario: smallLab, timeScale: 50 }, `lab within ${isWithin}`);
  const { control, simulator, sync, settle, workload, sql } = fixture;
  const tenant = await makeTenant();
  const { production, staging, before } = await mapPools(tenant, isWithin ? tenant : await makeTenant());
  control.state.pools.get('production')?.members.delete(100);
  control.state.pools.get('staging')?.members.add(100);
  await settle();
  const fault = simulator.onRequest(
    { path: /\/qemu\/100\/config$/ },
    { kind: 'respond', status: 595, reason: 'not now' },
  );
  await sync();
  const project_id = isWithin ? production.id : null;
  expect(await workload(100)).toMatchObject({ id: before.id, project_id });
  const writes = await inventoryWrites(sql);
  await sync();
  expect(await inventoryWrites(sql)).toEqual(writes);
  fault.remove();
  await sync('auto');
  expect(await workload(100)).toMatchObject({ id: before.id, project_id: staging.id, nics: before.nics });
});
