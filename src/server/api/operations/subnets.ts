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
    summary: 'One level of the tree of its prefixes with utilisation: the outermost, or those inside parent_id.',
    access: { permission: 'ipam:read' },
    input: SubnetTreeInput.omit({ network_id: true }),
    output: SubnetTreePage,
    run: ({ scope, params, input }) => readSubnetTree(scope, { ...input, network_id: params.network_id }),
  }),
  list: query({
    rest: 'GET /subnets',
    summary: 'Prefixes with utilisation. format=csv gives all of them as a file that the import takes.',
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
    summary: 'Add a prefix to a network. Addresses stored in wider prefixes move into it.',
    access: { permission: 'ipam:write' },
    input: SubnetInput,
    output: SubnetDetail,
    status: 201,
    run: ({ scope, input }) => createSubnet(scope, input),
  }),
  get: query({
    rest: 'GET /subnets/{subnet_id}',
    summary: 'One prefix with utilisation and the prefixes around it.',
    access: { permission: 'ipam:read' },
    output: SubnetDetail,
    run: ({ scope, params }) => readSubnet(scope, params.subnet_id),
  }),
  update: mutation({
    rest: 'PATCH /subnets/{subnet_id}',
    summary: 'Change a prefix; what is left out stays. If-Match or version guards against lost updates.',
    access: { permission: 'ipam:write' },
    input: SubnetUpdate,
    output: SubnetDetail,
    run: ({ scope, params, input }) => updateSubnet(scope, params.subnet_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /subnets/{subnet_id}',
    summary: 'Delete a prefix. Its addresses move to the prefix around it; without one they go only with_addresses.',
    access: { permission: 'ipam:write' },
    input: ByVersion.extend({ with_addresses: flag }),
    run: ({ scope, params, input }) =>
      deleteSubnet(scope, params.subnet_id, { ...input, with_addresses: input.with_addresses === 'true' }),
  }),
  grid: query({
    rest: 'GET /subnets/{subnet_id}/grid',
    summary: 'A part of its addresses, each that is not free with what is known of it.',
    access: { permission: 'ipam:read' },
    input: SubnetGridInput.omit({ id: true }),
    output: SubnetGrid,
    run: ({ scope, params, input }) => readSubnetGrid(scope, { ...input, id: params.subnet_id }),
  }),
  nextAddresses: query({
    rest: 'GET /subnets/{subnet_id}/next-address',
    summary: 'The next free addresses, without taking them.',
    access: { permission: 'ipam:write' },
    input: NextAddressesInput,
    output: NextAddresses,
    run: ({ scope, params, input }) => nextAddresses(scope, params.subnet_id, input.count),
  }),
  allocateAddress: mutation({
    rest: 'POST /subnets/{subnet_id}/next-address',
    summary: 'Take the next free address. Simultaneous callers get different ones.',
    access: { permission: 'ipam:write' },
    input: AllocateAddressInput,
    output: IpAddress,
    status: 201,
    bodyOptional: true,
    run: ({ scope, params, input }) => allocateAddress(scope, params.subnet_id, input),
  }),
  nextPrefix: query({
    rest: 'GET /subnets/{subnet_id}/next-prefix',
    summary: 'The next free block of a length, without taking it.',
    access: { permission: 'ipam:write' },
    input: NextPrefixInput,
    output: NextPrefix,
    run: ({ scope, params, input }) => nextPrefix(scope, params.subnet_id, input.prefix_length),
  }),
  allocatePrefix: mutation({
    rest: 'POST /subnets/{subnet_id}/next-prefix',
    summary: 'Take the next free block of a length as a prefix inside it.',
    access: { permission: 'ipam:write' },
    input: AllocatePrefixInput,
    output: SubnetDetail,
    status: 201,
    run: ({ scope, params, input }) => allocatePrefix(scope, params.subnet_id, input),
  }),
});
