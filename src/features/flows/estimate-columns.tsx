import type { FlowEstimate } from '@/domain/collector/estimate';
import { formatBytes, formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { WorkloadLink } from '../shared/entity-links';

const make = createColumnHelper<FlowEstimate>();

/** Estimated packets with their error: `≈ 640,000 ± 8 %`. Without a counted packet the error is unknown. */
export const formatPackets = (t: Translate, packets: number, error: number | null): string =>
  error === null
    ? t('≈ {amount}, error unknown', { amount: formatCount(packets) })
    : t('≈ {amount} ± {error} %', { amount: formatCount(packets), error: formatCount(error) });

/** Estimated bytes. Their error is larger than that of the packets by as much as these differ in size, which is not known. */
export const formatEstimatedBytes = (bytes: number): string => `≈ ${formatBytes(bytes)}`;

const formatNetwork = (t: Translate, row: FlowEstimate, end: 'source' | 'destination'): string => {
  if (row.is_other) return t('All other ends');
  const place = row[`${end}_external`] ? t('external') : t('internal');
  return [row[`${end}_network`], place].filter(Boolean).join(' ');
};

function End({ row, end }: { row: FlowEstimate; end: 'source' | 'destination' }) {
  const t = useT();
  const id = row[`${end}_workload_id`];
  if (id) return <WorkloadLink id={id} name={row[`${end}_workload_name`] ?? t('a workload')} />;
  return <span className={row.is_other ? 'text-muted' : 'mono'}>{formatNetwork(t, row, end)}</span>;
}

const makeEnd = (t: Translate, end: 'source' | 'destination', header: string) =>
  make.custom(end, header, (row) => <End row={row} end={end} />, {
    width: 220,
    grow: true,
    csv: (row) => row[`${end}_workload_name`] ?? formatNetwork(t, row, end),
  });

const formatService = ({ protocol, port }: FlowEstimate) => (port === null ? protocol : `${protocol}/${port}`);

/** Columns of the list of estimates: no estimated number without its sign. */
export const estimateColumns = (t: Translate) => [
  makeEnd(t, 'source', t('Source')),
  makeEnd(t, 'destination', t('Destination')),
  make.custom(
    'service',
    t('Service'),
    (row) => (row.protocol === null ? <Missing /> : <span className="mono">{formatService(row)}</span>),
    { width: 110, csv: formatService },
  ),
  make.custom('bytes', t('Bytes'), (row) => formatEstimatedBytes(row.bytes), {
    ...{ sortable: true, sortFirst: 'desc', width: 190, align: 'end' },
    csv: (row) => String(row.bytes),
  }),
  make.custom('packets', t('Packets'), (row) => formatPackets(t, row.packets, row.error_percent), {
    ...{ sortable: true, sortFirst: 'desc', width: 190, align: 'end' },
    csv: (row) => String(row.packets),
  }),
  make.number('samples', t('Sampled packets'), (row) => row.samples, { sortable: true }),
];
