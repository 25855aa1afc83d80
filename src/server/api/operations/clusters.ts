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
import { SyncAccepted, SyncRun, SyncRunListInput, SyncRunPage } from '@/domain/sync';
import { readClusterFirewall } from '../../enforcement/host-firewall/read-hosts';
import { listClusters } from '../../inventory/queries/clusters';
import { listSyncRuns } from '../../inventory/queries/sync-runs';
import { awaitSyncRun, readCluster } from '../../inventory/reads';
import { checkCluster } from '../../sync/check-cluster';
import { createCluster, deleteCluster, previewDelete, updateCluster } from '../../sync/clusters';
import { requestSync } from '../../sync/request-sync';
import { ByVersion, operations, Waiting } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Clusters');

export const clustersRouter = router({
  list: query({
    rest: 'GET /clusters',
    summary: 'List clusters with their sync status and object counts.',
    access: { permission: 'cluster:read' },
    input: ClusterListInput,
    output: ClusterPage,
    run: ({ input }) => listClusters(input),
  }),
  create: mutation({
    rest: 'POST /clusters',
    summary: 'Add a cluster. Its API token is stored encrypted and never returned.',
    access: { permission: 'cluster:write' },
    input: ClusterInput,
    output: Cluster,
    status: 201,
    run: ({ scope, input }) => createCluster(scope, input),
  }),
  check: mutation({
    rest: 'POST /clusters/check',
    summary: 'Check the access to a cluster: reachability, certificate, sign-in, version, privileges, firewall.',
    access: { permission: 'cluster:write' },
    input: ClusterCheckInput,
    output: ClusterCheckReport,
    run: ({ scope, input }) => checkCluster(scope, input),
  }),
  get: query({
    rest: 'GET /clusters/{cluster_id}',
    summary: 'Get one cluster.',
    access: { permission: 'cluster:read' },
    output: Cluster,
    run: ({ scope, params }) => readCluster(scope, params.cluster_id),
  }),
  firewall: query({
    rest: 'GET /clusters/{cluster_id}/firewall',
    summary:
      'Read the live firewall of a data center: options, rules, the objects they refer to, and its nodes and VNets.',
    access: { permission: 'cluster:read' },
    output: ClusterFirewall,
    run: ({ scope, params }) => readClusterFirewall(scope, params.cluster_id),
  }),
  update: mutation({
    rest: 'PATCH /clusters/{cluster_id}',
    summary: 'Update a cluster. A new address also requires the API token. If-Match or version prevents lost updates.',
    access: { permission: 'cluster:write' },
    input: ClusterUpdate,
    output: Cluster,
    run: ({ scope, params, input }) => updateCluster(scope, params.cluster_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /clusters/{cluster_id}',
    summary: 'Delete a cluster with its nodes, workloads, networks, prefixes and addresses.',
    access: { permission: 'cluster:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteCluster(scope, params.cluster_id, input.version),
  }),
  deletePreview: query({
    rest: 'GET /clusters/{cluster_id}/delete-preview',
    summary: 'Count the objects that would be deleted with the cluster.',
    access: { permission: 'cluster:write' },
    output: ClusterCounts,
    run: ({ scope, params }) => previewDelete(scope, params.cluster_id),
  }),
  sync: mutation({
    rest: 'POST /clusters/{cluster_id}/sync',
    summary: 'Read the inventory of a cluster. With wait=true, returns the finished run, or 202 after two minutes.',
    access: { permission: 'cluster:sync' },
    output: SyncAccepted,
    status: 202,
    run: ({ scope, params }) => requestSync(scope, params.cluster_id),
    respond: {
      query: Waiting,
      finished: SyncRun,
      answer: async ({ scope, params }, { wait }, request) => {
        const accepted = await requestSync(scope, params.cluster_id);
        if (wait === 'false') return accepted;
        const run = await awaitSyncRun(scope, accepted.run_id, { signal: request.signal });
        return run.finished_at === null
          ? accepted
          : Response.json(run, { status: 200, headers: { 'cache-control': 'no-store' } });
      },
    },
  }),
  syncRuns: query({
    rest: 'GET /clusters/{cluster_id}/sync-runs',
    summary: 'List the sync runs of a cluster, newest first.',
    access: { permission: 'cluster:read' },
    input: SyncRunListInput.omit({ cluster_id: true }),
    output: SyncRunPage,
    run: async ({ scope, params, input }) => {
      await readCluster(scope, params.cluster_id);
      return listSyncRuns({ ...input, cluster_id: params.cluster_id });
    },
  }),
});
