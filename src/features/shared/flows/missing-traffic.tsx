'use client';
import { HOUR_MS } from '@/domain/durations';
import { MINUTE_HOURS } from '@/domain/flow/plan-range';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { usePermissions } from '../use-permissions';

/** How long single flows are kept, by the setting, with a link to it. */
export function RetentionNotice({ hours, since }: { hours: number; since: string }) {
  const t = useT();
  const { can } = usePermissions();
  const isHourly = Date.parse(since) < Date.now() - MINUTE_HOURS * HOUR_MS;
  return (
    <Notice
      title={
        isHourly
          ? t('Single flows are kept for {hours, number} h; hourly totals follow', { hours })
          : t('Single flows are kept for {hours, number} h; totals follow', { hours })
      }
      action={
        can('*') && (
          <Link className={buttonClass({ size: 'sm' })} href={paths.settings({ section: 'flow-retention' })}>
            {t('Change retention')}
          </Link>
        )
      }
    />
  );
}

/** What a list lacks that begins before all flows have been moved from another store. @param until as the answer has it */
export function MovingNotice({ until, since }: { until: string | null | undefined; since: string }) {
  const t = useT();
  if (!until || Date.parse(since) >= Date.parse(until)) return null;
  return (
    <Notice tone="warn" title={t('Traffic before {time} is not complete', { time: formatDateTime(until) })}>
      {t('It is being moved from another store, day by day, the newest first. Nothing is lost.')}
    </Notice>
  );
}
