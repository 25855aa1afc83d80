import { FlowEstimate, FlowEstimateListInput, FlowEstimates } from '@/domain/collector/estimate';
import { EscapedListInput, EscapedPage } from '@/domain/enforcement-chain/escaped';
import { type EvaluatedFlow, FlowListInput, FlowPage, FlowTail, FlowTailInput } from '@/domain/flow/flow';
import { type FlowGroup, FlowGroups, FlowGroupsInput, FlowSeries, FlowSeriesInput } from '@/domain/flow/flow-sums';
import { fieldsWithout } from '@/domain/list';
import { Topology, TopologyInput } from '@/domain/topology/topology';
import { authorizeIfGranted, type Session } from '../../auth/scope';
import { listEscapedConversations } from '../../enforcement/chain/list-escaped';
import { groupFlows } from '../../insight/flows/group-flows';
import { listEstimates } from '../../insight/flows/list-estimates';
import { listFlows, shareTail, streamFlows, tailFlows } from '../../insight/flows/list-flows';
import { readFlowSeries, shareSeries } from '../../insight/flows/series';
import { readTopology, shareTopology } from '../../insight/topology/read-topology';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Flows');
const access = { permission: 'flow:read' } as const;

/** Rules of workloads decide flows, so they are shown only to users who may see workloads. */
const authorizeRules = (session: Session) => authorizeIfGranted(session, 'workload:read');

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
const withReason = <T extends Pick<EvaluatedFlow, 'rules_say'> | Pick<FlowGroup, 'rules_say'>>({
  rules_say,
  ...row
}: T) => ({
  ...row,
  rules_say: rules_say?.action ?? null,
  rules_reason: rules_say?.explanation ?? null,
});

export const flowsRouter = router({
  list: query({
    rest: 'GET /flows',
    summary: 'List flows that were active in a time range, newest first. format=csv returns all flows as a file.',
    access,
    input: FlowListInput,
    output: FlowPage,
    run: ({ scope, session, input }) => listFlows(scope, authorizeRules(session), input),
    csv: {
      name: 'flows',
      columns: FLOW_CSV,
      batches: async function* ({ scope, session, input }) {
        for await (const flows of streamFlows(scope, authorizeRules(session), input)) yield flows.map(withReason);
      },
    },
  }),
  tail: query({
    rest: 'GET /flows/tail',
    summary: 'List flows stored since a point in time. Continue with next_after from the response.',
    access,
    shared: shareTail,
    input: FlowTailInput,
    output: FlowTail,
    run: ({ scope, session, input }) => tailFlows(scope, authorizeRules(session), input),
  }),
  groups: query({
    rest: 'GET /flows/groups',
    summary:
      'Get the traffic of a time range grouped by workload pair, address, service, verdict or node, largest first.',
    access,
    input: FlowGroupsInput,
    output: FlowGroups,
    run: ({ scope, session, input }) => groupFlows(scope, authorizeRules(session), input),
    csv: {
      name: 'flow-groups',
      columns: GROUP_CSV,
      rows: async ({ scope, session, input }, page) => {
        const groups = await groupFlows(scope, authorizeRules(session), { ...input, ...page });
        return { ...groups, items: groups.items.map(withReason) };
      },
    },
  }),
  series: query({
    rest: 'GET /flows/series',
    summary: 'Get the traffic of a time range as a time series by verdict.',
    access,
    shared: shareSeries,
    input: FlowSeriesInput,
    output: FlowSeries,
    run: ({ scope, input }) => readFlowSeries(scope, input),
  }),
  estimates: query({
    rest: 'GET /flow-estimates',
    summary:
      'List what sampled records of flow exporters say about the traffic of a time range, by pair of ends and service, with the error. In no total of flows.',
    access,
    input: FlowEstimateListInput,
    output: FlowEstimates,
    run: ({ scope, input }) => listEstimates(scope, input),
    csv: {
      name: 'flow-estimates',
      columns: fieldsWithout(FlowEstimate, 'id'),
      rows: ({ scope, input }, page) => listEstimates(scope, { ...input, ...page }),
    },
  }),
  escaped: query({
    rest: 'GET /escaped-conversations',
    summary:
      'List conversations of the last seven days that passed although the rules that were live then deny them, with the likely reason.',
    access,
    input: EscapedListInput,
    output: EscapedPage,
    run: ({ scope, session, input }) => listEscapedConversations(scope, input, authorizeRules(session)),
  }),
});

export const topologyRouter = router({
  read: query({
    rest: 'GET /topology',
    summary:
      'Get the traffic map of a time range: networks, workloads, external endpoints and the verdicts of their traffic.',
    access: { permission: 'flow:read' },
    shared: shareTopology,
    input: TopologyInput,
    output: Topology,
    run: ({ scope, session, input }) => readTopology(scope, authorizeIfGranted(session, 'workload:read'), input),
  }),
});
