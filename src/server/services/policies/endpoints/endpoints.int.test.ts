import { expect, it } from 'vitest';
import { countTags } from '@/server/repositories/workload-tags';
import { makeCluster, makeProject, makeTwoTenants, makeWorkload } from '@/test/factories';
import { systemScope } from '../../../auth/scope';
import { resolveEndpoints } from './resolve-endpoints';

it('endpoints are resolved as the policy of the tenant would', async () => {
  const { cluster, ours, theirs } = await makeTwoTenants('security_engineer');
  const endpoints = [ours.workload, theirs.workload].map(({ vmid }) => `vmid:${cluster.name}/${vmid}`);
  const scope = systemScope('policy:read', 'test', [ours.tenant.id]);
  const found = await resolveEndpoints(scope, { endpoints });
  expect(found.map(({ places }) => places.reason)).toEqual([null, 'not_found']);
  expect(found[0]?.places.workloads).toMatchObject([{ id: ours.workload.id, cluster_name: cluster.name }]);
  await expect(resolveEndpoints(scope, { endpoints, tenant_id: theirs.tenant.id })).rejects.toThrow('no such tenant');
  const everywhere = await resolveEndpoints(systemScope('policy:read', 'test'), { endpoints });
  expect(everywhere.map(({ places }) => places.reason)).toEqual([null, null]);
});

it('tags are counted within reach, the most used first, and found by any part', async () => {
  const { ours, theirs } = await makeTwoTenants('viewer');
  const cluster = await makeCluster();
  const project = await makeProject(ours.tenant);
  await makeWorkload(cluster, project, { tags: ['tag_x1', 'tag_y'] });
  await makeWorkload(cluster, project, { tags: ['tag_y'] });
  await makeWorkload(cluster, theirs.project, { tags: ['tag_x1', 'tagax1'] });
  const reach = [ours.tenant.id];
  expect(await countTags(reach, 'tag')).toEqual([
    { tag: 'tag_y', workloads: 2 },
    { tag: 'tag_x1', workloads: 1 },
  ]);
  // The underscore is a character, not a placeholder.
  expect(await countTags('all', 'G_X')).toEqual([{ tag: 'tag_x1', workloads: 2 }]);
  expect(await countTags([], '')).toEqual([]);
});
