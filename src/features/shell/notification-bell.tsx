'use client';
import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { MOST_UNREAD } from '@/domain/page-limits';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { useTRPC } from '@/lib/trpc';
import { IconButton } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { loadLater } from '@/ui/load-on-opening';

function Loading() {
  const t = useT();
  return <p className="text-muted">{t('Loading')}</p>;
}

// Most visits to a page never open it.
const NoticeList = loadLater(() => import('./notice-list').then((module) => module.NoticeList), <Loading />);

/** Asked this often while no events arrive. */
const POLL_MS = 60_000;

const countText = (unread: number) => (unread >= MOST_UNREAD ? `${MOST_UNREAD - 1}+` : String(unread));

/** How many notices are unread, and the notices when it is pressed. */
export function NotificationBell() {
  const t = useT();
  const trpc = useTRPC();
  const live = useIsLive();
  const [open, setOpen] = useState(false);
  const { data } = useQuery({
    ...trpc.notifications.unread.queryOptions(),
    refetchInterval: live ? false : POLL_MS,
  });
  const unread = data?.unread ?? 0;
  return (
    <>
      <span className="relative">
        <IconButton
          label={unread === 0 ? t('Notifications') : t('Notifications, {count} unread', { count: countText(unread) })}
          icon={<Bell size={16} />}
          onClick={() => setOpen(true)}
        />
        {unread > 0 && (
          <span
            aria-hidden
            className="pointer-events-none absolute -top-0.5 -right-1 flex h-4 min-w-4 items-center justify-center rounded-full bg-danger-mark px-1 text-[0.625rem] leading-none font-semibold text-on-solid tabular-nums"
          >
            {countText(unread)}
          </span>
        )}
      </span>
      <Drawer open={open} onOpenChange={setOpen} title={t('Notifications')}>
        <NoticeList onNavigate={() => setOpen(false)} />
      </Drawer>
    </>
  );
}
