'use client';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import type { Failure } from '@/lib/problem';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';

/** The change that has to be confirmed or rolled back before something can be stored or applied; null for other failures. */
export function findBlockingChange(failure: Pick<Failure, 'extra'> | null): string | null {
  if (failure?.extra?.reason !== 'change_in_progress') return null;
  const { change_id: id } = failure.extra;
  return typeof id === 'string' ? id : null;
}

/** Leads from a refusal to the change that causes it. Nothing for other failures. */
export function OpenBlockingChange({ failure }: { failure: Pick<Failure, 'extra'> | null }) {
  const t = useT();
  const changeId = findBlockingChange(failure);
  if (changeId === null) return null;
  return (
    <Link className={buttonClass({ size: 'sm' })} href={paths.change({ changeId })}>
      {t('Open change')}
    </Link>
  );
}
