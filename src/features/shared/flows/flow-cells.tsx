import type { Flow } from '@/domain/flow/flow';
import { isExternal } from '@/domain/flow/flow-end';
import { formatDateTime, formatInOtherZone, formatRelative } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { otherForms } from '@/ui/values';
import { WorkloadLink } from '../entity-links';
import { endText } from './flow-labels';

/** One end of a flow: the guest, if it is known, and the address. */
export function FlowEnd({ flow, end }: { flow: Flow; end: 'source' | 'destination' }) {
  const t = useT();
  const id = flow[`${end}_workload_id`];
  const name = flow[`${end}_workload_name`];
  const address = endText(flow[`${end}_ip`], flow[`${end}_port`]);
  return (
    <span className="flex min-w-0 items-baseline gap-1.5" title={flow[`${end}_label`]}>
      {id && name && (
        <span className="min-w-0 shrink truncate">
          <WorkloadLink id={id} name={name} />
        </span>
      )}
      <span className="mono shrink-0">{address}</span>
      {isExternal(flow[`${end}_label`]) && <span className="shrink-0 text-sm text-faint">{t('external')}</span>}
    </span>
  );
}

/** When a flow was seen, to the second, to distinguish flows within a minute. Shows the date for other days. */
export function FlowTime({ at }: { at: string }) {
  const t = useT();
  const text = formatDateTime(at);
  const now = Date.now();
  const today = formatDateTime(new Date(now).toISOString()).slice(0, 10);
  return (
    <time
      dateTime={at}
      title={otherForms('', [text, formatInOtherZone(at), formatRelative(t, at, now)])}
      className="tabular-nums"
    >
      {text.startsWith(today) ? text.slice(11, 19) : text.slice(5, 19)}
    </time>
  );
}

/** With what every list of flows begins: when it was seen, from where, to where. @param width of each end */
export function flowEndColumns<F extends Flow>(t: Translate, width: number) {
  const make = createColumnHelper<F>();
  return [
    make.custom('observed_at', t('Last seen'), (flow) => <FlowTime at={flow.observed_at} />, {
      sortable: true,
      sortFirst: 'desc',
      width: 112,
      csv: (flow) => flow.observed_at,
    }),
    make.custom('source_ip', t('Source'), (flow) => <FlowEnd flow={flow} end="source" />, {
      sortable: true,
      width,
      grow: true,
      csv: (flow) => flow.source_ip,
    }),
    make.custom('destination_ip', t('Destination'), (flow) => <FlowEnd flow={flow} end="destination" />, {
      sortable: true,
      width,
      grow: true,
      csv: (flow) => flow.destination_ip,
    }),
  ];
}
