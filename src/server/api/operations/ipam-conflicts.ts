import { ConflictListInput, ConflictPage, ConflictResolveInput, IpamConflict } from '@/domain/ipam/conflict';
import { readConflict, resolveConflict } from '../../addresses/conflicts';
import { listConflicts } from '../../addresses/queries/ipam-conflicts';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipamConflictsRouter = router({
  list: query({
    rest: 'GET /ipam/conflicts',
    summary: 'List address conflicts, newest first.',
    access: { permission: 'ipam:read' },
    input: ConflictListInput,
    output: ConflictPage,
    run: ({ scope, input }) => listConflicts(scope.reach, input),
  }),
  get: query({
    rest: 'GET /ipam/conflicts/{conflict_id}',
    summary: 'Get one address conflict.',
    access: { permission: 'ipam:read' },
    output: IpamConflict,
    run: ({ scope, params }) => readConflict(scope, params.conflict_id),
  }),
  resolve: mutation({
    rest: 'POST /ipam/conflicts/{conflict_id}/resolve',
    summary: 'Resolve a conflict: keep what is stored, assign the address to the other workload, or dismiss.',
    access: { permission: 'ipam:write' },
    input: ConflictResolveInput,
    output: IpamConflict,
    run: ({ scope, params, input }) => resolveConflict(scope, params.conflict_id, input),
  }),
});
