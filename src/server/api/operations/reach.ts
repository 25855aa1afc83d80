import {
  Matrix,
  MatrixInput,
  Reach,
  ReachableFromInput,
  ReachedList,
  ReachesInput,
  ReachInput,
} from '@/domain/reach/reach';
import { authorize, authorizeIfGranted, type Session } from '../../auth/scope';
import { listReachableFrom, listReaches } from '../../insight/reach/list-reached';
import { readMatrix } from '../../insight/reach/read-matrix';
import { readReach } from '../../insight/reach/read-reach';
import { operations } from '../operation';
import { router } from '../trpc';

const { query } = operations('Reachability');
const access = { permission: 'workload:read' } as const;

/** What was seen is shown only to users who may see traffic. */
const authorizeFlows = (session: Session) => authorizeIfGranted(session, 'flow:read');

export const reachRouter = router({
  check: query({
    rest: 'POST /reach',
    summary:
      'Decide what passes between two ends by the live rules, as last read, by those that a change would leave, or by those that were read as of a time.',
    access,
    input: ReachInput,
    output: Reach,
    problems: ['not_found', 'conflict'],
    run: ({ scope, session, input }) =>
      readReach(scope, input.change_id === undefined ? null : authorize(session, 'policy:read'), input),
  }),
  from: query({
    rest: 'GET /workloads/{workload_id}/reachable-from',
    summary:
      'List what can reach a workload by the live rules, as last read: first what is allowed and was never seen.',
    access,
    input: ReachableFromInput,
    output: ReachedList,
    run: ({ scope, session, params, input }) =>
      listReachableFrom(scope, authorizeFlows(session), params.workload_id, input),
  }),
  to: query({
    rest: 'GET /workloads/{workload_id}/reaches',
    summary: 'List what a workload can reach by the live rules, as last read, directly or through other workloads.',
    access,
    input: ReachesInput,
    output: ReachedList,
    run: ({ scope, session, params, input }) => listReaches(scope, authorizeFlows(session), params.workload_id, input),
  }),
  matrix: query({
    rest: 'GET /matrix',
    summary: 'Get what passes between groups, networks, tags or projects by the live rules, and what was seen to.',
    access,
    input: MatrixInput,
    output: Matrix,
    run: ({ scope, session, input }) => readMatrix(scope, authorizeFlows(session), input),
  }),
});
