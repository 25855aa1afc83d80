import { SearchInput, SearchResults } from '@/domain/search/search';
import { search } from '../../insight/search/search';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Search');

export const searchRouter = router({
  find: query({
    rest: 'GET /search',
    summary:
      'Search workloads, policies, groups, networks, VLANs, prefixes, addresses, nodes, clusters, projects, tenants, users, API tokens and roles by name, VMID, MAC address, address or tag. Returns only what is visible to you.',
    access: { signedIn: 'Results are limited to what the permissions of the caller show in lists.' },
    input: SearchInput,
    output: SearchResults,
    run: ({ session, input }) => search(session, input),
  }),
});
