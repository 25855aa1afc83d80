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
  SubnetTreeInput,
  SubnetTreePage,
  SubnetUpdate,
} from '@/domain/ipam/subnet';
import { allocateAddress, allocatePrefix, nextAddresses, nextPrefix } from '../../addresses/next-free';
import { listSubnets } from '../../addresses/queries/subnets';
import { readSubnetGrid } from '../../addresses/read-subnet-grid';
import { readSubnetTree } from '../../addresses/read-subnet-tree';
import { exportSubnets, SUBNET_CSV } from '../../addresses/search';
import { createSubnet, deleteSubnet, readSubnet, updateSubnet } from '../../addresses/subnets';
import { ByVersion, flag, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Address management');

export const subnetsRouter = router({
  tree: query({
    rest: 'GET /networks/{network_id}/tree',
    tag: 'Inventory',
    summary:
      'List one level of the prefix tree of a network with utilization: the outermost prefixes, or those inside parent_id.',
    access: { permission: 'ipam:read' },
    input: SubnetTreeInput.omit({ network_id: true }),
    output: SubnetTreePage,
    run: ({ scope, params, input }) => readSubnetTree(scope, { ...input, network_id: params.network_id }),
  }),
  list: query({
    rest: 'GET /subnets',
    summary: 'List prefixes with utilization. format=csv returns all prefixes as a file that can be imported.',
    access: { permission: 'ipam:read' },
    input: SubnetListInput,
    output: SubnetPage,
    run: ({ scope, input }) => listSubnets(scope.reach, input),
    csv: {
      name: 'subnets',
      columns: SUBNET_CSV,
      rows: ({ scope, input }, page) => exportSubnets(scope, { ...input, ...page }),
    },
  }),
  create: mutation({
    rest: 'POST /subnets',
    summary: 'Add a prefix to a network. Addresses in wider prefixes move into it.',
    access: { permission: 'ipam:write' },
    input: SubnetInput,
    output: SubnetDetail,
    status: 201,
    run: ({ scope, input }) => createSubnet(scope, input),
  }),
  get: query({
    rest: 'GET /subnets/{subnet_id}',
    summary: 'Get one prefix with its utilization and the prefixes that contain it.',
    access: { permission: 'ipam:read' },
    output: SubnetDetail,
    run: ({ scope, params }) => readSubnet(scope, params.subnet_id),
  }),
  update: mutation({
    rest: 'PATCH /subnets/{subnet_id}',
    summary: 'Update a prefix. Omitted fields stay unchanged. If-Match or version prevents lost updates.',
    access: { permission: 'ipam:write' },
    input: SubnetUpdate,
    output: SubnetDetail,
    run: ({ scope, params, input }) => updateSubnet(scope, params.subnet_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /subnets/{subnet_id}',
    summary:
      'Delete a prefix. Its addresses move to the next wider prefix. If there is none, they are only deleted with_addresses.',
    access: { permission: 'ipam:write' },
    input: ByVersion.extend({ with_addresses: flag }),
    run: ({ scope, params, input }) =>
      deleteSubnet(scope, params.subnet_id, { ...input, with_addresses: input.with_addresses === 'true' }),
  }),
  grid: query({
    rest: 'GET /subnets/{subnet_id}/grid',
    summary: 'List a section of the addresses of a prefix, with details of each address that is not free.',
    access: { permission: 'ipam:read' },
    input: SubnetGridInput.omit({ id: true }),
    output: SubnetGrid,
    run: ({ scope, params, input }) => readSubnetGrid(scope, { ...input, id: params.subnet_id }),
  }),
  nextAddresses: query({
    rest: 'GET /subnets/{subnet_id}/next-address',
    summary: 'Get the next free addresses without assigning them.',
    access: { permission: 'ipam:write' },
    input: NextAddressesInput,
    output: NextAddresses,
    run: ({ scope, params, input }) => nextAddresses(scope, params.subnet_id, input.count),
  }),
  allocateAddress: mutation({
    rest: 'POST /subnets/{subnet_id}/next-address',
    summary: 'Allocate the next free address. Concurrent callers get different addresses.',
    access: { permission: 'ipam:write' },
    input: AllocateAddressInput,
    output: IpAddress,
    status: 201,
    bodyOptional: true,
    run: ({ scope, params, input }) => allocateAddress(scope, params.subnet_id, input),
  }),
  nextPrefix: query({
    rest: 'GET /subnets/{subnet_id}/next-prefix',
    summary: 'Get the next free block of a length without allocating it.',
    access: { permission: 'ipam:write' },
    input: NextPrefixInput,
    output: NextPrefix,
    run: ({ scope, params, input }) => nextPrefix(scope, params.subnet_id, input.prefix_length),
  }),
  allocatePrefix: mutation({
    rest: 'POST /subnets/{subnet_id}/next-prefix',
    summary: 'Allocate the next free block of a length as a prefix inside this one.',
    access: { permission: 'ipam:write' },
    input: AllocatePrefixInput,
    output: SubnetDetail,
    status: 201,
    run: ({ scope, params, input }) => allocatePrefix(scope, params.subnet_id, input),
  }),
});
