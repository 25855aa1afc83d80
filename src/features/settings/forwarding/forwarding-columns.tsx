import { FORWARDING_KINDS, FORWARDING_STREAMS, FORWARDING_TRANSPORTS } from '@/domain/choices';
import type { ForwardingDestination, ForwardingKind, ForwardingStream } from '@/domain/forwarding/destination';
import { formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';

const make = createColumnHelper<ForwardingDestination>();

export const KIND_LABELS: Record<ForwardingKind, string> = {
  syslog: msg('Syslog (RFC 5424)'),
  json: msg('JSON lines'),
  http: msg('JSON over HTTP'),
  ipfix: msg('IPFIX over UDP'),
};
export const STREAM_LABELS: Record<ForwardingStream, string> = {
  audit: msg('Audit records'),
  conversations: msg('Conversations'),
};
const TRANSPORT_LABELS = { tls: msg('TLS'), tcp: msg('TCP without encryption') } as const;

export const kindOptions = (t: Translate) => FORWARDING_KINDS.map((value) => ({ value, label: t(KIND_LABELS[value]) }));
export const streamOptions = (t: Translate) =>
  FORWARDING_STREAMS.map((value) => ({ value, label: t(STREAM_LABELS[value]) }));
export const transportOptions = (t: Translate) =>
  FORWARDING_TRANSPORTS.map((value) => ({ value, label: t(TRANSPORT_LABELS[value]) }));

/** Where a destination is, as it may be shown. */
const formatTarget = ({ host, port, url_origin }: ForwardingDestination): string =>
  url_origin ?? `${host?.includes(':') ? `[${host}]` : host}:${port}`;

/** The streams that are sent now. */
const listActive = ({ progress, streams }: ForwardingDestination) =>
  progress.filter(({ stream }) => streams.includes(stream));

type Counter = 'sent' | 'waiting' | 'lost';
const sum = (destination: ForwardingDestination, name: Counter): number =>
  listActive(destination).reduce((total, one) => total + one[name], 0);

/** Times sort as text. */
const findLastSent = (destination: ForwardingDestination): string | null =>
  destination.progress.reduce<string | null>(
    (last, { last_sent_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );

/** Why records wait; null: nothing failed. */
export const findError = (destination: ForwardingDestination): string | null =>
  listActive(destination).find(({ last_error }) => last_error !== null)?.last_error ?? null;

/** With a sign when more may be lost than was counted. */
const formatLost = (destination: ForwardingDestination): string =>
  `${listActive(destination).every(({ is_lost_exact }) => is_lost_exact) ? '' : '≥ '}${formatCount(sum(destination, 'lost'))}`;

function formatState(t: Translate, destination: ForwardingDestination): string {
  if (!destination.enabled) return t('Off');
  return findError(destination) === null ? t('On') : t('Failing');
}

export const forwardingColumns = (t: Translate) => [
  make.text('name', t('Name'), ({ name }) => name, { sortable: true, width: 150, grow: true }),
  make.custom(
    'enabled',
    t('State'),
    (destination) => {
      const text = formatState(t, destination);
      if (!destination.enabled) return <Status tone="off">{text}</Status>;
      return <Status tone={findError(destination) === null ? 'ok' : 'danger'}>{text}</Status>;
    },
    { width: 100, csv: (destination) => formatState(t, destination) },
  ),
  make.custom(
    'lost',
    t('Lost'),
    (destination) => {
      const text = formatLost(destination);
      return sum(destination, 'lost') > 0 ? <Badge tone="warn">{text}</Badge> : text;
    },
    { width: 115, align: 'end', csv: formatLost },
  ),
  make.number('waiting', t('Waiting'), (destination) => sum(destination, 'waiting')),
  make.text('last_error', t('Last error'), findError, { width: 210, grow: true }),
  make.time('last_sent_at', t('Last sent'), findLastSent, { none: t('Never') }),
  make.number('sent', t('Sent'), (destination) => sum(destination, 'sent'), { sample: '999,999,999', hidden: true }),
  make.text('target', t('{sense, select, other {To}}', { sense: 'receiver' }), formatTarget, {
    width: 210,
    grow: true,
  }),
  make.text('kind', t('Kind'), ({ kind }) => t(KIND_LABELS[kind]), { sortable: true, width: 145, hidden: true }),
  make.text('streams', t('Records'), ({ streams }) => streams.map((one) => t(STREAM_LABELS[one])).join(', '), {
    width: 170,
    hidden: true,
  }),
  make.text('tenant_name', t('Tenant'), ({ tenant_name }) => tenant_name ?? t('Whole installation'), {
    width: 150,
    hidden: true,
  }),
  make.time('updated_at', t('Changed'), ({ updated_at }) => updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), ({ created_at }) => created_at, { sortable: true, hidden: true }),
];
