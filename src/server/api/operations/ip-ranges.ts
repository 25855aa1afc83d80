import { IpRange, RangeInput, RangeListInput, RangePage, RangeUpdate } from '@/domain/ipam/ip-range';
import { listIpRanges } from '../../addresses/queries/ip-ranges';
import { createRange, deleteRange, updateRange } from '../../addresses/ranges';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipRangesRouter = router({
  list: query({
    rest: 'GET /ip-ranges',
    summary: 'List ranges that are used by DHCP or reserved.',
    access: { permission: 'ipam:read' },
    input: RangeListInput,
    output: RangePage,
    run: ({ scope, input }) => listIpRanges(scope.reach, input),
  }),
  create: mutation({
    rest: 'POST /ip-ranges',
    summary: 'Reserve a range of a prefix. Its addresses are never allocated as next free addresses.',
    access: { permission: 'ipam:write' },
    input: RangeInput,
    output: IpRange,
    status: 201,
    run: ({ scope, input }) => createRange(scope, input),
  }),
  update: mutation({
    rest: 'PATCH /ip-ranges/{ip_range_id}',
    summary: 'Update a range. If-Match or version prevents lost updates.',
    access: { permission: 'ipam:write' },
    input: RangeUpdate,
    output: IpRange,
    run: ({ scope, params, input }) => updateRange(scope, params.ip_range_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /ip-ranges/{ip_range_id}',
    summary: 'Delete a range.',
    access: { permission: 'ipam:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteRange(scope, params.ip_range_id, input.version),
  }),
});
