import { Activity } from 'lucide-react';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { usePermissions } from '../shared/use-permissions';

type Props = {
  live?: boolean;
  /** Since when what is listed is kept, if all of the range is older. */
  expired?: string | null;
  /** It is a list of totals. */
  totals?: boolean;
  /** The only workload that is asked for. */
  workloadId?: string | null;
};

/** What helps when there is no flow at all: a wider time, or agents that report.  */
export function NoFlows({ live = false, expired = null, totals = false, workloadId = null }: Props) {
  const t = useT();
  const { can } = usePermissions();
  return (
    <EmptyState
      icon={<Activity />}
      title={
        live ? t('No flows yet') : expired ? t('Flows in this time range expired') : t('No flows in this time range')
      }
      action={
        workloadId ? (
          <Link className={buttonClass()} href={paths.workload({ workloadId, tab: 'traffic' })}>
            {t('Why are there no flows?')}
          </Link>
        ) : (
          can('agent:read') && (
            <Link className={buttonClass()} href={paths.agents()}>
              {t('Show agents')}
            </Link>
          )
        )
      }
    >
      {live
        ? t('New flows appear here when agents report, usually within 30 seconds.')
        : expired && totals
          ? t(
              'Totals are not kept by address, search text or port above 32767. Remove these filters, or select a later time.',
            )
          : expired
            ? t('Individual flows are available since {time}. The chart and groups cover a longer period.', {
                time: formatDateTime(expired),
              })
            : t('Select a longer time range. Nodes without an agent report no flows.')}
    </EmptyState>
  );
}
