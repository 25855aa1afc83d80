import { z } from 'zod';
import {
  Cluster,
  ClusterCheckInput,
  ClusterCheckReport,
  ClusterCounts,
  ClusterInput,
  ClusterListInput,
  ClusterPage,
  ClusterUpdate,
} from '@/domain/cluster';
import { ClusterFirewall } from '@/domain/host-firewall';
import { SyncAccepted, SyncRunListInput, SyncRunPage } from '@/domain/sync';
import { checkCluster } from '../../services/clusters/check-cluster';
import { createCluster } from '../../services/clusters/create-cluster';
import { deleteCluster } from '../../services/clusters/delete-cluster';
import { listClusters } from '../../services/clusters/list-clusters';
import { previewDelete } from '../../services/clusters/preview-delete';
import { readCluster } from '../../services/clusters/read-cluster';
import { requestSync } from '../../services/clusters/request-sync';
import { updateCluster } from '../../services/clusters/update-cluster';
import { readClusterFirewall } from '../../services/host-firewall/read-cluster-firewall';
import { awaitSyncRun } from '../../services/sync-runs/await-sync-run';
import { listSyncRuns } from '../../services/sync-runs/list-sync-runs';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Clusters';
const params = z.object({ cluster_id: z.uuid() });

const list = defineRoute({
  method: 'GET',
  path: '/clusters',
  summary: 'Clusters with the state of their sync and what they hold.',
  tag,
  access: { permission: 'cluster:read' },
  query: ClusterListInput,
  response: { status: 200, schema: ClusterPage },
  handler: ({ scope, query }) => listClusters(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/clusters',
  summary: 'Add a cluster. Its token is stored encrypted and never returned.',
  tag,
  access: { permission: 'cluster:write' },
  body: ClusterInput,
  response: { status: 201, schema: Cluster },
  handler: ({ scope, body }) => createCluster(scope, body),
});

const check = defineRoute({
  method: 'POST',
  path: '/clusters/check',
  summary: 'Try an access to a cluster: reachability, certificate, sign-in, version, privileges, firewall.',
  tag,
  access: { permission: 'cluster:write' },
  body: ClusterCheckInput,
  response: { status: 200, schema: ClusterCheckReport },
  handler: ({ scope, body }) => checkCluster(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/clusters/{cluster_id}',
  summary: 'One cluster.',
  tag,
  access: { permission: 'cluster:read' },
  params,
  response: { status: 200, schema: Cluster },
  handler: ({ scope, params }) => readCluster(scope, params.cluster_id),
});

const firewall = defineRoute({
  method: 'GET',
  path: '/clusters/{cluster_id}/firewall',
  summary: 'What the data center filters, read now: options, rules, objects they refer to, and its nodes and VNets.',
  tag,
  access: { permission: 'cluster:read' },
  params,
  response: { status: 200, schema: ClusterFirewall },
  handler: ({ scope, params }) => readClusterFirewall(scope, params.cluster_id),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/clusters/{cluster_id}',
  summary: 'Change a cluster. A new address needs the token as well. If-Match or version guards against lost updates.',
  tag,
  access: { permission: 'cluster:write' },
  params,
  body: ClusterUpdate,
  response: { status: 200, schema: Cluster },
  handler: ({ scope, params, body, request }) =>
    updateCluster(scope, params.cluster_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/clusters/{cluster_id}',
  summary: 'Delete a cluster with its nodes, workloads, networks, subnets and addresses.',
  tag,
  access: { permission: 'cluster:write' },
  params,
  response: { status: 204 },
  handler: ({ scope, params }) => deleteCluster(scope, params.cluster_id),
});

const preview = defineRoute({
  method: 'GET',
  path: '/clusters/{cluster_id}/delete-preview',
  summary: 'How much would be deleted with the cluster.',
  tag,
  access: { permission: 'cluster:write' },
  params,
  response: { status: 200, schema: ClusterCounts },
  handler: ({ scope, params }) => previewDelete(scope, params.cluster_id),
});

const sync = defineRoute({
  method: 'POST',
  path: '/clusters/{cluster_id}/sync',
  summary: 'Read the inventory of a cluster. With wait=true the finished run is the answer, or 202 after two minutes.',
  tag,
  access: { permission: 'cluster:sync' },
  params,
  query: z.strictObject({ wait: z.enum(['true', 'false'], { error: 'true or false' }).default('false') }),
  response: { status: 202, schema: SyncAccepted },
  handler: async ({ scope, params, query, request }) => {
    const accepted = await requestSync(scope, params.cluster_id);
    if (query.wait === 'false') return accepted;
    const run = await awaitSyncRun(scope, accepted.run_id, { signal: request.signal });
    return run.finished_at === null
      ? accepted
      : Response.json(run, { status: 200, headers: { 'cache-control': 'no-store' } });
  },
});

const runs = defineRoute({
  method: 'GET',
  path: '/clusters/{cluster_id}/sync-runs',
  summary: 'The syncs of a cluster, newest first.',
  tag,
  access: { permission: 'cluster:read' },
  params,
  query: SyncRunListInput.omit({ cluster_id: true }),
  response: { status: 200, schema: SyncRunPage },
  handler: async ({ scope, params, query }) => {
    await readCluster(scope, params.cluster_id);
    return listSyncRuns(scope, { ...query, cluster_id: params.cluster_id });
  },
});

export const clusterRoutes = [list, create, check, read, firewall, update, remove, preview, sync, runs];
