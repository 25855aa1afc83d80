import { z } from 'zod';
import { ApplyInput, DeploymentGuestListInput, DeploymentListInput } from '@/domain/deployments';
import { applyPending } from '../../services/deployments/apply-pending';
import { applyPolicy } from '../../services/deployments/apply-policy';
import { listDeploymentGuests } from '../../services/deployments/list-deployment-guests';
import { listDeployments } from '../../services/deployments/list-deployments';
import { readDeployment } from '../../services/deployments/read-deployment';
import { readDeploymentGuest } from '../../services/deployments/read-deployment-guest';
import { reconcilePolicy } from '../../services/deployments/reconcile-policy';
import { retryDeployment } from '../../services/deployments/retry-deployment';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });

export const deploymentsRouter = router({
  list: procedure('policy:read')
    .input(DeploymentListInput)
    .query(({ ctx, input }) => listDeployments(ctx.scope, input)),
  get: procedure('policy:read')
    .input(byId)
    .query(({ ctx, input }) => readDeployment(ctx.scope, input.id)),
  guests: procedure('policy:read')
    .input(DeploymentGuestListInput.extend({ id: z.uuid() }))
    .query(({ ctx, input: { id, ...query } }) => listDeploymentGuests(ctx.scope, id, query)),
  guest: procedure('policy:read')
    .input(z.strictObject({ id: z.uuid(), workload_id: z.uuid() }))
    .query(({ ctx, input }) => readDeploymentGuest(ctx.scope, input.id, input.workload_id)),
  applyPolicy: procedure('policy:apply')
    .input(ApplyInput.extend({ policy_id: z.uuid() }))
    .mutation(({ ctx, input: { policy_id, ...input } }) => applyPolicy(ctx.scope, policy_id, input, { wait: false })),
  reconcile: procedure('policy:apply')
    .input(z.strictObject({ policy_id: z.uuid() }))
    .mutation(({ ctx, input }) => reconcilePolicy(ctx.scope, input.policy_id, { wait: false })),
  applyPending: procedure('policy:apply').mutation(({ ctx }) => applyPending(ctx.scope)),
  retry: procedure('policy:apply')
    .input(byId)
    .mutation(({ ctx, input }) => retryDeployment(ctx.scope, input.id)),
});
