import { z } from 'zod';
import { FormerWorkload } from '@/domain/former-workload';
import { GuestFirewall, PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import { WorkloadDetail, WorkloadListInput, WorkloadPage } from '@/domain/inventory';
import { ResidualRemoval, ResidualRulesList } from '@/domain/residual-rules';
import { authorizeIfGranted } from '../../auth/scope';
import { listResidual, removeResidual } from '../../services/deployments/removal/residual-rules';
import { readGuestFirewall } from '../../services/firewall/read-guest-firewall';
import { testPacket } from '../../services/firewall/test-packet';
import { listWorkloads } from '../../services/inventory/list-workloads';
import { readFormerWorkload } from '../../services/inventory/read-former-workload';
import { readWorkload } from '../../services/inventory/read-workload';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { listFormat } from '../list-format';

const tag = 'Inventory';

/** Fields of the CSV file. */
const CSV = [
  'id',
  'cluster_name',
  'node_name',
  'project_name',
  'vmid',
  'kind',
  'external_id',
  'name',
  'status',
  'template',
  'tags',
  'pool',
  'lock',
  'ha_state',
  'cpu_count',
  'memory_bytes',
  'started_at',
  'primary_addresses',
  'addresses_total',
  'interfaces_total',
  'interfaces_firewalled',
  'protection',
  'config_read_at',
  'missing_since',
] as const;

export const workloadRoutes = [
  defineRoute({
    method: 'GET',
    path: '/workloads',
    summary: 'Virtual machines and containers. format=csv gives all of them as a file.',
    tag,
    access: { permission: 'workload:read' },
    query: WorkloadListInput.extend({ format: listFormat }),
    response: { status: 200, schema: WorkloadPage },
    handler: ({ scope, query: { format, ...query } }) =>
      format === 'json'
        ? listWorkloads(scope, query)
        : csvResponse({ name: 'workloads', scope, query }, CSV, (page) => listWorkloads(scope, { ...query, ...page })),
  }),
  defineRoute({
    method: 'GET',
    path: '/workloads/{workload_id}',
    summary: 'One workload with its interfaces and addresses.',
    tag,
    access: { permission: 'workload:read' },
    params: z.object({ workload_id: z.uuid() }),
    response: { status: 200, schema: WorkloadDetail },
    handler: ({ scope, params }) => readWorkload(scope, params.workload_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/workloads/{workload_id}/former',
    summary: 'When a workload that has gone belonged to tenants within reach, and what it was called then.',
    tag,
    access: { permission: 'workload:read' },
    params: z.object({ workload_id: z.uuid() }),
    response: { status: 200, schema: FormerWorkload },
    handler: ({ scope, params }) => readFormerWorkload(scope, params.workload_id),
  }),
  defineRoute({
    method: 'GET',
    path: '/workloads/{workload_id}/firewall',
    summary: 'Everything that filters the packets of a workload, read now: rules in their order, options, interfaces.',
    tag,
    access: { permission: 'workload:read' },
    params: z.object({ workload_id: z.uuid() }),
    response: { status: 200, schema: GuestFirewall },
    handler: ({ scope, session, params }) =>
      readGuestFirewall(scope, params.workload_id, authorizeIfGranted(session, 'cluster:read')),
  }),
  defineRoute({
    method: 'POST',
    path: '/workloads/{workload_id}/firewall/test',
    summary: 'What happens to a packet at a workload now, which rule decides, and which policies are behind it.',
    tag,
    access: { permission: 'workload:read' },
    params: z.object({ workload_id: z.uuid() }),
    body: PacketTest,
    response: { status: 200, schema: PacketVerdict },
    handler: ({ scope, session, params, body }) =>
      testPacket(scope, params.workload_id, body, authorizeIfGranted(session, 'cluster:read')),
  }),
  defineRoute({
    method: 'GET',
    path: '/workloads/{workload_id}/residual-rules',
    summary:
      'Rules that policies of a former tenant or project left on a workload, by the last reading, until they are removed.',
    tag,
    access: { permission: 'workload:read' },
    params: z.object({ workload_id: z.uuid() }),
    response: { status: 200, schema: ResidualRulesList },
    handler: ({ scope, params }) => listResidual(scope, params.workload_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/workloads/{workload_id}/residual-rules/remove',
    summary:
      'Remove what policies of a former tenant or project left on a workload, also what was to be kept. It is retried until it is gone.',
    tag,
    access: { permission: 'policy:apply' },
    params: z.object({ workload_id: z.uuid() }),
    response: { status: 202, schema: ResidualRemoval },
    handler: ({ scope, params }) => removeResidual(scope, params.workload_id),
  }),
];
