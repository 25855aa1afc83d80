import { Change, ChangeCreate, ChangeListInput, ChangePage, ChangeStep, ChangeUpdate } from '@/domain/change/change';
import { ChangeDifference, ChangeDifferenceInput } from '@/domain/change/difference';
import { Impact, ImpactAgainInput } from '@/domain/impact/impact';
import { readDifference } from '../../enforcement/changes/compiled/read-difference';
import { createChange } from '../../enforcement/changes/draft/create-change';
import { updateChange } from '../../enforcement/changes/draft/update-change';
import { listChanges, readChange } from '../../enforcement/changes/read-change';
import { approveChange, rejectChange } from '../../enforcement/changes/review/decide-change';
import { submitChange, withdrawChange } from '../../enforcement/changes/review/submit-change';
import { expandAdoptions } from '../../enforcement/drift/expand-adoptions';
import { requestChangeImpact } from '../../enforcement/impact/request-impact';
import { operations, Waiting } from '../operation';
import { router } from '../trpc';
import { impactReader, toImpactResponse } from './impacts';

const { query, mutation } = operations('Changes');
/** Many policies with all their rules. */
const CHANGE_BYTES = 8 * 1024 * 1024;

export const changesRouter = router({
  list: query({
    rest: 'GET /changes',
    summary:
      'List changes, newest first. With policy_id, those that edit this policy; with workload_id, those that concern it.',
    access: { permission: 'policy:read' },
    input: ChangeListInput,
    output: ChangePage,
    run: ({ scope, input }) => listChanges(scope, input),
  }),
  create: mutation({
    rest: 'POST /changes',
    summary:
      'Create a change: a draft of edits that are reviewed, applied and rolled back as a whole. Nothing is applied.',
    access: { permission: 'policy:write' },
    input: ChangeCreate,
    output: Change,
    status: 201,
    problems: ['conflict', 'version_conflict', 'not_found'],
    maxBodyBytes: CHANGE_BYTES,
    run: async ({ scope, session, input }) =>
      createChange(scope, session, { ...input, items: await expandAdoptions(scope, session, input.items) }),
  }),
  get: query({
    rest: 'GET /changes/{change_id}',
    summary: 'Get one change with its edits, approvals, states and waves. Edits of other owners are only counted.',
    access: { permission: 'policy:read' },
    output: Change,
    run: ({ scope, session, params }) => readChange(scope, session, params.change_id),
  }),
  update: mutation({
    rest: 'PATCH /changes/{change_id}',
    summary: 'Edit a change. It becomes a draft again, and its approvals do not count any more.',
    access: { permission: 'policy:write' },
    input: ChangeUpdate,
    output: Change,
    maxBodyBytes: CHANGE_BYTES,
    problems: ['conflict'],
    run: async ({ scope, session, params, input: { items, ...fields } }) =>
      updateChange(scope, session, params.change_id, {
        ...fields,
        ...(items && { items: await expandAdoptions(scope, session, items) }),
      }),
  }),
  submit: mutation({
    rest: 'POST /changes/{change_id}/submit',
    summary: 'Submit a draft for review. Where no approval is required it is approved.',
    access: { permission: 'policy:write' },
    input: ChangeStep,
    output: Change,
    bodyOptional: true,
    run: ({ scope, session, params, input }) => submitChange(scope, session, params.change_id, input),
  }),
  approve: mutation({
    rest: 'POST /changes/{change_id}/approve',
    summary: 'Approve a change of other authors, for the owners for which you may.',
    access: { permission: 'change:approve' },
    input: ChangeStep,
    output: Change,
    bodyOptional: true,
    run: ({ scope, session, params, input }) => approveChange(scope, session, params.change_id, input),
  }),
  reject: mutation({
    rest: 'POST /changes/{change_id}/reject',
    summary: 'Reject a change of other authors. It can be edited and submitted again.',
    access: { permission: 'change:approve' },
    input: ChangeStep,
    output: Change,
    bodyOptional: true,
    run: ({ scope, session, params, input }) => rejectChange(scope, session, params.change_id, input),
  }),
  withdraw: mutation({
    rest: 'POST /changes/{change_id}/withdraw',
    summary: 'Withdraw a change that is not being applied.',
    access: { permission: 'policy:write' },
    input: ChangeStep,
    output: Change,
    bodyOptional: true,
    run: ({ scope, session, params, input }) => withdrawChange(scope, session, params.change_id, input),
  }),
  difference: query({
    rest: 'GET /changes/{change_id}/difference',
    summary:
      'Get what a change that is not applied yet would do to rules and switches, workload by workload, by what was last read, or with refresh=true by what is read now. Lists at most 200 workloads; the totals are of all.',
    access: { permission: 'policy:read' },
    input: ChangeDifferenceInput,
    output: ChangeDifference,
    problems: ['conflict', 'not_found'],
    run: ({ scope, params, input }) => readDifference(scope, params.change_id, input),
  }),
  impact: query({
    rest: 'GET /changes/{change_id}/impact',
    summary:
      'Compute what all edits of a change together would do to connections. The work continues in the background unless wait=true. The same question has the same impact.',
    access: { permission: 'policy:read' },
    input: ImpactAgainInput,
    output: Impact,
    status: 202,
    problems: ['refused'],
    run: ({ scope, session, params, input }) =>
      requestChangeImpact(scope, impactReader(session), params.change_id, input, { wait: false }),
    respond: {
      query: Waiting,
      finished: Impact,
      answer: async ({ scope, session, params, input }, { wait }, { signal }) => {
        const waiting = { wait: wait === 'true', signal };
        return toImpactResponse(
          await requestChangeImpact(scope, impactReader(session), params.change_id, input, waiting),
        );
      },
    },
  }),
});
