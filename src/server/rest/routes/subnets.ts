import { z } from 'zod';
import { AllocateAddressInput, IpAddress } from '@/domain/ipam/ip-address';
import {
  AllocatePrefixInput,
  NextAddresses,
  NextAddressesInput,
  NextPrefix,
  NextPrefixInput,
  SubnetDetail,
  SubnetGrid,
  SubnetGridInput,
  SubnetInput,
  SubnetListInput,
  SubnetPage,
  SubnetUpdate,
} from '@/domain/ipam/subnet';
import { allocateAddress } from '../../services/ipam/allocate-address';
import { allocatePrefix } from '../../services/ipam/allocate-prefix';
import { createSubnet } from '../../services/ipam/create-subnet';
import { deleteSubnet } from '../../services/ipam/delete-subnet';
import { exportSubnets, SUBNET_CSV } from '../../services/ipam/export-rows';
import { listSubnets } from '../../services/ipam/list-subnets';
import { nextAddresses } from '../../services/ipam/next-addresses';
import { nextPrefix } from '../../services/ipam/next-prefix';
import { readSubnet } from '../../services/ipam/read-subnet';
import { readSubnetGrid } from '../../services/ipam/read-subnet-grid';
import { updateSubnet } from '../../services/ipam/update-subnet';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';
import { listFormat } from '../list-format';

const tag = 'Address management';
const params = z.object({ subnet_id: z.uuid() });
const flag = z.enum(['true', 'false'], { error: 'true or false' }).default('false');

export const subnetRoutes = [
  defineRoute({
    method: 'GET',
    path: '/subnets',
    summary: 'Prefixes with utilisation. format=csv gives all of them as a file that the import takes.',
    tag,
    access: { permission: 'ipam:read' },
    query: SubnetListInput.extend({ format: listFormat }),
    response: { status: 200, schema: SubnetPage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listSubnets(scope, query)
        : csvResponse({ name: 'subnets', scope, query }, SUBNET_CSV, (page) =>
            exportSubnets(scope, { ...query, ...page }),
          ),
  }),
  defineRoute({
    method: 'POST',
    path: '/subnets',
    summary: 'Add a prefix to a network. Addresses stored in wider prefixes move into it.',
    tag,
    access: { permission: 'ipam:write' },
    body: SubnetInput,
    response: { status: 201, schema: SubnetDetail },
    handler: ({ scope, body }) => createSubnet(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/subnets/{subnet_id}',
    summary: 'One prefix with utilisation and the prefixes around it.',
    tag,
    access: { permission: 'ipam:read' },
    params,
    response: { status: 200, schema: SubnetDetail },
    handler: ({ scope, params }) => readSubnet(scope, params.subnet_id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/subnets/{subnet_id}',
    summary: 'Change a prefix; what is left out stays. If-Match or version guards against lost updates.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: SubnetUpdate,
    response: { status: 200, schema: SubnetDetail },
    handler: ({ scope, params, body, request }) =>
      updateSubnet(scope, params.subnet_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/subnets/{subnet_id}',
    summary: 'Delete a prefix. Its addresses move to the prefix around it; without one they go only with_addresses.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    query: z.strictObject({ with_addresses: flag }),
    response: { status: 204 },
    handler: ({ scope, params, query, request }) =>
      deleteSubnet(scope, params.subnet_id, {
        version: ifMatchVersion(request),
        with_addresses: query.with_addresses === 'true',
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/subnets/{subnet_id}/grid',
    summary: 'A part of its addresses, each that is not free with what is known of it.',
    tag,
    access: { permission: 'ipam:read' },
    params,
    query: SubnetGridInput.omit({ id: true }),
    response: { status: 200, schema: SubnetGrid },
    handler: ({ scope, params, query }) => readSubnetGrid(scope, { ...query, id: params.subnet_id }),
  }),
  defineRoute({
    method: 'GET',
    path: '/subnets/{subnet_id}/next-address',
    summary: 'The next free addresses, without taking them.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    query: NextAddressesInput,
    response: { status: 200, schema: NextAddresses },
    handler: ({ scope, params, query }) => nextAddresses(scope, params.subnet_id, query.count),
  }),
  defineRoute({
    method: 'POST',
    path: '/subnets/{subnet_id}/next-address',
    summary: 'Take the next free address. Simultaneous callers get different ones.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: AllocateAddressInput,
    bodyOptional: true,
    response: { status: 201, schema: IpAddress },
    handler: ({ scope, params, body }) => allocateAddress(scope, params.subnet_id, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/subnets/{subnet_id}/next-prefix',
    summary: 'The next free block of a length, without taking it.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    query: NextPrefixInput,
    response: { status: 200, schema: NextPrefix },
    handler: ({ scope, params, query }) => nextPrefix(scope, params.subnet_id, query.prefix_length),
  }),
  defineRoute({
    method: 'POST',
    path: '/subnets/{subnet_id}/next-prefix',
    summary: 'Take the next free block of a length as a prefix inside it.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: AllocatePrefixInput,
    response: { status: 201, schema: SubnetDetail },
    handler: ({ scope, params, body }) => allocatePrefix(scope, params.subnet_id, body),
  }),
];
