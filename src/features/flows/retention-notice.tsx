'use client';
import { HOUR_MS } from '@/domain/durations';
import { MINUTE_HOURS } from '@/domain/flow/plan-range';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { usePermissions } from '../shared/use-permissions';

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
