import { DiscoverAccepted, DiscoverInput, DiscoverResult } from '@/domain/ipam/discovery';
import { IpamSearchInput, IpamSearchResult } from '@/domain/ipam/search';
import { awaitDiscovery, requestDiscovery } from '../../addresses/discovery/request-discovery';
import { authorizeIfGranted } from '../../auth/scope';
import { findWhose } from '../../enforcement/policies/address-policies';
import { operations, Waiting } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipamRouter = router({
  discover: mutation({
    rest: 'POST /ipam/discover',
    summary:
      'Discover the addresses of workloads in all clusters or in those specified. With wait=true, returns the result per cluster, or 202 after two minutes.',
    access: { permission: 'ipam:discover' },
    input: DiscoverInput,
    output: DiscoverAccepted,
    status: 202,
    bodyOptional: true,
    run: ({ scope, input }) => requestDiscovery(scope, input),
    respond: {
      query: Waiting,
      finished: DiscoverResult,
      answer: async ({ scope, input }, { wait }, { signal }) => {
        const accepted = await requestDiscovery(scope, input);
        const result = wait === 'true' ? await awaitDiscovery(scope, accepted, { signal }) : null;
        return result === null
          ? accepted
          : Response.json(result, { status: 200, headers: { 'cache-control': 'no-store' } });
      },
    },
  }),
  search: query({
    rest: 'GET /ipam/search',
    summary:
      'Search by address, MAC address, prefix, name, or the beginning of one: who has it and had it, by which source, and which policies touch it.',
    access: { permission: 'ipam:read' },
    input: IpamSearchInput,
    output: IpamSearchResult,
    run: ({ scope, session, input }) =>
      findWhose({ ipam: scope, policy: authorizeIfGranted(session, 'policy:read') }, input),
  }),
});
