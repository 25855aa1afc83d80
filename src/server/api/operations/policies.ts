import { z } from 'zod';
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
import { EndpointSearch, EndpointSuggestions, ResolveInput, ResolveResult } from '@/domain/policy-endpoints';
import { PolicyGuestComparison, PolicyGuestListInput, PolicyGuestPage } from '@/domain/policy-guests';
import { CleanupPreview, DraftInput, PolicyPreview, PreviewInput } from '@/domain/policy-preview';
import { addRule, changeRule, removeRule } from '../../enforcement/policies/change-rules';
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
const versionParams = z.object({ policy_id: z.uuid(), version: versionNumber });

/** `version` and `reason` of changes without a body of their own. */
const guardQuery = ByVersion.extend({
  reason: z.string().trim().max(500, 'at most 500 characters').optional(),
});

export const policiesRouter = router({
  list: query({
    rest: 'GET /policies',
    summary: 'Policies with where each stands on each cluster, as of the last reading.',
    access: { permission: 'policy:read' },
    input: PolicyListInput,
    output: PolicyPage,
    run: ({ scope, input }) => listPolicies(scope, input),
  }),
  create: mutation({
    rest: 'POST /policies',
    summary: 'Add a policy. A missing or invalid enforcement_mode becomes audit. Nothing is applied.',
    access: { permission: 'policy:write' },
    input: PolicyCreate,
    output: Policy,
    status: 201,
    run: ({ scope, input }) => createPolicy(scope, input),
  }),
  get: query({
    rest: 'GET /policies/{policy_id}',
    summary: 'One policy with its rules and where it stands; with fresh=true its guests are read now.',
    access: { permission: 'policy:read' },
    input: z.strictObject({ fresh: flag }),
    output: Policy,
    run: ({ scope, params, input }) => readPolicy(scope, params.policy_id, input.fresh === 'true'),
  }),
  update: mutation({
    rest: 'PATCH /policies/{policy_id}',
    summary:
      'Change a policy; every change is a version. Disabling it or setting it to audit removes its rules from the clusters.',
    access: { permission: 'policy:write' },
    input: PolicyChange,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => updatePolicy(scope, params.policy_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /policies/{policy_id}',
    summary: 'Delete a policy and remove its rules from the clusters; the answer names the work that does so.',
    access: { permission: 'policy:write' },
    input: guardQuery,
    output: DeletedPolicy,
    run: ({ scope, params, input }) => deletePolicy(scope, params.policy_id, input),
  }),
  rules: query({
    rest: 'GET /policies/{policy_id}/rules',
    summary: 'The rules of a policy in their order.',
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
    summary: 'Change the content or place of a rule.',
    access: { permission: 'policy:write' },
    input: RuleChange,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => changeRule(scope, params.policy_id, params.rule_id, input),
  }),
  removeRule: mutation({
    rest: 'DELETE /policies/{policy_id}/rules/{rule_id}',
    summary: 'Remove a rule.',
    access: { permission: 'policy:write' },
    input: guardQuery,
    output: ChangedPolicy,
    run: ({ scope, params, input }) => removeRule(scope, params.policy_id, params.rule_id, input),
  }),
  versions: query({
    rest: 'GET /policies/{policy_id}/versions',
    summary: 'The versions of a policy, newest first.',
    access: { permission: 'policy:read' },
    input: PolicyVersionListInput,
    output: PolicyVersionPage,
    run: ({ scope, params, input }) => listVersions(scope, params.policy_id, input),
  }),
  version: query({
    rest: 'GET /policies/{policy_id}/versions/{version}',
    summary: 'One version with everything that the policy then said.',
    access: { permission: 'policy:read' },
    params: versionParams,
    output: PolicyVersionDetail,
    run: ({ scope, params }) => readVersion(scope, params.policy_id, params.version),
  }),
  compareVersions: query({
    rest: 'GET /policies/{policy_id}/versions/{version}/compare',
    summary: 'What changed from this version to another one.',
    access: { permission: 'policy:read' },
    params: versionParams,
    onPages: { version: 'from' },
    input: z.strictObject({ to: versionNumber }),
    output: VersionComparison,
    run: ({ scope, params, input }) => compareVersions(scope, params.policy_id, params.version, input.to),
  }),
  revert: mutation({
    rest: 'POST /policies/{policy_id}/versions/{version}/revert',
    summary: 'Make the policy say again what it said in this version, as a new version.',
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
      'What applying the policy would do now, guest by guest, against what is live; also with changes not yet saved.',
    access: { permission: 'policy:read' },
    input: PreviewInput,
    output: PolicyPreview,
    bodyOptional: true,
    run: ({ scope, params, input }) => previewPolicy(scope, params.policy_id, input),
  }),
  previewCleanup: query({
    rest: 'GET /policies/{policy_id}/cleanup-preview',
    summary:
      'What disabling the policy, switching it to audit or deleting it would do to the guests, switches included.',
    access: { permission: 'policy:read' },
    output: CleanupPreview,
    run: ({ scope, params }) => previewCleanup(scope, params.policy_id),
  }),
  previewDraft: mutation({
    rest: 'POST /policy-drafts/preview',
    summary: 'What applying a policy would do that is not stored.',
    access: { permission: 'policy:read' },
    input: DraftInput,
    output: PolicyPreview,
    run: ({ scope, input }) => previewDraft(scope, input),
  }),
  resolveEndpoints: mutation({
    rest: 'POST /policy-endpoints/resolve',
    summary: 'What sources and targets stand for now.',
    access: { permission: 'policy:read' },
    input: ResolveInput,
    output: ResolveResult,
    run: ({ scope, input }) => resolveEndpoints(scope, input),
  }),
  searchEndpoints: query({
    rest: 'GET /policy-endpoints',
    summary: 'Groups, tags, networks, workloads and addresses to choose as source or target.',
    access: { permission: 'policy:read' },
    input: EndpointSearch,
    output: EndpointSuggestions,
    run: ({ scope, input }) => searchEndpoints(scope, input),
  }),
  guests: query({
    rest: 'GET /policies/{policy_id}/guests',
    summary: 'The guests where the policy wants rules or has some, and how far it is in force at each.',
    access: { permission: 'policy:read' },
    input: PolicyGuestListInput,
    output: PolicyGuestPage,
    run: ({ scope, params, input }) => listPolicyGuests(scope, params.policy_id, input),
  }),
  guest: query({
    rest: 'GET /policies/{policy_id}/guests/{workload_id}',
    summary: 'What the policy intends at a guest, what was last applied, and what is live: read now.',
    access: { permission: 'policy:read' },
    output: PolicyGuestComparison,
    run: ({ scope, params }) => comparePolicyGuest(scope, params.policy_id, params.workload_id),
  }),
});
