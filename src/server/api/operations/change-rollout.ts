import { Change, ChangeApply, ChangePolicyApply, ChangeStep } from '@/domain/change/change';
import { ChangeRecord } from '@/domain/change/record';
import { ChangeUndo } from '@/domain/change/undo-commands';
import { ChangeWatch } from '@/domain/change/watch';
import { authorizeIfGranted, type Scope, type Session } from '../../auth/scope';
import { readChange } from '../../enforcement/changes/read-change';
import { readChangeRecord } from '../../enforcement/changes/record/read-record';
import { awaitRollout } from '../../enforcement/changes/rollout/advance-change';
import { applyChange } from '../../enforcement/changes/rollout/apply-change';
import { applyPolicyAsChange } from '../../enforcement/changes/rollout/apply-policy';
import { confirmChange, continueChange, rollBackChange } from '../../enforcement/changes/rollout/decide-change';
import { readUndoCommands } from '../../enforcement/changes/rollout/read-undo-commands';
import { revertChange } from '../../enforcement/changes/rollout/revert-change';
import { readWatch } from '../../enforcement/changes/watch/read-watch';
import { operations, Waiting } from '../operation';
import { router } from '../trpc';
import { impactReader } from './impacts';

const { query, mutation } = operations('Changes');

const applyRights = (session: Session) => ({
  read: authorizeIfGranted(session, 'policy_test:read')?.reach ?? null,
  override: authorizeIfGranted(session, 'policy_test:override'),
  protect: authorizeIfGranted(session, 'policy_test:protect'),
  breakGlass: authorizeIfGranted(session, 'change:break_glass'),
  impact: impactReader(session),
});

type Call = { scope: Scope<'policy:apply'>; session: Session };
type Wait = { wait?: string | undefined };

/** 202 while workers continue, 200 once the change waits for people or has ended. */
async function answerWhenDone({ scope, session }: Call, id: string, { wait }: Wait, signal: AbortSignal) {
  const done = wait === 'true' && (await awaitRollout(id, signal));
  const change = await readChange(scope, session, id);
  return done ? Response.json(change, { status: 200, headers: { 'cache-control': 'no-store' } }) : change;
}

const step = { access: { permission: 'policy:apply' }, input: ChangeStep, output: Change, bodyOptional: true } as const;

