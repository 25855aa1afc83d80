import Link from 'next/link';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';

/** For addresses that lead nowhere. */
export function PageNotFound() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Link className={buttonClass()} href={paths.home()}>
          Go to the start page
        </Link>
      }
    >
      The link may be old, or mistyped.
    </EmptyState>
  );
}
