import { z } from 'zod';
import { HostPacketVerdicts, NodeFirewall, NodePacketTest } from '@/domain/host-firewall';
import { Node, NodeListInput, NodePage } from '@/domain/inventory';
import { readNodeFirewall } from '../../services/host-firewall/read-node-firewall';
import { testNodePacket } from '../../services/host-firewall/test-node-packet';
import { listNodes } from '../../services/inventory/list-nodes';
import { readNode } from '../../services/inventory/read-node';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { listFormat } from '../list-format';

const tag = 'Inventory';

/** Fields of the CSV file. */
const CSV = [
  'id',
  'cluster_name',
  'name',
  'status',
  'address',
  'provider_version',
  'nftables',
  'cpu_count',
  'memory_bytes',
  'started_at',
  'fault',
  'missing_since',
  'agent_status',
  'last_heartbeat_at',
  'workloads_total',
  'workloads_running',
] as const;

export const nodeRoutes = [
  defineRoute({
    method: 'GET',
    path: '/nodes',
    summary: 'Nodes of all clusters. format=csv gives all of them as a file.',
    tag,
    access: { permission: 'cluster:read' },
    query: NodeListInput.extend({ format: listFormat }),
    response: { status: 200, schema: NodePage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listNodes(scope, query)
        : csvResponse({ name: 'nodes', scope, query }, CSV, (page) => listNodes(scope, { ...query, ...page })),
  }),
  defineRoute({
    method: 'GET',
    path: '/nodes/{node_id}',
    summary: 'One node.',
    tag,
    access: { permission: 'cluster:read' },
    params: z.object({ node_id: z.uuid() }),
    response: { status: 200, schema: Node },
    handler: ({ scope, params }) => readNode(scope, params.node_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/nodes/{node_id}/firewall',
    summary:
      'What filters the traffic of a node itself, read now: its options and rules, and those of the data center.',
    tag,
    access: { permission: 'cluster:read' },
    params: z.object({ node_id: z.uuid() }),
    response: { status: 200, schema: NodeFirewall },
    handler: ({ scope, params }) => readNodeFirewall(scope, params.node_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/nodes/{node_id}/firewall/test',
    summary: 'What happens to a packet to or from a node now, and which rule decides.',
    tag,
    access: { permission: 'cluster:read' },
    params: z.object({ node_id: z.uuid() }),
    body: NodePacketTest,
    response: { status: 200, schema: HostPacketVerdicts },
    handler: ({ scope, params, body }) => testNodePacket(scope, params.node_id, body),
  }),
];
