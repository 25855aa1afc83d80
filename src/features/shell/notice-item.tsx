'use client';
import { Check } from 'lucide-react';
import type { Notification } from '@/domain/notifications/notification';
import { objectPage } from '@/domain/notifications/object-page';
import { formatTimesIn } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { IconButton } from '@/ui/button';
import { Link } from '@/ui/link';
import { RelativeTime } from '@/ui/values';
import { EVENT_LABELS } from '../shared/notification-labels';

type Props = {
  notice: Notification;
  onRead: () => void;
  onNavigate: () => void;
  /** May see the list of incidents, to which a notice about several leads. */
  mayManage: boolean;
};

/** Where a notice leads; null when there is nothing to look at. */
function findNoticePage({ condition, items, items_total }: Notification, mayManage: boolean): string | null {
  const [only] = items;
  if (only && items_total === 1) return objectPage({ ...only, condition: condition ?? undefined });
  // Of several policies, the newest difference.
  if (condition === 'policy_drifted' && items_total > 0) return paths.drift({ status: 'open', drift: 'newest' });
  return mayManage && items_total > 0 ? paths.notifications() : null;
}

/** One notice: what happened, when, and the way to it. */
export function NoticeItem({ notice, onRead, onNavigate, mayManage }: Props) {
  const t = useT();
  const { word, tone } = EVENT_LABELS[notice.event];
  const page = findNoticePage(notice, mayManage);
  const title = <span className={notice.unread ? 'font-semibold' : undefined}>{notice.title}</span>;
  return (
    <li className="flex gap-2 p-3">
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2 text-sm text-faint">
          <Badge tone={tone}>{t(word)}</Badge>
          <RelativeTime at={notice.created_at} />
          {notice.unread && <span className="sr-only">{t('Unread')}</span>}
        </div>
        <p className="[overflow-wrap:anywhere]">
          {page === null ? (
            title
          ) : (
            <Link
              className="link"
              href={page}
              onClick={() => {
                onRead();
                onNavigate();
              }}
            >
              {title}
            </Link>
          )}
        </p>
        <p className="text-sm text-pretty whitespace-pre-line text-muted [overflow-wrap:anywhere]">
          {formatTimesIn(notice.detail)}
        </p>
      </div>
      {notice.unread && (
        <IconButton
          size="sm"
          label={t('Mark as read: {title}', { title: notice.title })}
          icon={<Check size={14} />}
          onClick={onRead}
        />
      )}
    </li>
  );
}
