import { z } from 'zod';
import { EndpointSearch, EndpointSuggestions, ResolveInput, ResolveResult } from '@/domain/policy-endpoints';
import { PolicyGuestComparison, PolicyGuestListInput, PolicyGuestPage } from '@/domain/policy-guests';
import { CleanupPreview, DraftInput, PolicyPreview, PreviewInput } from '@/domain/policy-preview';
import { resolveEndpoints } from '../../services/policies/endpoints/resolve-endpoints';
import { searchEndpoints } from '../../services/policies/endpoints/search-endpoints';
import { comparePolicyGuest } from '../../services/policies/guests/compare-policy-guest';
import { listPolicyGuests } from '../../services/policies/guests/list-policy-guests';
import { previewCleanup } from '../../services/policies/preview/preview-cleanup';
import { previewDraft } from '../../services/policies/preview/preview-draft';
import { previewPolicy } from '../../services/policies/preview/preview-policy';
import { defineRoute } from '../define-route';

const tag = 'Policies';
const params = z.object({ policy_id: z.uuid() });

const preview = defineRoute({
  method: 'POST',
  path: '/policies/{policy_id}/preview',
  summary:
    'What applying the policy would do now, guest by guest, against what is live; also with changes not yet saved.',
  tag,
  access: { permission: 'policy:read' },
  params,
  body: PreviewInput,
  bodyOptional: true,
  response: { status: 200, schema: PolicyPreview },
  handler: ({ scope, params, body }) => previewPolicy(scope, params.policy_id, body),
});

const cleanup = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/cleanup-preview',
  summary: 'What disabling the policy, switching it to audit or deleting it would do to the guests, switches included.',
  tag,
  access: { permission: 'policy:read' },
  params,
  response: { status: 200, schema: CleanupPreview },
  handler: ({ scope, params }) => previewCleanup(scope, params.policy_id),
});

const draft = defineRoute({
  method: 'POST',
  path: '/policy-drafts/preview',
  summary: 'What applying a policy would do that is not stored.',
  tag,
  access: { permission: 'policy:read' },
  body: DraftInput,
  response: { status: 200, schema: PolicyPreview },
  handler: ({ scope, body }) => previewDraft(scope, body),
});

const resolve = defineRoute({
  method: 'POST',
  path: '/policy-endpoints/resolve',
  summary: 'What sources and targets stand for now.',
  tag,
  access: { permission: 'policy:read' },
  body: ResolveInput,
  response: { status: 200, schema: ResolveResult },
  handler: ({ scope, body }) => resolveEndpoints(scope, body),
});

const search = defineRoute({
  method: 'GET',
  path: '/policy-endpoints',
  summary: 'Groups, tags, networks, workloads and addresses to choose as source or target.',
  tag,
  access: { permission: 'policy:read' },
  query: EndpointSearch,
  response: { status: 200, schema: EndpointSuggestions },
  handler: ({ scope, query }) => searchEndpoints(scope, query),
});

const guests = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/guests',
  summary: 'The guests where the policy wants rules or has some, and how far it is in force at each.',
  tag,
  access: { permission: 'policy:read' },
  params,
  query: PolicyGuestListInput,
  response: { status: 200, schema: PolicyGuestPage },
  handler: ({ scope, params, query }) => listPolicyGuests(scope, params.policy_id, query),
});

const guest = defineRoute({
  method: 'GET',
  path: '/policies/{policy_id}/guests/{workload_id}',
  summary: 'What the policy intends at a guest, what was last applied, and what is live: read now.',
  tag,
  access: { permission: 'policy:read' },
  params: params.extend({ workload_id: z.uuid() }),
  response: { status: 200, schema: PolicyGuestComparison },
  handler: ({ scope, params }) => comparePolicyGuest(scope, params.policy_id, params.workload_id),
});

export const policyViewRoutes = [preview, cleanup, draft, resolve, search, guests, guest];
