import { z } from 'zod';
import { asOf } from '@/domain/as-of';
import {
  ChangedPolicy,
  ChangeGuard,
  DeletedPolicy,
  Policy,
  PolicyChange,
  PolicyCreate,
  PolicyListInput,
  PolicyPage,
  PolicyVersionDetail,
  PolicyVersionListInput,
  PolicyVersionPage,
  RuleChange,
  RuleCreate,
  SecurityRule,
  VersionComparison,
} from '@/domain/policies';
import { PolicyDraft, PolicyDraftInput } from '@/domain/policy-draft';
import { EndpointSearch, EndpointSuggestions, ResolveInput, ResolveResult } from '@/domain/policy-endpoints';
import { PolicyGuestComparison, PolicyGuestListInput, PolicyGuestPage } from '@/domain/policy-guests';
import { CleanupPreview, DraftInput, PolicyPreview, PreviewInput } from '@/domain/policy-preview';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import { releasePolicy } from '../../enforcement/managed/release';
import { addRule, changeRule, removeRule } from '../../enforcement/policies/change-rules';
import { draftPolicy } from '../../enforcement/policies/draft-policy';
import { resolveEndpoints, searchEndpoints } from '../../enforcement/policies/endpoints';
import { comparePolicyGuest, listPolicyGuests } from '../../enforcement/policies/guests';
import { compareVersions, listVersions, readVersion, revertPolicy } from '../../enforcement/policies/history';
import {
  createPolicy,
  deletePolicy,
  listPolicies,
  readPolicy,
  updatePolicy,
} from '../../enforcement/policies/policies';
import { previewCleanup } from '../../enforcement/policies/preview/preview-cleanup';
import { previewDraft, previewPolicy } from '../../enforcement/policies/preview/preview-policy';
import { ByVersion, flag, operations, versionNumber } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Policies');
/** Where the caller sees policy tests; null: nowhere. */
const getTestReach = (session: Session) => authorizeIfGranted(session, 'policy_test:read')?.reach ?? null;
const versionParams = z.object({ policy_id: z.uuid(), version: versionNumber });

/** `version` and `reason` of changes without a body of their own. */
const guardQuery = ByVersion.extend({
  reason: z.string().trim().max(500, 'At most 500 characters.').optional(),
});

