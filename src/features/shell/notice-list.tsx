'use client';
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { BellOff } from 'lucide-react';
import type { MarkNotificationsRead, Notification } from '@/domain/notifications/notification';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { showToast } from '@/ui/toast';
import { usePermissions } from '../shared/use-permissions';
import { NoticeItem } from './notice-item';

const PAGE_ROWS = 30;

function useMarkRead() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const mark = useMutation(
    trpc.notifications.markRead.mutationOptions({
      onSuccess: (unread) => queryClient.setQueryData(trpc.notifications.unread.queryKey(), unread),
      onError: (error) => {
        const failure = toFailure(error);
        showToast('danger', { title: t('Could not mark as read'), description: failure.detail ?? failure.title });
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.notifications.pathFilter()),
    }),
  );
  return { mark: (input: MarkNotificationsRead) => mark.mutate(input), pending: mark.isPending };
}

/** One's notices, newest first. What is followed counts as read. */
export function NoticeList({ onNavigate }: { onNavigate: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { can, reason } = usePermissions();
  const mayMark = can('notification:mark');
  const { mark, pending } = useMarkRead();
  const query = useInfiniteQuery({
    queryKey: [trpc.notifications.list.pathKey()[0], { type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      client.notifications.list.query(
        { limit: PAGE_ROWS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <Skeleton className="h-64" />;
  if (query.error && !query.data) {
    return (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
    );
  }
  const notices: Notification[] = query.data?.pages.flatMap((page) => page.items) ?? [];
  const newest = notices[0];
  const anyUnread = notices.some(({ unread }) => unread);
  const manage = can('notification:read') && (
    <Link className="link" href={paths.notifications()} onClick={onNavigate}>
      {t('Incidents and rules')}
    </Link>
  );
  if (!newest) {
    return (
      <EmptyState icon={<BellOff />} title={t('No notifications')} action={manage}>
        {t('What notification rules report about things that you may see appears here.')}
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        {manage || <span />}
        <Button
          size="sm"
          pending={pending}
          disabledReason={reason('notification:mark') ?? (!anyUnread && t('All shown notifications are read'))}
          onClick={() => mark({ through: newest.id })}
        >
          {t('Mark all as read')}
        </Button>
      </div>
      <ul className="flex flex-col divide-y rounded-lg border">
        {notices.map((notice) => (
          <NoticeItem
            key={notice.id}
            notice={notice}
            onRead={() => mayMark && notice.unread && mark({ ids: [notice.id] })}
            onNavigate={onNavigate}
            mayManage={can('notification:read')}
          />
        ))}
      </ul>
      {query.hasNextPage && (
        <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('Show older')}
        </Button>
      )}
    </div>
  );
}
