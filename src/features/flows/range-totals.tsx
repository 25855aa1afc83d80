'use client';
import { HOUR_MS } from '@/domain/durations';
import { MINUTE_HOURS } from '@/domain/flow/plan-range';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { usePermissions } from '../shared/use-permissions';
import { GroupTable } from './group-table';
import type { FlowView, Narrowing } from './use-flow-view';

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

type Props = { view: FlowView; range: { since: string; until?: string }; onNarrow: (filter: Narrowing) => void };

const BY_PEER = 'workloads';
const BY_SERVICE = 'service';

/** Traffic of the whole range by peer and by service, from totals that outlive single flows. */
export function RangeTotals(props: Props) {
  const t = useT();
  return (
    <>
      <Section title={t('Peers')} description={t('Totals of the whole time range, by source and destination.')} bare>
        <GroupTable {...props} grouping={BY_PEER} height="auto" />
      </Section>
      <Section
        title={t('Services')}
        description={t('Totals of the whole time range, by server port and protocol.')}
        bare
      >
        <GroupTable {...props} grouping={BY_SERVICE} height="auto" />
      </Section>
    </>
  );
}
