'use client';
import { useT } from '@/lib/i18n/use-t';
import { Section } from '@/ui/section';
import { GroupTable } from './group-table';
import type { FlowView, Narrowing } from './use-flow-view';

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
