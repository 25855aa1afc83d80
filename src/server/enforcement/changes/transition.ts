import type { ChangeState } from '@/domain/change/states';
import { isTransition } from '@/domain/change/states';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin } from '../../auth/scope';
import type { Executor, Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import {
  type ChangeRow,
  insertChangeTransition,
  listChangeOwners,
  type NewChange,
  updateChangeIn,
} from '../queries/changes';

type Acting = { readonly actor: Actor; readonly origin: Origin | null };

const NAMES: Record<ChangeState, string> = {
  draft: 'a draft',
  in_review: 'in review',
  approved: 'approved',
  applying: 'being applied',
  awaiting_confirmation: 'awaiting confirmation',
  confirmed: 'confirmed',
  rejected: 'rejected',
  withdrawn: 'withdrawn',
  rolling_back: 'being rolled back',
  rolled_back: 'rolled back',
  failed: 'stopped after a failure',
};

const refuseState = ({ id, state }: Pick<ChangeRow, 'id' | 'state'>, to: ChangeState): AppError =>
  new AppError('conflict', `The change is ${NAMES[state]} and cannot become ${NAMES[to]}. Reload it.`, {
    extra: { reason: 'wrong_state', change_id: id, state },
  });

/** The answer to a step that a change in its state does not allow. */
export const refuseStep = ({ id, state }: Pick<ChangeRow, 'id' | 'state'>, step: string): AppError =>
  new AppError('conflict', `The change is ${NAMES[state]}, so you cannot ${step} it now. Reload it.`, {
    extra: { reason: 'wrong_state', change_id: id, state },
  });

/** Publishes, when the transaction commits, that a change has other content, another state or made progress. */
export async function publishChange(tx: Executor, changeId: string): Promise<void> {
  for (const owner of await listChangeOwners(tx, changeId)) {
    await publishEvent(tx, { type: 'change.changed', change_id: changeId, ...owner });
  }
}

/** Writes the audit record of a step of a change, one for each tenant concerned, so that its auditors see it. */
export async function recordChange(
  tx: Tx,
  scope: Acting,
  { id, title, version, content_hash }: ChangeRow,
  action: `change.${string}`,
  after: { readonly reason?: string; readonly state?: ChangeState },
  before: { readonly state?: ChangeState } = {},
): Promise<void> {
  const tenants = new Set((await listChangeOwners(tx, id)).map(({ tenant_id }) => tenant_id));
  for (const tenant_id of tenants) {
    await recordAudit(tx, scope, {
      action,
      object_kind: 'change',
      object_id: id,
      object_name: title,
      tenant_id,
      before,
      after: { version, content_hash, ...after },
    });
  }
}

/**
 * Moves a change to another state, with what the step stores, and writes history, audit record and event in the same
 * transaction. Call it last in the transaction.
 * @throws AppError `conflict` when the change may not go there, or another step came first
 */
export async function moveChange(
  tx: Tx,
  scope: Acting,
  change: ChangeRow,
  to: ChangeState,
  { comment = '', values = {} }: { comment?: string; values?: Partial<NewChange> } = {},
): Promise<ChangeRow> {
  if (!isTransition(change.state, to)) throw refuseState(change, to);
  const moved = await updateChangeIn(tx, change.id, change.state, { ...values, state: to });
  if (!moved) throw refuseState(change, to);
  const { actor } = scope;
  await insertChangeTransition(tx, {
    change_id: change.id,
    from: change.state,
    to,
    actor_id: actor.kind === 'user' ? actor.id : null,
    actor_name: actor.name,
    comment,
  });
  await publishChange(tx, change.id);
  await recordChange(tx, scope, moved, `change.${to}`, { reason: comment, state: to }, { state: change.state });
  return moved;
}
