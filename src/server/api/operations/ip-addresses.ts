import { AsOf, asOf } from '@/domain/as-of';
import { AddressPolicies } from '@/domain/ipam/address-policies';
import {
  AddressBulkDelete,
  AddressBulkUpdate,
  AddressHolderListInput,
  AddressHolderPage,
  AddressHolding,
  AddressInput,
  AddressListInput,
  AddressPage,
  AddressUpdate,
  BulkResult,
  IpAddress,
  IpAddressDetail,
} from '@/domain/ipam/ip-address';
import { fieldsWithout } from '@/domain/list';
import {
  bulkDeleteAddresses,
  bulkUpdateAddresses,
  createAddress,
  deleteAddress,
  readAddress,
  updateAddress,
} from '../../addresses/addresses';
import { listAddressHolders } from '../../addresses/queries/address-holders';
import { listIpAddresses } from '../../addresses/queries/ip-addresses';
import { ADDRESS_CSV, exportAddresses } from '../../addresses/search';
import { authorizeIfGranted } from '../../auth/scope';
import { listAddressPolicies } from '../../enforcement/policies/address-policies';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const ipAddressesRouter = router({
  list: query({
    rest: 'GET /ip-addresses',
    summary:
      'List addresses with their prefix and workload, now or as of a time. format=csv returns all addresses as a file that can be imported.',
    access: { permission: 'ipam:read' },
    input: AddressListInput.extend(asOf),
    output: AddressPage,
    run: ({ scope, input }) => listIpAddresses(scope.reach, input),
    csv: {
      name: 'ip-addresses',
      columns: ADDRESS_CSV,
      rows: ({ scope, input }, page) => exportAddresses(scope, { ...input, ...page }),
    },
  }),
  holders: query({
    rest: 'GET /ip-address-holders',
    summary:
      'List workloads that held addresses, by prefix and time, the latest first. Only visible workloads and times are listed. since and until with the same time ask for one moment.',
    access: { permission: 'ipam:read' },
    input: AddressHolderListInput,
    output: AddressHolderPage,
    run: ({ scope, input }) => listAddressHolders(scope.reach, input),
    csv: { name: 'ip-address-holders', columns: fieldsWithout(AddressHolding) },
  }),
  create: mutation({
    rest: 'POST /ip-addresses',
    summary: 'Add an address to a network. It is placed in the longest matching prefix.',
    access: { permission: 'ipam:write' },
    input: AddressInput,
    output: IpAddress,
    status: 201,
    run: ({ scope, input }) => createAddress(scope, input),
  }),
  bulkUpdate: mutation({
    rest: 'POST /ip-addresses/bulk-update',
    summary: 'Update many addresses in the same way: all or none.',
    access: { permission: 'ipam:write' },
    input: AddressBulkUpdate,
    output: BulkResult,
    run: ({ scope, input }) => bulkUpdateAddresses(scope, input),
  }),
  bulkDelete: mutation({
    rest: 'POST /ip-addresses/bulk-delete',
    summary: 'Delete many addresses: all or none.',
    access: { permission: 'ipam:write' },
    input: AddressBulkDelete,
    output: BulkResult,
    run: ({ scope, input }) => bulkDeleteAddresses(scope, input),
  }),
  get: query({
    rest: 'GET /ip-addresses/{ip_address_id}',
    summary:
      'Get one address with its former holders, what each source says about it, the prefixes that contain it, and its open conflicts, now or as of a time.',
    access: { permission: 'ipam:read' },
    input: AsOf,
    output: IpAddressDetail,
    run: ({ scope, params }) => readAddress(scope, params.ip_address_id),
  }),
  policies: query({
    rest: 'GET /ip-addresses/{ip_address_id}/policies',
    summary:
      'List policies, groups and tests that resolve to the address: through its workload, as an address, or as any.',
    access: { permission: 'policy:read' },
    output: AddressPolicies,
    run: ({ scope, session, params }) => {
      const group = authorizeIfGranted(session, 'group:read');
      const test = authorizeIfGranted(session, 'policy_test:read');
      return listAddressPolicies({ policy: scope, group, test }, params.ip_address_id);
    },
  }),
  update: mutation({
    rest: 'PATCH /ip-addresses/{ip_address_id}',
    summary: 'Update an address. Omitted fields stay unchanged. If-Match or version prevents lost updates.',
    access: { permission: 'ipam:write' },
    input: AddressUpdate,
    output: IpAddress,
    run: ({ scope, params, input }) => updateAddress(scope, params.ip_address_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /ip-addresses/{ip_address_id}',
    summary: 'Delete an address. The history keeps its former holders.',
    access: { permission: 'ipam:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteAddress(scope, params.ip_address_id, input.version),
  }),
});
