import { DiscoverInput } from '@/domain/ipam/discovery';
import { IpamSearchInput } from '@/domain/ipam/search';
import { requestDiscovery } from '../../services/ipam/discovery/request-discovery';
import { searchIpam } from '../../services/ipam/search-ipam';
import { procedure, router } from '../trpc';

export const ipamRouter = router({
  search: procedure('ipam:read')
    .input(IpamSearchInput)
    .query(({ ctx, input }) => searchIpam(ctx.scope, input)),
  discover: procedure('ipam:discover')
    .input(DiscoverInput)
    .mutation(({ ctx, input }) => requestDiscovery(ctx.scope, input)),
});
