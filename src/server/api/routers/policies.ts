import { z } from 'zod';
import { ChangeGuard, PolicyChange, PolicyCreate, PolicyListInput, PolicyVersionListInput } from '@/domain/policies';
import { EndpointSearch, ResolveInput } from '@/domain/policy-endpoints';
import { PolicyGuestListInput } from '@/domain/policy-guests';
import { DraftInput, PreviewInput } from '@/domain/policy-preview';
import { createPolicy } from '../../services/policies/create-policy';
import { deletePolicy } from '../../services/policies/delete-policy';
import { resolveEndpoints } from '../../services/policies/endpoints/resolve-endpoints';
import { searchEndpoints } from '../../services/policies/endpoints/search-endpoints';
import { comparePolicyGuest } from '../../services/policies/guests/compare-policy-guest';
import { listPolicyGuests } from '../../services/policies/guests/list-policy-guests';
import { compareVersions } from '../../services/policies/history/compare-versions';
import { listVersions } from '../../services/policies/history/list-versions';
import { readVersion } from '../../services/policies/history/read-version';
import { revertPolicy } from '../../services/policies/history/revert-policy';
import { listPolicies } from '../../services/policies/list-policies';
import { previewCleanup } from '../../services/policies/preview/preview-cleanup';
import { previewDraft } from '../../services/policies/preview/preview-draft';
import { previewPolicy } from '../../services/policies/preview/preview-policy';
import { readPolicy } from '../../services/policies/read-policy';
import { updatePolicy } from '../../services/policies/update-policy';
import { procedure, router } from '../trpc';

const byId = z.strictObject({ id: z.uuid() });
const version = z.int().min(1);

export const policiesRouter = router({
  list: procedure('policy:read')
    .input(PolicyListInput)
    .query(({ ctx, input }) => listPolicies(ctx.scope, input)),
  get: procedure('policy:read')
    .input(byId.extend({ fresh: z.boolean().default(false) }))
    .query(({ ctx, input }) => readPolicy(ctx.scope, input.id, input.fresh)),
  create: procedure('policy:write')
    .input(PolicyCreate)
    .mutation(({ ctx, input }) => createPolicy(ctx.scope, input)),
  update: procedure('policy:write')
    .input(PolicyChange.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => updatePolicy(ctx.scope, id, changes)),
  delete: procedure('policy:write')
    .input(ChangeGuard.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...guard } }) => deletePolicy(ctx.scope, id, guard)),
  versions: procedure('policy:read')
    .input(PolicyVersionListInput.extend({ id: z.uuid() }))
    .query(({ ctx, input: { id, ...query } }) => listVersions(ctx.scope, id, query)),
  version: procedure('policy:read')
    .input(byId.extend({ version }))
    .query(({ ctx, input }) => readVersion(ctx.scope, input.id, input.version)),
  compareVersions: procedure('policy:read')
    .input(byId.extend({ from: version, to: version }))
    .query(({ ctx, input }) => compareVersions(ctx.scope, input.id, input.from, input.to)),
  revert: procedure('policy:write')
    .input(ChangeGuard.extend({ id: z.uuid(), to_version: version }))
    .mutation(({ ctx, input: { id, to_version, ...guard } }) => revertPolicy(ctx.scope, id, to_version, guard)),
  preview: procedure('policy:read')
    .input(PreviewInput.extend({ id: z.uuid() }))
    .mutation(({ ctx, input: { id, ...changes } }) => previewPolicy(ctx.scope, id, changes)),
  previewCleanup: procedure('policy:read')
    .input(byId)
    .query(({ ctx, input }) => previewCleanup(ctx.scope, input.id)),
  previewDraft: procedure('policy:read')
    .input(DraftInput)
    .mutation(({ ctx, input }) => previewDraft(ctx.scope, input)),
  resolveEndpoints: procedure('policy:read')
    .input(ResolveInput)
    .mutation(({ ctx, input }) => resolveEndpoints(ctx.scope, input)),
  searchEndpoints: procedure('policy:read')
    .input(EndpointSearch)
    .query(({ ctx, input }) => searchEndpoints(ctx.scope, input)),
  guests: procedure('policy:read')
    .input(PolicyGuestListInput.extend({ id: z.uuid() }))
    .query(({ ctx, input: { id, ...query } }) => listPolicyGuests(ctx.scope, id, query)),
  guest: procedure('policy:read')
    .input(byId.extend({ workload_id: z.uuid() }))
    .query(({ ctx, input }) => comparePolicyGuest(ctx.scope, input.id, input.workload_id)),
});
