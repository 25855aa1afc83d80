import { Change } from '@/domain/change/change';
import {
  Drift,
  DriftAccept,
  DriftAccepted,
  DriftAcceptMany,
  DriftAdopt,
  DriftAdoption,
  DriftAdoptMany,
  DriftListInput,
  DriftPage,
  DriftReconcileMany,
} from '@/domain/change/drift';
import { ApplyPendingResult } from '@/domain/deployments';
import { authorize, authorizeIfGranted, type Scope, type Session } from '../../auth/scope';
import { adoptDrift, previewAdoption } from '../../enforcement/drift/adopt-drift';
import {
  acceptDrift,
  type DriftDeciders,
  type DriftRights,
  listDrift,
  readDrift,
  reconcileDrift,
  withdrawDriftAcceptance,
} from '../../enforcement/drift/drift';
import { operations } from '../operation';
import { router } from '../trpc';
import { impactReader } from './impacts';

const { query, mutation } = operations('Drift');

const toRights = (session: Session): DriftRights => ({
  write: authorizeIfGranted(session, 'policy:write')?.reach ?? null,
  apply: authorizeIfGranted(session, 'policy:apply')?.reach ?? null,
});

/** @throws AppError `forbidden` without the permission to apply policies */
const toDeciders = (write: Scope<'policy:write'>, session: Session): DriftDeciders => ({
  write,
  apply: authorize(session, 'policy:apply'),
});

/** The difference as it is afterwards. */
const readAgain = (session: Session, id: string) => readDrift(authorize(session, 'policy:read'), id, toRights(session));

export const driftRouter = router({
  list: query({
    rest: 'GET /drift',
    summary:
      'List differences between what was last applied of policies and what is live on workloads, as last read, newest first.',
    access: { permission: 'policy:read' },
    input: DriftListInput,
    output: DriftPage,
    run: ({ scope, session, input }) => listDrift(scope, input, toRights(session)),
  }),
  get: query({
    rest: 'GET /drift/{drift_id}',
    summary: 'Get one difference with the desired, last applied and live content.',
    access: { permission: 'policy:read' },
    output: Drift,
    run: ({ scope, session, params }) => readDrift(scope, params.drift_id, toRights(session)),
  }),
  reconcile: mutation({
    rest: 'POST /drift/{drift_id}/reconcile',
    summary: 'Write what the policy wants to the workload of a difference, and to no other.',
    access: { permission: 'policy:apply' },
    output: ApplyPendingResult,
    status: 202,
    problems: ['conflict'],
    run: ({ scope, params }) => reconcileDrift(scope, { drift_ids: [params.drift_id] }),
  }),
  reconcileMany: mutation({
    rest: 'POST /drift/reconcile',
    summary: 'Write what the policies want to the workloads of these differences, and to no others.',
    access: { permission: 'policy:apply' },
    input: DriftReconcileMany,
    output: ApplyPendingResult,
    status: 202,
    problems: ['conflict'],
    run: ({ scope, input }) => reconcileDrift(scope, input),
  }),
  accept: mutation({
    rest: 'POST /drift/{drift_id}/accept',
    summary:
      'Accept what is live until a time, with a reason. It does not affect the status of the policy until then, or until something else is live. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAccept,
    output: Drift,
    run: async ({ scope, session, params, input }) => {
      await acceptDrift(toDeciders(scope, session), { ...input, drift_ids: [params.drift_id] });
      return readAgain(session, params.drift_id);
    },
  }),
  acceptMany: mutation({
    rest: 'POST /drift/accept',
    summary: 'Accept several differences until a time, with a reason. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAcceptMany,
    output: DriftAccepted,
    run: ({ scope, session, input }) => acceptDrift(toDeciders(scope, session), input),
  }),
  previewAdoption: mutation({
    rest: 'POST /drift/{drift_id}/adopt/preview',
    summary:
      'Show the edits that adopting a difference would draft, and compute what they would do to connections. Nothing is drafted. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAdopt,
    output: DriftAdoption,
    problems: ['conflict', 'refused'],
    run: ({ scope, session, params, input }) =>
      previewAdoption(toDeciders(scope, session), session, impactReader(session), {
        ...input,
        drift_ids: [params.drift_id],
      }),
  }),
  previewAdoptionOfMany: mutation({
    rest: 'POST /drift/adopt/preview',
    summary:
      'Show the edits that adopting several differences would draft, and compute what they would do to connections together. Nothing is drafted. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAdoptMany,
    output: DriftAdoption,
    problems: ['conflict', 'refused'],
    run: ({ scope, session, input }) =>
      previewAdoption(toDeciders(scope, session), session, impactReader(session), input),
  }),
  adopt: mutation({
    rest: 'POST /drift/{drift_id}/adopt',
    summary:
      'Draft a change that makes a difference the content of the policy, for all its workloads or as an exception for this one. Refused where policies cannot express it exactly. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAdopt,
    output: Change,
    status: 201,
    problems: ['conflict'],
    run: ({ scope, session, params, input }) =>
      adoptDrift(toDeciders(scope, session), session, { ...input, drift_ids: [params.drift_id] }),
  }),
  adoptMany: mutation({
    rest: 'POST /drift/adopt',
    summary:
      'Draft one change that makes several differences the content of their policies, for all their workloads or as exceptions. Each policy is edited once. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    input: DriftAdoptMany,
    output: Change,
    status: 201,
    problems: ['conflict'],
    run: ({ scope, session, input }) => adoptDrift(toDeciders(scope, session), session, input),
  }),
  withdraw: mutation({
    rest: 'DELETE /drift/{drift_id}/accept',
    summary: 'Withdraw the acceptance of a difference. Requires policy:apply as well.',
    access: { permission: 'policy:write' },
    run: ({ scope, session, params }) => withdrawDriftAcceptance(toDeciders(scope, session), params.drift_id),
  }),
});
