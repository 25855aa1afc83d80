import { z } from 'zod';
import { HostPacketVerdicts, NetworkFirewall, NetworkPacketTest } from '@/domain/host-firewall';
import { NetworkDetail, NetworkListInput, NetworkPage } from '@/domain/inventory';
import { NetworkInput, NetworkUpdate } from '@/domain/ipam/network';
import { SubnetTreeInput, SubnetTreePage } from '@/domain/ipam/subnet';
import { readNetworkFirewall } from '../../services/host-firewall/read-network-firewall';
import { testNetworkPacket } from '../../services/host-firewall/test-network-packet';
import { listNetworks } from '../../services/inventory/list-networks';
import { readNetwork } from '../../services/inventory/read-network';
import { createNetwork } from '../../services/ipam/create-network';
import { deleteNetwork } from '../../services/ipam/delete-network';
import { readSubnetTree } from '../../services/ipam/read-subnet-tree';
import { updateNetwork } from '../../services/ipam/update-network';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { ifMatchVersion } from '../if-match';
import { listFormat } from '../list-format';

const tag = 'Inventory';
const params = z.object({ network_id: z.uuid() });

/** Fields of the CSV file. */
const CSV = [
  'id',
  'cluster_name',
  'name',
  'kind',
  'zone',
  'vlan_tag',
  'vlan_aware',
  'alias',
  'description',
  'node_names',
  'source',
  'interfaces_total',
  'subnets_total',
  'missing_since',
] as const;

export const networkRoutes = [
  defineRoute({
    method: 'GET',
    path: '/networks',
    summary: 'Bridges, virtual networks and networks made by hand. format=csv gives all of them as a file.',
    tag,
    access: { permission: 'ipam:read' },
    query: NetworkListInput.extend({ format: listFormat }),
    response: { status: 200, schema: NetworkPage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listNetworks(scope, query)
        : csvResponse({ name: 'networks', scope, query }, CSV, (page) => listNetworks(scope, { ...query, ...page })),
  }),
  defineRoute({
    method: 'GET',
    path: '/networks/{network_id}',
    summary: 'One network with its subnets.',
    tag,
    access: { permission: 'ipam:read' },
    params,
    response: { status: 200, schema: NetworkDetail },
    handler: ({ scope, params }) => readNetwork(scope, params.network_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/networks/{network_id}/firewall',
    summary:
      'What a VNet filters, read now: its options, its rules for forwarded traffic, and the nodes that enforce them.',
    tag,
    access: { permission: 'cluster:read' },
    params,
    response: { status: 200, schema: NetworkFirewall },
    handler: ({ scope, params }) => readNetworkFirewall(scope, params.network_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/networks/{network_id}/firewall/test',
    summary: 'What each node does now with a packet that it bridges within a VNet, and which rule decides.',
    tag,
    access: { permission: 'cluster:read' },
    params,
    body: NetworkPacketTest,
    response: { status: 200, schema: HostPacketVerdicts },
    handler: ({ scope, params, body }) => testNetworkPacket(scope, params.network_id, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/networks',
    summary: 'Add a network by hand, for prefixes that no bridge or virtual network stands for.',
    tag,
    access: { permission: 'ipam:write' },
    body: NetworkInput,
    response: { status: 201, schema: NetworkDetail },
    handler: ({ scope, body }) => createNetwork(scope, body),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/networks/{network_id}',
    summary: 'Change a network. If-Match or version guards against lost updates.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    body: NetworkUpdate,
    response: { status: 200, schema: NetworkDetail },
    handler: ({ scope, params, body, request }) =>
      updateNetwork(scope, params.network_id, { ...body, version: body.version ?? ifMatchVersion(request) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/networks/{network_id}',
    summary: 'Delete a network with its subnets and addresses. One that the cluster has cannot be deleted here.',
    tag,
    access: { permission: 'ipam:write' },
    params,
    response: { status: 204 },
    handler: ({ scope, params, request }) => deleteNetwork(scope, params.network_id, ifMatchVersion(request)),
  }),
  defineRoute({
    method: 'GET',
    path: '/networks/{network_id}/tree',
    summary: 'One level of the tree of its prefixes with utilisation: the outermost, or those inside parent_id.',
    tag,
    access: { permission: 'ipam:read' },
    params,
    query: SubnetTreeInput.omit({ network_id: true }),
    response: { status: 200, schema: SubnetTreePage },
    handler: ({ scope, params, query }) => readSubnetTree(scope, { ...query, network_id: params.network_id }),
  }),
];
