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
import {
  bulkDeleteAddresses,
  bulkUpdateAddresses,
  createAddress,
  deleteAddress,
  readAddress,
  updateAddress,
} from '../../addresses/addresses';
import { listIpAddresses } from '../../addresses/queries/ip-addresses';
import { ADDRESS_CSV, exportAddresses } from '../../addresses/search';
import { listAddressPolicies } from '../../enforcement/policies/policies-in-reach';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipAddressesRouter = router({
  list: query({
    rest: 'GET /ip-addresses',
    summary: 'Addresses with their subnet and workload. format=csv gives all of them as a file that the import takes.',
    access: { permission: 'ipam:read' },
    input: AddressListInput,
    output: AddressPage,
    run: ({ scope, input }) => listIpAddresses(scope.reach, input),
    csv: {
      name: 'ip-addresses',
      columns: ADDRESS_CSV,
      rows: ({ scope, input }, page) => exportAddresses(scope, { ...input, ...page }),
    },
  }),
  create: mutation({
    rest: 'POST /ip-addresses',
    summary: 'Store an address of a network. The longest prefix that holds it becomes its subnet.',
    access: { permission: 'ipam:write' },
    input: AddressInput,
    output: IpAddress,
    status: 201,
    run: ({ scope, input }) => createAddress(scope, input),
  }),
  bulkUpdate: mutation({
    rest: 'POST /ip-addresses/bulk-update',
    summary: 'Make the same change to many addresses: to all of them, or to none.',
    access: { permission: 'ipam:write' },
    input: AddressBulkUpdate,
    output: BulkResult,
    run: ({ scope, input }) => bulkUpdateAddresses(scope, input),
  }),
  bulkDelete: mutation({
    rest: 'POST /ip-addresses/bulk-delete',
    summary: 'Delete many addresses: all of them, or none.',
    access: { permission: 'ipam:write' },
    input: AddressBulkDelete,
    output: BulkResult,
    run: ({ scope, input }) => bulkDeleteAddresses(scope, input),
  }),
  get: query({
    rest: 'GET /ip-addresses/{ip_address_id}',
    summary: 'One address with who held it when, the prefixes around it and its open conflicts.',
    access: { permission: 'ipam:read' },
    output: IpAddressDetail,
    run: ({ scope, params }) => readAddress(scope, params.ip_address_id),
  }),
  policies: query({
    rest: 'GET /ip-addresses/{ip_address_id}/policies',
    summary: 'Policies with an endpoint that stands for the address, by its workload, by the address itself or as any.',
    access: { permission: 'policy:read' },
    output: AddressPolicies,
    run: ({ scope, params }) => listAddressPolicies(scope, params.ip_address_id),
  }),
  update: mutation({
    rest: 'PATCH /ip-addresses/{ip_address_id}',
    summary: 'Change an address; what is left out stays. If-Match or version guards against lost updates.',
    access: { permission: 'ipam:write' },
    input: AddressUpdate,
    output: IpAddress,
    run: ({ scope, params, input }) => updateAddress(scope, params.ip_address_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /ip-addresses/{ip_address_id}',
    summary: 'Delete an address. Who held it stays in the history.',
    access: { permission: 'ipam:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteAddress(scope, params.ip_address_id, input.version),
  }),
});
