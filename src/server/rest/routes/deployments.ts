import { z } from 'zod';
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
import { applyPending } from '../../services/deployments/apply-pending';
import { applyPolicy } from '../../services/deployments/apply-policy';
import { describeRefusal } from '../../services/deployments/describe-refusal';
import { listDeploymentGuests } from '../../services/deployments/list-deployment-guests';
import { listDeployments } from '../../services/deployments/list-deployments';
import { readDeployment } from '../../services/deployments/read-deployment';
import { readDeploymentGuest } from '../../services/deployments/read-deployment-guest';
import { reconcilePolicy } from '../../services/deployments/reconcile-policy';
import { retryDeployment } from '../../services/deployments/retry-deployment';
import { defineRoute } from '../define-route';

const tag = 'Deployments';
const policyParams = z.object({ policy_id: z.uuid() });
const params = z.object({ deployment_id: z.uuid() });
const waitQuery = z.strictObject({ wait: z.enum(['true', 'false'], { error: 'true or false' }).default('false') });

/** 202 while work goes on, 200 with what became of it. */
const answer = (result: ApplyResult) =>
  result.finished ? Response.json(result, { status: 200, headers: { 'cache-control': 'no-store' } }) : result;

export const deploymentRoutes = [
  defineRoute({
    method: 'POST',
    path: '/policies/{policy_id}/apply',
    summary:
      'Put a policy into force at every guest that it concerns; with the fingerprints of a preview, only what it showed. Or say in a dry run what that would want.',
    tag,
    access: { permission: 'policy:apply' },
    params: policyParams,
    query: waitQuery,
    body: ApplyInput,
    bodyOptional: true,
    response: { status: 202, schema: ApplyResult },
    malformedExtra: (scope, { policy_id }) => describeRefusal(scope, policy_id ?? ''),
    handler: async ({ scope, params, query, body, request }) =>
      answer(await applyPolicy(scope, params.policy_id, body, { wait: query.wait === 'true', signal: request.signal })),
  }),
  defineRoute({
    method: 'POST',
    path: '/policies/{policy_id}/reconcile',
    summary: 'Make what is live what is intended: apply an enforced policy, remove what is left of another.',
    tag,
    access: { permission: 'policy:apply' },
    params: policyParams,
    query: waitQuery,
    response: { status: 202, schema: ApplyResult },
    handler: async ({ scope, params, query, request }) =>
      answer(await reconcilePolicy(scope, params.policy_id, { wait: query.wait === 'true', signal: request.signal })),
  }),
  defineRoute({
    method: 'POST',
    path: '/policies/apply-pending',
    summary: 'Apply every enforced policy of which something else is wanted than was last applied.',
    tag,
    access: { permission: 'policy:apply' },
    response: { status: 202, schema: ApplyPendingResult },
    handler: ({ scope }) => applyPending(scope),
  }),
  defineRoute({
    method: 'GET',
    path: '/deployments',
    summary: 'Applies and cleanups of policies, one per cluster, newest first.',
    tag,
    access: { permission: 'policy:read' },
    query: DeploymentListInput,
    response: { status: 200, schema: DeploymentPage },
    handler: ({ scope, query }) => listDeployments(scope, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/deployments/{deployment_id}',
    summary: 'One deployment with its progress and how many guests ended in which way.',
    tag,
    access: { permission: 'policy:read' },
    params,
    response: { status: 200, schema: Deployment },
    handler: ({ scope, params }) => readDeployment(scope, params.deployment_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/deployments/{deployment_id}/guests',
    summary: 'What became of each guest of a deployment.',
    tag,
    access: { permission: 'policy:read' },
    params,
    query: DeploymentGuestListInput,
    response: { status: 200, schema: DeploymentGuestPage },
    handler: ({ scope, params, query }) => listDeploymentGuests(scope, params.deployment_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/deployments/{deployment_id}/guests/{workload_id}',
    summary: 'One guest of a deployment: what was planned, how it was before, what was done.',
    tag,
    access: { permission: 'policy:read' },
    params: params.extend({ workload_id: z.uuid() }),
    response: { status: 200, schema: DeploymentGuestDetail },
    handler: ({ scope, params }) => readDeploymentGuest(scope, params.deployment_id, params.workload_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/deployments/{deployment_id}/retry',
    summary: 'Do again what failed in a deployment, and only that.',
    tag,
    access: { permission: 'policy:apply' },
    params,
    response: { status: 202, schema: Deployment },
    handler: ({ scope, params }) => retryDeployment(scope, params.deployment_id),
  }),
];
