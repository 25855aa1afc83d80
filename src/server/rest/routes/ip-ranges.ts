import { z } from 'zod';
import { IpRange, RangeInput, RangeListInput, RangePage, RangeUpdate } from '@/domain/ipam/ip-range';
import { listRanges } from '../../services/ipam/list-ranges';
import { createRange, deleteRange, updateRange } from '../../services/ipam/write-ranges';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';

const tag = 'Address management';
const params = z.object({ ip_range_id: z.uuid() });

export const ipRangeRoutes = [
  defineRoute({
    method: 'GET',
    path: '/ip-ranges',
    summary: 'Ranges that DHCP hands out or that are kept for something.',
    tag,
    access: { permission: 'ipam:read' },
    query: RangeListInput,
    response: { status: 200, schema: RangePage },
    handler: ({ scope, query }) => listRanges(scope, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/ip-ranges',
    summary: 'Set a range of a subnet aside: the next free address is never one of it.',
    tag,
    access: { permission: 'ipam:write' },
    body: RangeInput,
    response: { status: 201, schema: IpRange },
    handler: ({ scope, body }) => createRange(scope, body),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/ip-ranges/{ip_range_id}',
    summary: 'Change a range. If-Match or version guards against lost updates.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: RangeUpdate,
    response: { status: 200, schema: IpRange },
    handler: ({ scope, params, body, request }) =>
      updateRange(scope, params.ip_range_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/ip-ranges/{ip_range_id}',
    summary: 'Delete a range.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    response: { status: 204 },
    handler: ({ scope, params, request }) => deleteRange(scope, params.ip_range_id, ifMatchVersion(request)),
  }),
];
