import {
  ApplyInput,
  ApplyPendingInput,
  ApplyPendingResult,
  ApplyResult,
  Deployment,
  DeploymentGuestDetail,
  DeploymentGuestListInput,
  DeploymentGuestPage,
  DeploymentListInput,
  DeploymentPage,
} from '@/domain/deployments';
import { authorizeIfGranted, type Session } from '../../auth/scope';
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
import { impactReader } from './impacts';

const { query, mutation } = operations('Deployments');

/** What the caller may do about policy tests that an apply would make fail. */
const testRights = (session: Session) => ({
  read: authorizeIfGranted(session, 'policy_test:read')?.reach ?? null,
  override: authorizeIfGranted(session, 'policy_test:override'),
  protect: authorizeIfGranted(session, 'policy_test:protect'),
  impact: impactReader(session),
});

/** 202 while work continues, 200 with the result. */
const toApplyResponse = (result: ApplyResult) =>
  result.finished ? Response.json(result, { status: 200, headers: { 'cache-control': 'no-store' } }) : result;

export const deploymentsRouter = router({
  applyPolicy: mutation({
    rest: 'POST /policies/{policy_id}/apply',
    summary:
      'Apply a policy to all workloads that it affects. With the fingerprints of a preview, applies only what the preview showed. A dry run only returns the changes. Returns 409 with failing_tests when policy tests would fail, with a reason when the impact named by impact_id is not acknowledged, outdated or another one, and with the change to submit where approval is required.',
    access: { permission: 'policy:apply' },
    input: ApplyInput,
    output: ApplyResult,
    status: 202,
    bodyOptional: true,
    problems: ['conflict'],
    malformedExtra: (scope, { policy_id }) => describeRefusal(scope, policy_id ?? ''),
    run: ({ scope, session, params, input }) =>
      applyPolicy(scope, params.policy_id, input, { wait: false }, testRights(session)),
    respond: {
      query: Waiting,
      finished: ApplyResult,
      answer: async ({ scope, session, params, input }, { wait }, { signal }) =>
        toApplyResponse(
          await applyPolicy(scope, params.policy_id, input, { wait: wait === 'true', signal }, testRights(session)),
        ),
    },
  }),
  reconcile: mutation({
    rest: 'POST /policies/{policy_id}/reconcile',
    summary:
      'Reconcile the live state with the desired state: apply an enforced policy, or remove the remaining rules of another policy.',
    access: { permission: 'policy:apply' },
    output: ApplyResult,
    status: 202,
    run: ({ scope, params }) => reconcilePolicy(scope, params.policy_id, { wait: false }),
    respond: {
      query: Waiting,
      finished: ApplyResult,
      answer: async ({ scope, params }, { wait }, { signal }) =>
        toApplyResponse(await reconcilePolicy(scope, params.policy_id, { wait: wait === 'true', signal })),
    },
  }),
  applyPending: mutation({
    rest: 'POST /policies/apply-pending',
    summary:
      'Apply every enforced policy whose desired state differs from what was last applied. A policy with an impact that is not acknowledged, or outdated, is not applied.',
    access: { permission: 'policy:apply' },
    input: ApplyPendingInput,
    output: ApplyPendingResult,
    status: 202,
    bodyOptional: true,
    run: ({ scope, input, session }) => applyPending(scope, input, impactReader(session)),
  }),
  list: query({
    rest: 'GET /deployments',
    summary: 'List deployments (policy applies and cleanups, one per cluster), newest first.',
    access: { permission: 'policy:read' },
    input: DeploymentListInput,
    output: DeploymentPage,
    run: ({ scope, input }) => listDeployments(scope, input),
  }),
  get: query({
    rest: 'GET /deployments/{deployment_id}',
    summary: 'Get one deployment with its progress and the number of workloads per result.',
    access: { permission: 'policy:read' },
    output: Deployment,
    run: ({ scope, params }) => readDeployment(scope, params.deployment_id),
  }),
  guests: query({
    rest: 'GET /deployments/{deployment_id}/guests',
    summary: 'List the results of a deployment by workload.',
    access: { permission: 'policy:read' },
    input: DeploymentGuestListInput,
    output: DeploymentGuestPage,
    run: ({ scope, params, input }) => listDeploymentGuests(scope, params.deployment_id, input),
  }),
  guest: query({
    rest: 'GET /deployments/{deployment_id}/guests/{workload_id}',
    summary: 'Get one workload of a deployment: the plan, the state before, and the changes made.',
    access: { permission: 'policy:read' },
    output: DeploymentGuestDetail,
    run: ({ scope, params }) => readDeploymentGuest(scope, params.deployment_id, params.workload_id),
  }),
  retry: mutation({
    rest: 'POST /deployments/{deployment_id}/retry',
    summary: 'Retry only what failed in a deployment.',
    access: { permission: 'policy:apply' },
    output: Deployment,
    status: 202,
    run: ({ scope, params }) => retryDeployment(scope, params.deployment_id),
  }),
});
