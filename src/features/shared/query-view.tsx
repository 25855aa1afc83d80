'use client';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { loadLater } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { missingPermission } from './use-permissions';

/** Few ever see it: it is loaded when it is needed. */
const Forbidden = loadLater(() => import('./forbidden').then((module) => module.Forbidden));

type Props<T> = {
  query: { data: T | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  /** While nothing is known. */
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
};

/**
 * What a page shows of one thing: a skeleton, the error, or the thing. A refresh that fails keeps what is shown and says so;
 * one that finds the thing gone does not.
 */
export function QueryView<T>({ query, skeleton, children }: Props<T>) {
  const t = useT();
  const failure = query.error ? toFailure(query.error) : null;
  const retry = () => void query.refetch();
  const missing = failure && missingPermission(failure);
  if (missing) return <Forbidden permission={missing} />;
  if (failure && (query.data === undefined || failure.status === 404 || failure.status === 403)) {
    return (
      <ErrorState
        problem={failure}
        onRetry={retry}
        pending={query.isFetching}
        action={
          failure.status === 404 && (
            <Link className={buttonClass()} href={paths.home()}>
              {t('Go to the start page')}
            </Link>
          )
        }
      />
    );
  }
  if (query.data === undefined) return skeleton;
  return (
    <>
      {failure && (
        <Notice
          tone="danger"
          live
          title={t('Data may be out of date')}
          action={
            <Button size="sm" onClick={retry} pending={query.isFetching}>
              {t('Try again')}
            </Button>
          }
        >
          {failure.detail ?? failure.title}
        </Notice>
      )}
      {children(query.data)}
    </>
  );
}
