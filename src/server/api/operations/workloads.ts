import { GuestFirewall, PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import { FormerWorkload, Workload, WorkloadDetail, WorkloadListInput, WorkloadPage } from '@/domain/inventory';
import { fieldsWithout } from '@/domain/list';
import { ResidualRemoval, ResidualRulesList } from '@/domain/residual-rules';
import { authorizeIfGranted } from '../../auth/scope';
import { listResidual, removeResidual } from '../../enforcement/deployments/removal/residual-rules';
import { readGuestFirewall } from '../../enforcement/guest-firewall/read-guest-live';
import { testPacket } from '../../enforcement/guest-firewall/test-packet';
import { listWorkloads, readWorkload } from '../../enforcement/inventory-views/workloads';
import { readFormerWorkload } from '../../inventory/reads';
import { operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Inventory');

/** Fields of the CSV file. */
const CSV = fieldsWithout(
  Workload,
  'cluster_id',
  'node_id',
  'project_id',
  'project_assigned_by',
  'tenant_id',
  'created_at',
  'updated_at',
);

export const workloadsRouter = router({
  list: query({
    rest: 'GET /workloads',
    summary: 'Virtual machines and containers. format=csv gives all of them as a file.',
    access: { permission: 'workload:read' },
    input: WorkloadListInput,
    output: WorkloadPage,
    run: ({ scope, input }) => listWorkloads(scope, input),
    csv: { name: 'workloads', columns: CSV },
  }),
  get: query({
    rest: 'GET /workloads/{workload_id}',
    summary: 'One workload with its interfaces and addresses.',
    access: { permission: 'workload:read' },
    output: WorkloadDetail,
    run: ({ scope, params }) => readWorkload(scope, params.workload_id),
  }),
  former: query({
    rest: 'GET /workloads/{workload_id}/former',
    summary: 'When a workload that has gone belonged to tenants within reach, and what it was called then.',
    access: { permission: 'workload:read' },
    output: FormerWorkload,
    run: ({ scope, params }) => readFormerWorkload(scope, params.workload_id),
  }),
  firewall: query({
    rest: 'GET /workloads/{workload_id}/firewall',
    summary: 'Everything that filters the packets of a workload, read now: rules in their order, options, interfaces.',
    access: { permission: 'workload:read' },
    output: GuestFirewall,
    run: ({ scope, session, params }) =>
      readGuestFirewall(scope, params.workload_id, authorizeIfGranted(session, 'cluster:read')),
  }),
  testPacket: query({
    rest: 'POST /workloads/{workload_id}/firewall/test',
    summary: 'What happens to a packet at a workload now, which rule decides, and which policies are behind it.',
    access: { permission: 'workload:read' },
    input: PacketTest,
    output: PacketVerdict,
    run: ({ scope, session, params, input }) =>
      testPacket(scope, params.workload_id, input, authorizeIfGranted(session, 'cluster:read')),
  }),
  residualRules: query({
    rest: 'GET /workloads/{workload_id}/residual-rules',
    summary:
      'Rules that policies of a former tenant or project left on a workload, by the last reading, until they are removed.',
    access: { permission: 'workload:read' },
    output: ResidualRulesList,
    run: ({ scope, params }) => listResidual(scope, params.workload_id),
  }),
  removeResidualRules: mutation({
    rest: 'POST /workloads/{workload_id}/residual-rules/remove',
    summary:
      'Remove what policies of a former tenant or project left on a workload, also what was to be kept. It is retried until it is gone.',
    access: { permission: 'policy:apply' },
    output: ResidualRemoval,
    status: 202,
    run: ({ scope, params }) => removeResidual(scope, params.workload_id),
  }),
});
