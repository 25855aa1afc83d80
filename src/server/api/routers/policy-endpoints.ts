import { ResolveInput, TagSearchInput } from '@/domain/policy-resolution';
import { resolveEndpoints } from '../../services/policies/endpoints/resolve-endpoints';
import { searchTags } from '../../services/policies/endpoints/search-tags';
import { procedure, router } from '../trpc';

export const policyEndpointsRouter = router({
  /** Changes nothing; a mutation because long lists do not fit into a URL. */
  resolve: procedure('policy:read')
    .input(ResolveInput)
    .mutation(({ ctx, input }) => resolveEndpoints(ctx.scope, input)),
  tags: procedure('workload:read')
    .input(TagSearchInput)
    .query(({ ctx, input }) => searchTags(ctx.scope, input)),
});
