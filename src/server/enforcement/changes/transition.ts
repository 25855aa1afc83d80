import { SHARED_TITLE } from '@/domain/change/change';
import type { ChangeItem, GroupContent } from '@/domain/change/items';
import type { ChangeState } from '@/domain/change/states';
import { isTransition } from '@/domain/change/states';
import type { PolicySnapshot } from '@/domain/policies';
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

export type Acting = { readonly actor: Actor; readonly origin: Origin | null };

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

/** The answer to a step that a change in its state does not allow. @param step with its object, such as `apply it` */
export const refuseStep = ({ id, state }: Pick<ChangeRow, 'id' | 'state'>, step: string): AppError =>
  new AppError('conflict', `The change is ${NAMES[state]}, so you cannot ${step} now. Reload it.`, {
    extra: { reason: 'wrong_state', change_id: id, state },
  });

/** Publishes, when the transaction commits, that a change has other content, another state or made progress. */
export async function publishChange(tx: Executor, changeId: string): Promise<void> {
  for (const owner of await listChangeOwners(tx, changeId)) {
    await publishEvent(tx, { type: 'change.changed', change_id: changeId, ...owner });
  }
}

type Recorded = {
  readonly reason?: string;
  readonly state?: ChangeState;
  readonly edits?: readonly ChangeItem[];
  /** Acknowledged with the step. */
  readonly impact?: { readonly impact_id: string; readonly newly_blocked: number };
  /** Level at which rules are logged from then on, until the change is confirmed or rolled back. */
  readonly log_new_rules?: string;
};

/** What the audit trail of a tenant keeps of the edits of a change: those of the tenant, with the content on one side. */
const auditEdits = (tenantId: string | null, { edits, ...rest }: Recorded, side: 'before' | 'after') => ({
  ...rest,
  ...(edits && {
    edits: edits
      .filter(({ tenant_id }) => tenant_id === tenantId)
      .map((item) => ({
        kind: item.kind,
        name: item.name,
        ...(side in item &&
          (item as { before?: PolicySnapshot | GroupContent; after?: PolicySnapshot | GroupContent })[side]),
        ...('add' in item && { added: item.add }),
        ...('remove' in item && { removed: item.remove }),
        ...('workloads' in item && { workloads: item.workloads.map(({ id }) => id) }),
      })),
  }),
});

/**
 * Writes the audit record of a step of a change, one for each tenant concerned, so that its auditors see it. When it concerns
 * several, what was written about it may name the others, so only the auditors of the installation read it.
 */
export async function recordChange(
  tx: Tx,
  scope: Acting,
  { id, title, version, content_hash, managed_by }: ChangeRow,
  action: `change.${string}`,
  after: Recorded,
  before: Recorded = {},
): Promise<void> {
  const tenants = new Set((await listChangeOwners(tx, id)).map(({ tenant_id }) => tenant_id));
  for (const tenant_id of tenants) {
    const isShared = tenants.size > 1 && tenant_id !== null;
    const { reason, impact, ...kept } = after;
    await recordAudit(tx, scope, {
      action,
      object_kind: 'change',
      object_id: id,
      object_name: isShared ? SHARED_TITLE : title,
      tenant_id,
      before: auditEdits(tenant_id, before, 'before'),
      after: {
        version,
        content_hash,
        ...(managed_by && !isShared && { managed_by: managed_by.source, commit: managed_by.commit }),
        ...auditEdits(tenant_id, isShared ? kept : after, 'after'),
      },
    });
  }
}

type Step = Pick<Recorded, 'impact'> & {
  comment?: string;
  values?: Partial<NewChange>;
  log_new_rules?: ChangeRow['log_new_rules'];
};

/**
 * Moves a change to another state, with what the step stores, and writes history, audit record and event in the same
 * transaction. A request to apply it later ends, since it is for what the change is before. Call it last in the transaction.
 * @throws AppError `conflict` when the change may not go there, or another step came first
 */
export async function moveChange(
  tx: Tx,
  scope: Acting,
  change: ChangeRow,
  to: ChangeState,
  { comment = '', values = {}, impact, log_new_rules = null }: Step = {},
): Promise<ChangeRow> {
  if (!isTransition(change.state, to)) throw refuseState(change, to);
  const moved = await updateChangeIn(tx, change.id, change.state, { ...values, state: to, apply_request: null });
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
  await recordChange(
    tx,
    scope,
    moved,
    `change.${to}`,
    { reason: comment, state: to, ...(impact && { impact }), ...(log_new_rules !== null && { log_new_rules }) },
    { state: change.state },
  );
  return moved;
}
