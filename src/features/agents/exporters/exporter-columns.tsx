import type { EXPORTER_STATES } from '@/domain/choices';
import type { FlowExporter } from '@/domain/collector/exporter';
import type { ExportProtocol } from '@/domain/collector/observation';
import { formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';

const make = createColumnHelper<FlowExporter>();

export type ExporterState = (typeof EXPORTER_STATES)[number];
export const STATE_LABELS: Record<ExporterState, string> = {
  off: msg('Off'),
  waiting: msg('Waiting'),
  receiving: msg('Receiving'),
  silent: msg('Stale'),
};
const STATE_TONES = { off: 'off', waiting: 'unknown', receiving: 'ok', silent: 'warn' } as const;

export const PROTOCOL_LABELS: Record<ExportProtocol, string> = {
  netflow9: 'NetFlow 9',
  ipfix: 'IPFIX',
  sflow: 'sFlow',
};

/** Numbers of what is missing stand out as soon as there is some. */
const loss = (name: 'lost' | 'dropped', header: string, options: { hidden?: boolean } = {}) =>
  make.custom(
    name,
    header,
    (exporter) => {
      const text = formatCount(exporter[name]);
      return exporter[name] > 0 ? <Badge tone="warn">{text}</Badge> : text;
    },
    { width: 115, align: 'end', csv: (exporter) => String(exporter[name]), ...options },
  );

export const exporterColumns = (t: Translate) => [
  make.text('name', t('Name'), ({ name }) => name, { sortable: true, width: 150, grow: true }),
  make.custom('state', t('State'), ({ state }) => <Status tone={STATE_TONES[state]}>{t(STATE_LABELS[state])}</Status>, {
    width: 120,
    csv: ({ state }) => t(STATE_LABELS[state]),
  }),
  make.text('address', t('Address'), ({ address }) => address, { sortable: true, width: 150 }),
  make.text('cluster_name', t('Cluster'), ({ cluster_name }) => cluster_name, { width: 130, hidden: true }),
  make.text('node_name', t('Node'), ({ node_name }) => node_name ?? t('None'), { width: 110 }),
  make.text('protocol', t('Protocol'), ({ protocol }) => (protocol === null ? null : PROTOCOL_LABELS[protocol]), {
    width: 110,
    hidden: true,
  }),
  make.number('stored', t('Records stored'), ({ stored }) => stored, { sample: '999,999,999' }),
  loss('lost', t('Lost')),
  loss('dropped', t('Not stored')),
  make.time('last_seen_at', t('Last seen'), ({ last_seen_at }) => last_seen_at, { sortable: true, none: t('Never') }),
  make.number('sampled', t('Sampled records'), ({ sampled }) => sampled, { hidden: true }),
  make.number('estimated', t('Records in estimates'), ({ estimated }) => estimated, { hidden: true }),
  make.number('records', t('Records'), ({ records }) => records, { hidden: true, sample: '999,999,999' }),
  make.time('updated_at', t('Changed'), ({ updated_at }) => updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), ({ created_at }) => created_at, { sortable: true, hidden: true }),
];
