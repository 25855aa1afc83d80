'use client';
import { useQuery } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { ConfirmCountdown } from './change-state';

/** More than a few at a time are found in the list. */
const SHOWN = 20;

/** On every page while the timer of a change of the reader runs: the time left, and the way to its page. */
export function AwaitingBanner() {
  const t = useT();
  const trpc = useTRPC();
  const pathname = usePathname();
  const session = useSession();
  const userId = session.status === 'signed_in' ? session.user.id : null;
  const { data } = useQuery(trpc.changes.list.queryOptions({ timer: 'running', limit: SHOWN }));
  const [first, ...others] = (data?.items ?? []).filter(
    ({ id, created_by }) => created_by.id === userId && pathname !== paths.change({ changeId: id }),
  );
  if (!first?.confirm_until) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-warn-soft px-4 py-1.5 print:hidden"
    >
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {t.rich('{title} is rolled back in {left} unless confirmed.', {
          title: <strong>{first.title}</strong>,
          left: <ConfirmCountdown until={first.confirm_until} />,
        })}{' '}
        {others.length > 0 &&
          t('{n, plural, one {# more change waits.} other {# more changes wait.}}', { n: others.length })}
      </p>
      <Link className={buttonClass({ size: 'sm' })} href={paths.change({ changeId: first.id })}>
        {t('Confirm or roll back')}
      </Link>
    </div>
  );
}
