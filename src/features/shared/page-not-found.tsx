'use client';
import Link from 'next/link';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';

/** For addresses that lead nowhere. */
export function PageNotFound() {
  const t = useT();
  return (
    <EmptyState
      title={t('There is no such page')}
      action={
        <Link className={buttonClass()} href={paths.home()}>
          {t('Go to the start page')}
        </Link>
      }
    >
      {t('The link may be old, or mistyped.')}
    </EmptyState>
  );
}
