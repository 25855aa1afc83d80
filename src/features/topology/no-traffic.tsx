'use client';
import { Activity } from 'lucide-react';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { usePermissions } from '../shared/use-permissions';
import type { TopologyState } from './use-topology-view';

/** What helps when there is nothing to draw. @param expired since when traffic is kept, if all of the time range is older */
export function NoTraffic({ view, expired }: { view: TopologyState; expired: string | null }) {
  const t = useT();
  const { can } = usePermissions();
  const { narrowed } = view;
  if (expired) {
    return (
      <EmptyState icon={<Activity />} title={t('Traffic data has expired')}>
        {t('Traffic data is available since {time}.', { time: formatDateTime(expired) })}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Activity />}
      title={narrowed ? t('No traffic for these filters') : t('No traffic in this time range')}
      action={
        narrowed ? (
          <Button onClick={view.clearFilters}>{t('Clear filters')}</Button>
        ) : (
          can('agent:read') && (
            <Link className={buttonClass()} href={paths.agents()}>
              {t('Show agents')}
            </Link>
          )
        )
      }
    >
      {t('Select a longer time range. Nodes without an agent report no traffic.')}
    </EmptyState>
  );
}
