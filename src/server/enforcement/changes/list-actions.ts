import type { Change } from '@/domain/change/change';
import { type ChangeState, EDITABLE_STATES, isTransition } from '@/domain/change/states';
import { computeReach, type Owned } from '@/domain/permissions';
import type { Session } from '../../auth/scope';
import type { ChangeReviewRow, ChangeRow } from '../queries/changes';
import { isPermittedAtAll, listCoveredTenants, mayWriteChange } from './change-access';

type Action = Change['actions'][number];

/** States in which a change is stored and something of it can go on. */
const UNDER_WAY: readonly ChangeState[] = ['applying', 'failed'];

/** States from which a change can be applied without the approvals that it lacks. */
const UNAPPROVED: readonly ChangeState[] = ['draft', 'in_review'];

/** What the caller may do with a change now. Each call checks it again. */
export function listActions(
  session: Session,
  row: ChangeRow,
  owners: readonly Owned[],
  reviews: readonly ChangeReviewRow[],
  { isReverted, isApproved }: { readonly isReverted: boolean; readonly isApproved: boolean },
): Action[] {
  const { id } = session.user;
  const { state } = row;
  const isAuthor = row.author_ids.includes(id);
  const mayWrite = mayWriteChange(session, row, owners);
  const mayApply = isPermittedAtAll(session, 'policy:apply', owners);
  const mayBreakGlass = isPermittedAtAll(session, 'change:break_glass', owners);
  const mayReview = !isAuthor && listCoveredTenants(owners, computeReach(session.grants, 'change:approve')).length > 0;
  const hasApproved = reviews.some(
    ({ actor_id, decision, revoked }) => actor_id === id && decision === 'approve' && revoked === null,
  );
  const permitted: Record<Action, boolean> = {
    edit: mayWrite && EDITABLE_STATES.some((one) => one === state),
    submit: mayWrite && state === 'draft',
    approve: mayReview && state === 'in_review' && !hasApproved,
    reject: mayReview && state === 'in_review',
    withdraw: (mayWrite || isAuthor) && isTransition(state, 'withdrawn'),
    apply: mayApply && state === 'approved',
    break_glass: mayApply && mayBreakGlass && !isApproved && UNAPPROVED.includes(state),
    continue: mayApply && UNDER_WAY.includes(state),
    confirm: mayApply && row.confirm_until !== null,
    roll_back: mayApply && isTransition(state, 'rolling_back'),
    revert: mayWrite && state === 'confirmed' && !isReverted,
  };
  return (Object.keys(permitted) as Action[]).filter((action) => permitted[action]);
}
