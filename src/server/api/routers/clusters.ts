import { z } from 'zod';
import { ClusterCheckInput, ClusterInput, ClusterListInput, ClusterUpdate } from '@/domain/cluster';
import { checkCluster } from '../../services/clusters/check-cluster';
import { createCluster } from '../../services/clusters/create-cluster';
import { deleteCluster } from '../../services/clusters/delete-cluster';
import { listClusters } from '../../services/clusters/list-clusters';
import { previewDelete } from '../../services/clusters/preview-delete';
import { readCluster } from '../../services/clusters/read-cluster';
import { requestSync } from '../../services/clusters/request-sync';
import { updateCluster } from '../../services/clusters/update-cluster';
import { readClusterFirewall } from '../../services/host-firewall/read-cluster-firewall';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const clustersRouter = router({
  list: procedure('cluster:read')
    .input(ClusterListInput)
    .query(({ ctx, input }) => listClusters(ctx.scope, input)),
  get: procedure('cluster:read')
    .input(byId)
    .query(({ ctx, input }) => readCluster(ctx.scope, input.id)),
  firewall: procedure('cluster:read')
    .input(byId)
    .query(({ ctx, input }) => readClusterFirewall(ctx.scope, input.id)),
  create: procedure('cluster:write')
    .input(ClusterInput)
    .mutation(({ ctx, input }) => createCluster(ctx.scope, input)),
  update: procedure('cluster:write')
    .input(ClusterUpdate.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updateCluster(ctx.scope, id, changes)),
  delete: procedure('cluster:write')
    .input(byId)
    .mutation(({ ctx, input }) => deleteCluster(ctx.scope, input.id)),
  deletePreview: procedure('cluster:write')
    .input(byId)
    .query(({ ctx, input }) => previewDelete(ctx.scope, input.id)),
  check: procedure('cluster:write')
    .input(ClusterCheckInput)
    .mutation(({ ctx, input }) => checkCluster(ctx.scope, input)),
  sync: procedure('cluster:sync')
    .input(byId)
    .mutation(({ ctx, input }) => requestSync(ctx.scope, input.id)),
});
