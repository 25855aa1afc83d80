import { HostPacketVerdicts, NetworkFirewall, NetworkPacketTest } from '@/domain/host-firewall';
import { Network, NetworkDetail, NetworkListInput, NetworkPage } from '@/domain/inventory';
import { NetworkInput, NetworkUpdate } from '@/domain/ipam/network';
import { fieldsWithout } from '@/domain/list';
import { createNetwork, deleteNetwork, updateNetwork } from '../../addresses/networks';
import { readNetworkFirewall } from '../../enforcement/host-firewall/read-hosts';
import { testNetworkPacket } from '../../enforcement/host-firewall/test-packet';
import { listNetworks } from '../../inventory/queries/networks';
import { readNetwork } from '../../inventory/reads';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Inventory');

/** Fields of the CSV file. */
const CSV = fieldsWithout(Network, 'cluster_id', 'version', 'created_at', 'updated_at');

export const networksRouter = router({
  list: query({
    rest: 'GET /networks',
    summary:
      'List networks: bridges, virtual networks and manually added networks. format=csv returns all networks as a file.',
    access: { permission: 'ipam:read' },
    input: NetworkListInput,
    output: NetworkPage,
    run: ({ scope, input }) => listNetworks(scope.reach, input),
    csv: { name: 'networks', columns: CSV },
  }),
  get: query({
    rest: 'GET /networks/{network_id}',
    summary: 'Get one network with its prefixes.',
    access: { permission: 'ipam:read' },
    output: NetworkDetail,
    run: ({ scope, params }) => readNetwork(scope, params.network_id),
  }),
  firewall: query({
    rest: 'GET /networks/{network_id}/firewall',
    summary:
      'Read the live firewall of a VNet: its options, its rules for forwarded traffic, and the nodes that enforce them.',
    access: { permission: 'cluster:read' },
    output: NetworkFirewall,
    run: ({ scope, params }) => readNetworkFirewall(scope, params.network_id),
  }),
  testPacket: query({
    rest: 'POST /networks/{network_id}/firewall/test',
    summary: 'Test what each node does with a packet that it bridges within a VNet, and which live rule matches.',
    access: { permission: 'cluster:read' },
    input: NetworkPacketTest,
    output: HostPacketVerdicts,
    run: ({ scope, params, input }) => testNetworkPacket(scope, params.network_id, input),
  }),
  create: mutation({
    rest: 'POST /networks',
    summary: 'Add a network manually, for prefixes without a bridge or virtual network.',
    access: { permission: 'ipam:write' },
    input: NetworkInput,
    output: NetworkDetail,
    status: 201,
    run: ({ scope, input }) => createNetwork(scope, input),
  }),
  update: mutation({
    rest: 'PATCH /networks/{network_id}',
    summary: 'Update a network. If-Match or version prevents lost updates.',
    access: { permission: 'ipam:write' },
    input: NetworkUpdate,
    output: NetworkDetail,
    run: ({ scope, params, input }) => updateNetwork(scope, params.network_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /networks/{network_id}',
    summary:
      'Delete a network with its prefixes and addresses. Networks that come from the cluster cannot be deleted here.',
    access: { permission: 'ipam:write' },
    input: ByVersion,
    run: ({ scope, params, input }) => deleteNetwork(scope, params.network_id, input.version),
  }),
});
