import { HostPacketVerdicts, NodeFirewall, NodePacketTest } from '@/domain/host-firewall';
import { Node, NodeListInput, NodePage } from '@/domain/inventory';
import { fieldsWithout } from '@/domain/list';
import { readNodeFirewall } from '../../enforcement/host-firewall/read-hosts';
import { testNodePacket } from '../../enforcement/host-firewall/test-packet';
import { listNodes, readNode } from '../../enforcement/inventory-views/nodes';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Inventory');

/** Fields of the CSV file. */
const CSV = fieldsWithout(Node, 'cluster_id', 'compile_failure', 'created_at', 'updated_at');

export const nodesRouter = router({
  list: query({
    rest: 'GET /nodes',
    summary: 'List nodes of all clusters. format=csv returns all nodes as a file.',
    access: { permission: 'cluster:read' },
    input: NodeListInput,
    output: NodePage,
    run: ({ scope, input }) => listNodes(scope, input),
    csv: { name: 'nodes', columns: CSV },
  }),
  get: query({
    rest: 'GET /nodes/{node_id}',
    summary: 'Get one node.',
    access: { permission: 'cluster:read' },
    output: Node,
    run: ({ scope, params }) => readNode(scope, params.node_id),
  }),
  firewall: query({
    rest: 'GET /nodes/{node_id}/firewall',
    summary: 'Read the live firewall of a node: its options and rules, and those of the data center.',
    access: { permission: 'cluster:read' },
    output: NodeFirewall,
    run: ({ scope, params }) => readNodeFirewall(scope, params.node_id),
  }),
  testPacket: query({
    rest: 'POST /nodes/{node_id}/firewall/test',
    summary: 'Test what happens to a packet to or from a node, and which live rule matches.',
    access: { permission: 'cluster:read' },
    input: NodePacketTest,
    output: HostPacketVerdicts,
    run: ({ scope, params, input }) => testNodePacket(scope, params.node_id, input),
  }),
});