export const changeRolloutRouter = router({
  applyPolicy: mutation({
    rest: 'POST /changes/apply-policy',
    summary:
      'Apply a policy as it is stored, as a change of its own that waits for its confirmation. With the fingerprints of a preview, applies only what the preview showed. Returns 409 with a reason when workloads differ from the preview or the impact is not acknowledged, with failing_tests when policy tests would fail, and with the change to submit where approval is required.',
    access: { permission: 'policy:apply' },
    input: ChangePolicyApply,
    output: Change,
    status: 202,
    problems: ['conflict', 'version_conflict', 'not_found', 'refused'],
    run: async ({ scope, session, input }) =>
      readChange(scope, session, await applyPolicyAsChange(scope, session, input, applyRights(session))),
    respond: {
      query: Waiting,
      finished: Change,
      answer: async ({ scope, session, input }, wait, { signal }) => {
        const id = await applyPolicyAsChange(scope, session, input, applyRights(session));
        return answerWhenDone({ scope, session }, id, wait, signal);
      },
    },
  }),
  applyChange: mutation({
    rest: 'POST /changes/{change_id}/apply',
    summary:
      'Apply an approved change: store its edits as versions and write them wave by wave. One that is scheduled starts at its time. Returns 409 with conflicts when someone else stored a newer version, with failing_tests when policy tests would fail, and with a reason when the impact is not acknowledged, an approval no longer holds, or maintenance windows are closed.',
    access: { permission: 'policy:apply' },
    input: ChangeApply,
    output: Change,
    status: 202,
    bodyOptional: true,
    problems: ['conflict', 'version_conflict'],
    run: async ({ scope, session, params, input }) => {
      await applyChange(scope, params.change_id, input, applyRights(session));
      return readChange(scope, session, params.change_id);
    },
    respond: {
      query: Waiting,
      finished: Change,
      answer: async (call, wait, { signal }) => {
        await applyChange(call.scope, call.params.change_id, call.input, applyRights(call.session));
        return answerWhenDone(call, call.params.change_id, wait, signal);
      },
    },
  }),
  continue: mutation({
    rest: 'POST /changes/{change_id}/continue',
    summary:
      'Continue with the next wave of a change that waits after its canaries or stopped because workloads failed. Failed workloads are tried once more.',
    ...step,
    status: 202,
    problems: ['conflict', 'version_conflict'],
    run: async ({ scope, session, params, input }) => {
      await continueChange(scope, params.change_id, input);
      return readChange(scope, session, params.change_id);
    },
    respond: {
      query: Waiting,
      finished: Change,
      answer: async (call, wait, { signal }) => {
        await continueChange(call.scope, call.params.change_id, call.input);
        return answerWhenDone(call, call.params.change_id, wait, signal);
      },
    },
  }),
  confirm: mutation({
    rest: 'POST /changes/{change_id}/confirm',
    summary:
      'Confirm an applied change. It is then kept, and its timer ends. A change that waits after its canaries or a failure keeps waiting without a timer.',
    ...step,
    problems: ['conflict', 'version_conflict'],
    run: async ({ scope, session, params, input }) => {
      await confirmChange(scope, params.change_id, input);
      return readChange(scope, session, params.change_id);
    },
  }),
  rollBack: mutation({
    rest: 'POST /changes/{change_id}/roll-back',
    summary:
      'Roll an applied change back: store the former content as new versions and write every touched workload again. Edits that others made since stay.',
    ...step,
    status: 202,
    problems: ['conflict', 'version_conflict'],
    run: async ({ scope, session, params, input }) => {
      await rollBackChange(scope, params.change_id, input);
      return readChange(scope, session, params.change_id);
    },
    respond: {
      query: Waiting,
      finished: Change,
      answer: async (call, wait, { signal }) => {
        await rollBackChange(call.scope, call.params.change_id, call.input);
        return answerWhenDone(call, call.params.change_id, wait, signal);
      },
    },
  }),
  revert: mutation({
    rest: 'POST /changes/{change_id}/revert',
    summary: 'Draft the change that takes a confirmed change back. It has its own review and impact.',
    access: { permission: 'policy:write' },
    output: Change,
    status: 201,
    problems: ['conflict'],
    run: async ({ scope, session, params }) =>
      readChange(scope, session, await revertChange(scope, session, params.change_id)),
  }),
  watch: query({
    rest: 'GET /changes/{change_id}/watch',
    summary:
      'Get what is observed since a change was written: policy tests, agents, and conversations that were opened again, are still on old entries, dropped or silent.',
    access: { permission: 'policy:read' },
    output: ChangeWatch,
    run: ({ scope, session, params }) =>
      readWatch(scope, params.change_id, {
        tests: authorizeIfGranted(session, 'policy_test:read')?.reach ?? null,
        flows: authorizeIfGranted(session, 'flow:read')?.reach ?? null,
        agents: authorizeIfGranted(session, 'agent:read') !== null,
      }),
  }),
  record: query({
    rest: 'GET /changes/{change_id}/record',
    summary:
      'Get everything about a change in one document: who decided what and when, differences, impact, tests before and after, the outcome at every workload, and the hash of the audit chain.',
    access: { permission: 'policy:read' },
    output: ChangeRecord,
    run: ({ scope, session, params }) =>
      readChangeRecord(scope, session, params.change_id, {
        impact: impactReader(session),
        audit: authorizeIfGranted(session, 'audit:read')?.tenants ?? null,
      }),
  }),
  undoCommands: query({
    rest: 'GET /changes/{change_id}/undo-commands',
    summary:
      'Get commands that give workloads of the last wave, which Fabric itself needs, their former firewall when Fabric cannot be reached. A person runs them on a node.',
    access: { permission: 'policy:apply' },
    output: ChangeUndo,
    run: ({ scope, params }) => readUndoCommands(scope, params.change_id),
  }),
});
