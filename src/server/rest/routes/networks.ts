import { z } from 'zod';
import { NetworkDetail, NetworkListInput, NetworkPage } from '@/domain/inventory';
import { listNetworks } from '../../services/inventory/list-networks';
import { readNetwork } from '../../services/inventory/read-network';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { listFormat } from '../list-format';

const tag = 'Inventory';

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
        : csvResponse('networks', CSV, (page) => listNetworks(scope, { ...query, ...page })),
  }),
  defineRoute({
    method: 'GET',
    path: '/networks/{network_id}',
    summary: 'One network with its subnets.',
    tag,
    access: { permission: 'ipam:read' },
    params: z.object({ network_id: z.uuid() }),
    response: { status: 200, schema: NetworkDetail },
    handler: ({ scope, params }) => readNetwork(scope, params.network_id),
  }),
];
