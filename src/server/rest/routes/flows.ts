import { FlowListInput, FlowPage, FlowTail, FlowTailInput, type JudgedFlow } from '@/domain/flow/flow';
import { type FlowGroup, FlowGroups, FlowGroupsInput, FlowSeries, FlowSeriesInput } from '@/domain/flow/flow-sums';
import { authorizeIfGranted } from '../../auth/scope';
import { groupFlows } from '../../services/flows/group-flows';
import { listFlows } from '../../services/flows/list-flows';
import { readFlowSeries } from '../../services/flows/read-flow-series';
import { tailFlows } from '../../services/flows/tail-flows';
import { csvResponse } from '../csv-response';
import { defineRoute } from '../define-route';
import { listFormat } from '../list-format';

const tag = 'Flows';
const access = { permission: 'flow:read' } as const;

/** Fields of the CSV files. */
const FLOW_CSV = [
  'observed_at',
  'first_seen_at',
  'cluster_name',
  'node_name',
  'source_ip',
  'source_port',
  'source_workload_name',
  'source_cidr',
  'destination_ip',
  'destination_port',
  'destination_workload_name',
  'destination_cidr',
  'protocol',
  'decision',
  'action',
  'rules_say',
  'rules_reason',
  'state',
  'bytes',
  'packets',
  'collector',
  'interface',
] as const;
const GROUP_CSV = [
  'source_ip',
  'source_workload_name',
  'source_cidr',
  'source_label',
  'destination_ip',
  'destination_workload_name',
  'destination_cidr',
  'destination_label',
  'protocol',
  'port',
  'decision',
  'node_name',
  'action',
  'rules_say',
  'rules_reason',
  'differs',
  'bytes',
  'packets',
  'flows',
  'last_seen_at',
] as const;

/** What the rules say as two columns. */
const withReason = <T extends Pick<JudgedFlow, 'rules_say'> | Pick<FlowGroup, 'rules_say'>>({
  rules_say,
  ...row
}: T) => ({
  ...row,
  rules_say: rules_say?.action ?? null,
  rules_reason: rules_say?.explanation ?? null,
});

export const flowRoutes = [
  defineRoute({
    method: 'GET',
    path: '/flows',
    summary: 'Flows that were active in a time range, the newest first. format=csv gives all of them as a file.',
    tag,
    access,
    query: FlowListInput.extend({ format: listFormat }),
    response: { status: 200, schema: FlowPage },
    handler({ scope, session, query: { format, ...query } }) {
      const rules = authorizeIfGranted(session, 'workload:read');
      return format === 'json'
        ? listFlows(scope, rules, query)
        : csvResponse({ name: 'flows', scope, query }, FLOW_CSV, async (page) => {
            const flows = await listFlows(scope, rules, { ...query, ...page });
            return { ...flows, items: flows.items.map(withReason) };
          });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/flows/tail',
    summary: 'Flows that were stored since a moment, to be asked again with the next_after of the answer.',
    tag,
    access,
    query: FlowTailInput,
    response: { status: 200, schema: FlowTail },
    handler: ({ scope, session, query }) => tailFlows(scope, authorizeIfGranted(session, 'workload:read'), query),
  }),
  defineRoute({
    method: 'GET',
    path: '/flows/groups',
    summary: 'Traffic of a time range by pair of workloads, address, service, verdict or node, the largest first.',
    tag,
    access,
    query: FlowGroupsInput.extend({ format: listFormat }),
    response: { status: 200, schema: FlowGroups },
    handler({ scope, session, query: { format, ...query } }) {
      const rules = authorizeIfGranted(session, 'workload:read');
      return format === 'json'
        ? groupFlows(scope, rules, query)
        : csvResponse({ name: 'flow-groups', scope, query }, GROUP_CSV, async (page) => {
            const groups = await groupFlows(scope, rules, { ...query, ...page });
            return { ...groups, items: groups.items.map(withReason) };
          });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/flows/series',
    summary: 'Traffic of a time range over time, by verdict.',
    tag,
    access,
    query: FlowSeriesInput,
    response: { status: 200, schema: FlowSeries },
    handler: ({ scope, query }) => readFlowSeries(scope, query),
  }),
];
