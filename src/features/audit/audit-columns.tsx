import type { Translate } from '@/lib/i18n/translator';
import type { RouterOutputs } from '@/lib/trpc';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { ACTOR_KIND_LABELS, actionText, objectKindText } from './audit-labels';

/** A record as it arrives in the browser. */
export type AuditRow = RouterOutputs['audit']['get'];

const make = createColumnHelper<AuditRow>();

export const auditColumns = (t: Translate) => [
  make.time('at', t('Time'), (record) => record.at, { sortable: true }),
  make.text('action', t('Action'), (record) => actionText(t, record.action), { width: 220 }),
  make.text('object_name', t('Object'), (record) => record.object_name ?? record.object_id, {
    grow: true,
    width: 180,
    render: (record) =>
      record.object_name || record.object_id ? (
        <>
          {record.object_name ?? <span className="mono">{record.object_id}</span>}{' '}
          <span className="text-faint">{objectKindText(t, record.object_kind)}</span>
        </>
      ) : (
        <Missing />
      ),
  }),
  make.text('actor_name', t('By'), (record) => record.actor_name, {
    width: 200,
    render: (record) =>
      record.actor_kind === 'user' ? (
        record.actor_name
      ) : (
        <>
          {record.actor_name} <span className="text-faint">{t(ACTOR_KIND_LABELS[record.actor_kind])}</span>
        </>
      ),
  }),
  make.mono('source_address', t('From'), (record) => record.source_address, { width: 140 }),
  make.number('seq', t('No.'), (record) => record.seq),
  make.mono('object_id', t('Object ID'), (record) => record.object_id, { hidden: true, width: 290 }),
  make.mono('request_id', t('Request ID'), (record) => record.request_id, { hidden: true, width: 290 }),
  make.text('hash', t('Hash'), (record) => record.hash, { hidden: true, width: 200 }),
];
