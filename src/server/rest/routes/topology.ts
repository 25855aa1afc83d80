import { Topology, TopologyInput } from '@/domain/topology/topology';
import { authorizeIfGranted } from '../../auth/scope';
import { readTopology } from '../../services/topology/read-topology';
import { defineRoute } from '../define-route';

export const topologyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/topology',
    summary:
      'Who talks to whom in a time range: networks, workloads, what lies outside, and what becomes of the traffic.',
    tag: 'Flows',
    access: { permission: 'flow:read' },
    query: TopologyInput,
    response: { status: 200, schema: Topology },
    handler: ({ scope, session, query }) => readTopology(scope, authorizeIfGranted(session, 'workload:read'), query),
  }),
];
