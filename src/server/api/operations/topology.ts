import { Topology, TopologyInput } from '@/domain/topology/topology';
import { authorizeIfGranted } from '../../auth/scope';
import { readTopology } from '../../insight/topology/read-topology';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Flows');

export const topologyRouter = router({
  read: query({
    rest: 'GET /topology',
    summary:
      'Who talks to whom in a time range: networks, workloads, what lies outside, and what becomes of the traffic.',
    access: { permission: 'flow:read' },
    input: TopologyInput,
    output: Topology,
    run: ({ scope, session, input }) => readTopology(scope, authorizeIfGranted(session, 'workload:read'), input),
  }),
});
