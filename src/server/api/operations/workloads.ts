import { AsOf, asOf } from '@/domain/as-of';
import { WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import { GuestFirewall, PacketTest, PacketVerdict } from '@/domain/guest-firewall';
import {
  FormerWorkload,
  ProtectionCounts,
  ProtectionCountsInput,
  Workload,
  WorkloadDetail,
  WorkloadListInput,
  WorkloadPage,
} from '@/domain/inventory';
import { fieldsWithout } from '@/domain/list';
import { ResidualRemoval, ResidualRulesList } from '@/domain/residual-rules';
import { Timeline, TimelineInput } from '@/domain/timeline';
import { authorizeIfGranted } from '../../auth/scope';
import { readChain } from '../../enforcement/chain/read-chain';
import { listResidual, removeResidual } from '../../enforcement/deployments/removal/residual-rules';
import { readGuestFirewall } from '../../enforcement/guest-firewall/read-guest-live';
import { testPacket } from '../../enforcement/guest-firewall/test-packet';
import { countProtection, listWorkloads, readWorkload } from '../../enforcement/inventory-views/workloads';
import { readTimeline } from '../../insight/timeline/read-timeline';
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
  'unprotected_interfaces',
  'created_at',
  'updated_at',
);

export const workloadsRouter = router({
  list: query({
    rest: 'GET /workloads',
    summary: 'List VMs and containers, now or as of a time. format=csv returns all workloads as a file.',
    access: { permission: 'workload:read' },
    input: WorkloadListInput.extend(asOf),
    output: WorkloadPage,
    run: ({ scope, input }) => listWorkloads(scope, input),
    csv: { name: 'workloads', columns: CSV },
  }),
  protectionCounts: query({
    rest: 'GET /workload-protection',
    summary:
      'Count workloads by protection and by the reason why they are not protected, with the filters of the list.',
    access: { permission: 'workload:read' },
    input: ProtectionCountsInput,
    output: ProtectionCounts,
    run: ({ scope, input }) => countProtection(scope, input),
  }),
  get: query({
    rest: 'GET /workloads/{workload_id}',
    summary: 'Get one workload with its interfaces and addresses, now or as of a time.',
    access: { permission: 'workload:read' },
    input: AsOf,
    output: WorkloadDetail,
    run: ({ scope, params }) => readWorkload(scope, params.workload_id),
  }),
  former: query({
    rest: 'GET /workloads/{workload_id}/former',
    summary:
      'Get when a workload that was moved or deleted belonged to tenants that are visible to you, and its name at that time.',
    access: { permission: 'workload:read' },
    output: FormerWorkload,
    run: ({ scope, params }) => readFormerWorkload(scope, params.workload_id),
  }),
  timeline: query({
    rest: 'GET /workloads/{workload_id}/timeline',
    summary:
      'List everything that touched a workload, newest first: syncs, addresses, groups, policies, deployments, edits on the hypervisor, gaps in what agents report, and traffic.',
    access: { permission: 'workload:read' },
    input: TimelineInput,
    output: Timeline,
    run: ({ scope, session, params, input }) => readTimeline(scope, session, params.workload_id, input),
  }),
  firewall: query({
    rest: 'GET /workloads/{workload_id}/firewall',
    summary:
      'Read the live firewall of a workload: everything that filters its packets, with rules in order, options and interfaces. With as_of, as it was read then.',
    access: { permission: 'workload:read' },
    input: AsOf,
    output: GuestFirewall,
    run: ({ scope, session, params }) =>
      readGuestFirewall(scope, params.workload_id, authorizeIfGranted(session, 'cluster:read')),
  }),
  enforcement: query({
    rest: 'GET /workloads/{workload_id}/enforcement',
    summary:
      'Check whether rules really filter the packets of a workload: every link from the cluster switch to the packet, by interface, the first that is broken and how to fix it.',
    access: { permission: 'workload:read' },
    output: WorkloadChain,
    run: ({ scope, session, params }) =>
      readChain(scope, params.workload_id, authorizeIfGranted(session, 'cluster:read')),
  }),
  testPacket: query({
    rest: 'POST /workloads/{workload_id}/firewall/test',
    summary:
      'Test what happens to a packet at a workload, which live rule matches, and which policies created that rule.',
    access: { permission: 'workload:read' },
    input: PacketTest,
    output: PacketVerdict,
    run: ({ scope, session, params, input }) =>
      testPacket(scope, params.workload_id, input, authorizeIfGranted(session, 'cluster:read')),
  }),
  residualRules: query({
    rest: 'GET /workloads/{workload_id}/residual-rules',
    summary:
      'List residual rules: rules of policies of a former tenant or project that are still on a workload, as last read.',
    access: { permission: 'workload:read' },
    output: ResidualRulesList,
    run: ({ scope, params }) => listResidual(scope, params.workload_id),
  }),
  removeResidualRules: mutation({
    rest: 'POST /workloads/{workload_id}/residual-rules/remove',
    summary: 'Remove the residual rules of a workload, including those set to be kept. Retried until they are removed.',
    access: { permission: 'policy:apply' },
    output: ResidualRemoval,
    status: 202,
    run: ({ scope, params }) => removeResidual(scope, params.workload_id),
  }),
});
