'use client';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import type { Failure } from '@/lib/problem';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { loadLater } from '@/ui/load-on-opening';
import { findProposedChange } from './proposed-change';

const ApprovalRequired = loadLater(() => import('./approval-required').then((module) => module.ApprovalRequired));

type Refused = { failure: Failure | null };

/** The change that has to be confirmed or rolled back before something can be stored or applied; null for other failures. */
function findBlockingChange(failure: Failure | null): string | null {
  if (failure?.extra?.reason !== 'change_in_progress') return null;
  const { change_id: id } = failure.extra;
  return typeof id === 'string' ? id : null;
}

/** Leads from a refusal to the change that causes it. Nothing for other failures. */
export function OpenBlockingChange({ failure }: Refused) {
  const t = useT();
  const changeId = findBlockingChange(failure);
  if (changeId === null) return null;
  return (
    <Link className={buttonClass({ size: 'sm' })} href={paths.change({ changeId })}>
      {t('Open change')}
    </Link>
  );
}

/** The way on from a refusal: the change to submit where approval is required, or the change in the way. Nothing for other failures. */
export function ChangeRefusal({ failure }: Refused) {
  const proposed = findProposedChange(failure);
  if (failure && proposed) return <ApprovalRequired failure={failure} proposed={proposed} />;
  return <OpenBlockingChange failure={failure} />;
}
