import { z } from 'zod';
import { AddressPolicies } from '@/domain/ipam/address-policies';
import {
  AddressBulkDelete,
  AddressBulkUpdate,
  AddressInput,
  AddressListInput,
  AddressPage,
  AddressUpdate,
  BulkResult,
  IpAddress,
  IpAddressDetail,
} from '@/domain/ipam/ip-address';
import { bulkDeleteAddresses, bulkUpdateAddresses } from '../../services/ipam/bulk-addresses';
import { createAddress } from '../../services/ipam/create-address';
import { deleteAddress } from '../../services/ipam/delete-address';
import { ADDRESS_CSV, exportAddresses } from '../../services/ipam/export-rows';
import { listAddressPolicies } from '../../services/ipam/list-address-policies';
import { listAddresses } from '../../services/ipam/list-addresses';
import { readAddress } from '../../services/ipam/read-address';
import { updateAddress } from '../../services/ipam/update-address';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';
import { listFormat } from '../list-format';

const tag = 'Address management';
const params = z.object({ ip_address_id: z.uuid() });

export const ipAddressRoutes = [
  defineRoute({
    method: 'GET',
    path: '/ip-addresses',
    summary: 'Addresses with their subnet and workload. format=csv gives all of them as a file that the import takes.',
    tag,
    access: { permission: 'ipam:read' },
    query: AddressListInput.extend({ format: listFormat }),
    response: { status: 200, schema: AddressPage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listAddresses(scope, query)
        : csvResponse({ name: 'ip-addresses', scope, query }, ADDRESS_CSV, (page) =>
            exportAddresses(scope, { ...query, ...page }),
          ),
  }),
  defineRoute({
    method: 'POST',
    path: '/ip-addresses',
    summary: 'Store an address of a network. The longest prefix that holds it becomes its subnet.',
    tag,
    access: { permission: 'ipam:write' },
    body: AddressInput,
    response: { status: 201, schema: IpAddress },
    handler: ({ scope, body }) => createAddress(scope, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/ip-addresses/bulk-update',
    summary: 'Make the same change to many addresses: to all of them, or to none.',
    tag,
    access: { permission: 'ipam:write' },
    body: AddressBulkUpdate,
    response: { status: 200, schema: BulkResult },
    handler: ({ scope, body }) => bulkUpdateAddresses(scope, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/ip-addresses/bulk-delete',
    summary: 'Delete many addresses: all of them, or none.',
    tag,
    access: { permission: 'ipam:write' },
    body: AddressBulkDelete,
    response: { status: 200, schema: BulkResult },
    handler: ({ scope, body }) => bulkDeleteAddresses(scope, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/ip-addresses/{ip_address_id}',
    summary: 'One address with who held it when, the prefixes around it and its open conflicts.',
    tag,
    access: { permission: 'ipam:read' },
    params,
    response: { status: 200, schema: IpAddressDetail },
    handler: ({ scope, params }) => readAddress(scope, params.ip_address_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/ip-addresses/{ip_address_id}/policies',
    summary: 'Policies with an endpoint that stands for the address, by its workload, by the address itself or as any.',
    tag,
    access: { permission: 'policy:read' },
    params,
    response: { status: 200, schema: AddressPolicies },
    handler: ({ scope, params }) => listAddressPolicies(scope, params.ip_address_id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/ip-addresses/{ip_address_id}',
    summary: 'Change an address; what is left out stays. If-Match or version guards against lost updates.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: AddressUpdate,
    response: { status: 200, schema: IpAddress },
    handler: ({ scope, params, body, request }) =>
      updateAddress(scope, params.ip_address_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/ip-addresses/{ip_address_id}',
    summary: 'Delete an address. Who held it stays in the history.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    response: { status: 204 },
    handler: ({ scope, params, request }) => deleteAddress(scope, params.ip_address_id, ifMatchVersion(request)),
  }),
];
