import {
  ApplyInput,
  ApplyPendingResult,
  ApplyResult,
  Deployment,
  DeploymentGuestDetail,
  DeploymentGuestListInput,
  DeploymentGuestPage,
  DeploymentListInput,
  DeploymentPage,
} from '@/domain/deployments';
import {
  listDeploymentGuests,
  listDeployments,
  readDeployment,
  readDeploymentGuest,
} from '../../enforcement/deployments/reads';
import { applyPending, applyPolicy, describeRefusal } from '../../enforcement/deployments/request';
import { reconcilePolicy, retryDeployment } from '../../enforcement/deployments/request-again';
import { operations, Waiting } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Deployments');

/** 202 while work goes on, 200 with what became of it. */
const answer = (result: ApplyResult) =>
  result.finished ? Response.json(result, { status: 200, headers: { 'cache-control': 'no-store' } }) : result;

export const deploymentsRouter = router({
  applyPolicy: mutation({
    rest: 'POST /policies/{policy_id}/apply',
    summary:
      'Put a policy into force at every guest that it concerns; with the fingerprints of a preview, only what it showed. Or say in a dry run what that would want.',
    access: { permission: 'policy:apply' },
    input: ApplyInput,
    output: ApplyResult,
    status: 202,
    bodyOptional: true,
    malformedExtra: (scope, { policy_id }) => describeRefusal(scope, policy_id ?? ''),
    run: ({ scope, params, input }) => applyPolicy(scope, params.policy_id, input, { wait: false }),
    respond: {
      query: Waiting,
      answer: async ({ scope, params, input }, { wait }, { signal }) =>
        answer(await applyPolicy(scope, params.policy_id, input, { wait: wait === 'true', signal })),
    },
  }),
  reconcile: mutation({
    rest: 'POST /policies/{policy_id}/reconcile',
    summary: 'Make what is live what is intended: apply an enforced policy, remove what is left of another.',
    access: { permission: 'policy:apply' },
    output: ApplyResult,
    status: 202,
    run: ({ scope, params }) => reconcilePolicy(scope, params.policy_id, { wait: false }),
    respond: {
      query: Waiting,
      answer: async ({ scope, params }, { wait }, { signal }) =>
        answer(await reconcilePolicy(scope, params.policy_id, { wait: wait === 'true', signal })),
    },
  }),
  applyPending: mutation({
    rest: 'POST /policies/apply-pending',
    summary: 'Apply every enforced policy of which something else is wanted than was last applied.',
    access: { permission: 'policy:apply' },
    output: ApplyPendingResult,
    status: 202,
    run: ({ scope }) => applyPending(scope),
  }),
  list: query({
    rest: 'GET /deployments',
    summary: 'Applies and cleanups of policies, one per cluster, newest first.',
    access: { permission: 'policy:read' },
    input: DeploymentListInput,
    output: DeploymentPage,
    run: ({ scope, input }) => listDeployments(scope, input),
  }),
  get: query({
    rest: 'GET /deployments/{deployment_id}',
    summary: 'One deployment with its progress and how many guests ended in which way.',
    access: { permission: 'policy:read' },
    output: Deployment,
    run: ({ scope, params }) => readDeployment(scope, params.deployment_id),
  }),
  guests: query({
    rest: 'GET /deployments/{deployment_id}/guests',
    summary: 'What became of each guest of a deployment.',
    access: { permission: 'policy:read' },
    input: DeploymentGuestListInput,
    output: DeploymentGuestPage,
    run: ({ scope, params, input }) => listDeploymentGuests(scope, params.deployment_id, input),
  }),
  guest: query({
    rest: 'GET /deployments/{deployment_id}/guests/{workload_id}',
    summary: 'One guest of a deployment: what was planned, how it was before, what was done.',
    access: { permission: 'policy:read' },
    output: DeploymentGuestDetail,
    run: ({ scope, params }) => readDeploymentGuest(scope, params.deployment_id, params.workload_id),
  }),
  retry: mutation({
    rest: 'POST /deployments/{deployment_id}/retry',
    summary: 'Do again what failed in a deployment, and only that.',
    access: { permission: 'policy:apply' },
    output: Deployment,
    status: 202,
    run: ({ scope, params }) => retryDeployment(scope, params.deployment_id),
  }),
});
