import { IpamSearchInput } from '@/domain/ipam/search';
import { searchIpam } from '../../services/ipam/search-ipam';
import { procedure, router } from '../trpc';

export const ipamRouter = router({
  search: procedure('ipam:read')
    .input(IpamSearchInput)
    .query(({ ctx, input }) => searchIpam(ctx.scope, input)),
});