export const policiesRouter = router({
  list: query({
    rest: 'GET /policies',
    summary: 'List policies with their status on each cluster, as last read, now or as of a time.',
    access: { permission: 'policy:read' },
    input: PolicyListInput.extend(asOf),
    output: PolicyPage,
    run: ({ scope, input }) => listPolicies(scope, input),
  }),
  create: mutation({
    rest: 'POST /policies',
    summary: 'Create a policy. A missing or invalid enforcement_mode becomes audit. Nothing is applied.',
    access: { permission: 'policy:write' },
    input: PolicyCreate,
    output: Policy,
    status: 201,
    run: ({ scope, input }) => createPolicy(scope, input),
  }),
  get: query({
    rest: 'GET /policies/{policy_id}',
    summary:
      'Get one policy with its rules and status. With fresh=true, its workloads are read now; with as_of, it is as it was then.',
    access: { permission: 'policy:read' },
    input: z.strictObject({ fresh: flag, ...asOf }),
    output: Policy,
    run: ({ scope, params, input }) => readPolicy(scope, params.policy_id, input.fresh === 'true'),
  }),
  update: mutation({
    rest: 'PATCH /policies/{policy_id}',
    summary:
      'Update a policy. Every change creates a version. Disabling the policy or setting it to audit removes its rules from the clusters.',
    access: { permission: 'policy:write' },
    input: PolicyChange,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => updatePolicy(scope, params.policy_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /policies/{policy_id}',
    summary: 'Delete a policy and remove its rules from the clusters. Returns the deployments that remove them.',
    access: { permission: 'policy:write' },
    input: guardQuery,
    output: DeletedPolicy,
    run: ({ scope, params, input }) => deletePolicy(scope, params.policy_id, input),
  }),
  release: mutation({
    rest: 'POST /policies/{policy_id}/release',
    summary:
      'Release a policy that is managed as code, so that it can be edited. The next apply from its source manages it again.',
    access: { permission: 'policy:write' },
    output: Policy,
    problems: ['conflict'],
    run: ({ scope, params }) => releasePolicy(scope, params.policy_id),
  }),
  rules: query({
    rest: 'GET /policies/{policy_id}/rules',
    summary: 'List the rules of a policy in order.',
    access: { permission: 'policy:read' },
    output: z.object({ items: z.array(SecurityRule), policy_version: z.int() }),
    run: async ({ scope, params }) => {
      const policy = await readPolicy(scope, params.policy_id);
      return { items: policy.rules, policy_version: policy.version };
    },
  }),
  addRule: mutation({
    rest: 'POST /policies/{policy_id}/rules',
    summary: 'Add a rule at a position, or at the end.',
    access: { permission: 'policy:write' },
    input: RuleCreate,
    output: ChangedPolicy,
    status: 201,
    run: ({ scope, params, input }) => addRule(scope, params.policy_id, input),
  }),
  changeRule: mutation({
    rest: 'PATCH /policies/{policy_id}/rules/{rule_id}',
    summary: 'Update the content or position of a rule.',
    access: { permission: 'policy:write' },
    input: RuleChange,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => changeRule(scope, params.policy_id, params.rule_id, input),
  }),
  removeRule: mutation({
    rest: 'DELETE /policies/{policy_id}/rules/{rule_id}',
    summary: 'Delete a rule.',
    access: { permission: 'policy:write' },
    input: guardQuery,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => removeRule(scope, params.policy_id, params.rule_id, input),
  }),
  versions: query({
    rest: 'GET /policies/{policy_id}/versions',
    summary: 'List the versions of a policy, newest first.',
    access: { permission: 'policy:read' },
    input: PolicyVersionListInput,
    output: PolicyVersionPage,
    run: ({ scope, params, input }) => listVersions(scope, params.policy_id, input),
  }),
  version: query({
    rest: 'GET /policies/{policy_id}/versions/{version}',
    summary: 'Get one version with the complete content of the policy.',
    access: { permission: 'policy:read' },
    params: versionParams,
    output: PolicyVersionDetail,
    run: ({ scope, params }) => readVersion(scope, params.policy_id, params.version),
  }),
  compareVersions: query({
    rest: 'GET /policies/{policy_id}/versions/{version}/compare',
    summary: 'Compare this version with another one.',
    access: { permission: 'policy:read' },
    params: versionParams,
    onPages: { version: 'from' },
    input: z.strictObject({ to: versionNumber }),
    output: VersionComparison,
    run: ({ scope, params, input }) => compareVersions(scope, params.policy_id, params.version, input.to),
  }),
  revert: mutation({
    rest: 'POST /policies/{policy_id}/versions/{version}/revert',
    summary: 'Restore the content of this version as a new version.',
    access: { permission: 'policy:write' },
    params: versionParams,
    onPages: { version: 'to_version' },
    input: ChangeGuard,
    output: ChangedPolicy,
    bodyOptional: true,
    run: ({ scope, params, input }) => revertPolicy(scope, params.policy_id, params.version, input),
  }),
  preview: mutation({
    rest: 'POST /policies/{policy_id}/preview',
    summary:
      'Preview what applying the policy would change, per workload, compared with the live state. Unsaved changes can be included.',
    access: { permission: 'policy:read' },
    input: PreviewInput,
    output: PolicyPreview,
    bodyOptional: true,
    run: ({ scope, session, params, input }) => previewPolicy(scope, params.policy_id, input, getTestReach(session)),
  }),
  previewCleanup: query({
    rest: 'GET /policies/{policy_id}/cleanup-preview',
    summary:
      'Preview what disabling the policy, setting it to audit or deleting it would change on the workloads, including firewall switches.',
    access: { permission: 'policy:read' },
    output: CleanupPreview,
    run: ({ scope, params }) => previewCleanup(scope, params.policy_id),
  }),
  draft: mutation({
    rest: 'POST /policy-drafts',
    summary:
      'Draft a policy in audit mode from observed traffic or for workloads, with groups proposed. Nothing is stored. An endpoint that cannot be resolved is left out.',
    access: { permission: 'policy:write' },
    input: PolicyDraftInput,
    output: PolicyDraft,
    run: ({ scope, session, input }) => draftPolicy(scope, authorizeIfGranted(session, 'flow:read'), input),
  }),
  previewDraft: mutation({
    rest: 'POST /policy-drafts/preview',
    summary: 'Preview what applying a policy that is not stored would change.',
    access: { permission: 'policy:read' },
    input: DraftInput,
    output: PolicyPreview,
    run: ({ scope, session, input }) => previewDraft(scope, input, getTestReach(session)),
  }),
  resolveEndpoints: mutation({
    rest: 'POST /policy-endpoints/resolve',
    summary: 'Resolve sources and targets to workloads and addresses.',
    access: { permission: 'policy:read' },
    input: ResolveInput,
    output: ResolveResult,
    run: ({ scope, input }) => resolveEndpoints(scope, input),
  }),
  searchEndpoints: query({
    rest: 'GET /policy-endpoints',
    summary: 'List groups, tags, networks, workloads and addresses to choose as source or target.',
    access: { permission: 'policy:read' },
    input: EndpointSearch,
    output: EndpointSuggestions,
    run: ({ scope, input }) => searchEndpoints(scope, input),
  }),
  guests: query({
    rest: 'GET /policies/{policy_id}/guests',
    summary: 'List the workloads where the policy requires rules or has rules, with the status of each.',
    access: { permission: 'policy:read' },
    input: PolicyGuestListInput,
    output: PolicyGuestPage,
    run: ({ scope, params, input }) => listPolicyGuests(scope, params.policy_id, input),
  }),
  guest: query({
    rest: 'GET /policies/{policy_id}/guests/{workload_id}',
    summary: 'Get the desired rules, the rules last applied and the live rules of the policy on a workload, read now.',
    access: { permission: 'policy:read' },
    output: PolicyGuestComparison,
    run: ({ scope, params }) => comparePolicyGuest(scope, params.policy_id, params.workload_id),
  }),
});
