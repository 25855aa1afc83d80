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
import { addRule, changeRule, removeRule } from '../../services/policies/change-rules';
import { createPolicy } from '../../services/policies/create-policy';
import { deletePolicy } from '../../services/policies/delete-policy';
import { compareVersions } from '../../services/policies/history/compare-versions';
import { listVersions } from '../../services/policies/history/list-versions';
import { readVersion } from '../../services/policies/history/read-version';
import { revertPolicy } from '../../services/policies/history/revert-policy';
import { listPolicies } from '../../services/policies/list-policies';
import { readPolicy } from '../../services/policies/read-policy';
import { updatePolicy } from '../../services/policies/update-policy';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Policies';
const params = z.object({ policy_id: z.uuid() });
const ruleParams = params.extend({ rule_id: z.uuid() });
const versionNumber = z.coerce.number({ error: 'a version number' }).int().min(1);
const versionParams = params.extend({ version: versionNumber });
/** `version` and `reason` of changes without a body of their own. */
const guardQuery = z.strictObject({
  version: versionNumber.optional(),
  reason: z.string().trim().max(500, 'at most 500 characters').optional(),
});

const list = defineRoute({
  method: 'GET',
  path: '/policies',
  summary: 'Policies with where each stands on each cluster, as of the last reading.',
  tag,
  access: { permission: 'policy:read' },
  query: PolicyListInput,
  response: { status: 200, schema: PolicyPage },
  handler: ({ scope, query }) => listPolicies(scope, query),
});

const create = defineRoute({
  method: 'POST',
  path: '/policies',
  summary: 'Add a policy. A missing or invalid enforcement_mode becomes audit. Nothing is applied.',
  tag,
  access: { permission: 'policy:write' },
  body: PolicyCreate,
  response: { status: 201, schema: Policy },
  handler: ({ scope, body }) => createPolicy(scope, body),
});

const read = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}',
  summary: 'One policy with its rules and where it stands; with fresh=true its guests are read now.',
  tag,
  access: { permission: 'policy:read' },
  params,
  query: z.strictObject({ fresh: z.enum(['true', 'false'], { error: 'true or false' }).default('false') }),
  response: { status: 200, schema: Policy },
  handler: ({ scope, params, query }) => readPolicy(scope, params.policy_id, query.fresh === 'true'),
});

const update = defineRoute({
  method: 'PATCH',
  path: '/policies/{policy_id}',
  summary:
    'Change a policy; every change is a version. Disabling it or setting it to audit removes its rules from the clusters.',
  tag,
  access: { permission: 'policy:write' },
  params,
  body: PolicyChange,
  response: { status: 200, schema: ChangedPolicy },
  handler: ({ scope, params, body, request }) =>
    updatePolicy(scope, params.policy_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/policies/{policy_id}',
  summary: 'Delete a policy and remove its rules from the clusters; the answer names the work that does so.',
  tag,
  access: { permission: 'policy:write' },
  params,
  query: guardQuery,
  response: { status: 200, schema: DeletedPolicy },
  handler: ({ scope, params, query, request }) =>
    deletePolicy(scope, params.policy_id, { ...query, version: query.version ?? ifMatchVersion(request) }),
});

const rules = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/rules',
  summary: 'The rules of a policy in their order.',
  tag,
  access: { permission: 'policy:read' },
  params,
  response: { status: 200, schema: z.object({ items: z.array(SecurityRule), policy_version: z.int() }) },
  handler: async ({ scope, params }) => {
    const policy = await readPolicy(scope, params.policy_id);
    return { items: policy.rules, policy_version: policy.version };
  },
});

const createRule = defineRoute({
  method: 'POST',
  path: '/policies/{policy_id}/rules',
  summary: 'Add a rule at a position, or at the end.',
  tag,
  access: { permission: 'policy:write' },
  params,
  body: RuleCreate,
  response: { status: 201, schema: ChangedPolicy },
  handler: ({ scope, params, body, request }) =>
    addRule(scope, params.policy_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const updateRule = defineRoute({
  method: 'PATCH',
  path: '/policies/{policy_id}/rules/{rule_id}',
  summary: 'Change the content or place of a rule.',
  tag,
  access: { permission: 'policy:write' },
  params: ruleParams,
  body: RuleChange,
  response: { status: 200, schema: ChangedPolicy },
  handler: ({ scope, params, body, request }) =>
    changeRule(scope, params.policy_id, params.rule_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
});

const deleteRule = defineRoute({
  method: 'DELETE',
  path: '/policies/{policy_id}/rules/{rule_id}',
  summary: 'Remove a rule.',
  tag,
  access: { permission: 'policy:write' },
  params: ruleParams,
  query: guardQuery,
  response: { status: 200, schema: ChangedPolicy },
  handler: ({ scope, params, query, request }) =>
    removeRule(scope, params.policy_id, params.rule_id, {
      ...query,
      version: query.version ?? ifMatchVersion(request),
    }),
});

const versions = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/versions',
  summary: 'The versions of a policy, newest first.',
  tag,
  access: { permission: 'policy:read' },
  params,
  query: PolicyVersionListInput,
  response: { status: 200, schema: PolicyVersionPage },
  handler: ({ scope, params, query }) => listVersions(scope, params.policy_id, query),
});

const version = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/versions/{version}',
  summary: 'One version with everything that the policy then said.',
  tag,
  access: { permission: 'policy:read' },
  params: versionParams,
  response: { status: 200, schema: PolicyVersionDetail },
  handler: ({ scope, params }) => readVersion(scope, params.policy_id, params.version),
});

const compare = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/versions/{version}/compare',
  summary: 'What changed from this version to another one.',
  tag,
  access: { permission: 'policy:read' },
  params: versionParams,
  query: z.strictObject({ to: versionNumber }),
  response: { status: 200, schema: VersionComparison },
  handler: ({ scope, params, query }) => compareVersions(scope, params.policy_id, params.version, query.to),
});

const revert = defineRoute({
  method: 'POST',
  path: '/policies/{policy_id}/versions/{version}/revert',
  summary: 'Make the policy say again what it said in this version, as a new version.',
  tag,
  access: { permission: 'policy:write' },
  params: versionParams,
  body: ChangeGuard,
  bodyOptional: true,
  response: { status: 200, schema: ChangedPolicy },
  handler: ({ scope, params, body, request }) =>
    revertPolicy(scope, params.policy_id, params.version, {
      ...body,
      version: body.version ?? ifMatchVersion(request),
    }),
});

export const policyRoutes = [
  list,
  create,
  read,
  update,
  remove,
  rules,
  createRule,
  updateRule,
  deleteRule,
  versions,
  version,
  compare,
  revert,
];
