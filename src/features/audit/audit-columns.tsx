import type { RouterOutputs } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { ACTOR_KIND_LABELS, actionText } from './audit-words';

/** A record as it arrives in the browser. */
export type AuditRow = RouterOutputs['audit']['get'];

const make = columnsOf<AuditRow>();

export const AUDIT_COLUMNS = [
  make.time('at', 'Time', (record) => record.at, { sortable: true, width: 110 }),
  make.text('action', 'Action', (record) => actionText(record.action), { width: 220 }),
  make.text('object_name', 'Object', (record) => record.object_name ?? record.object_id, {
    grow: true,
    width: 180,
    render: (record) =>
      record.object_name || record.object_id ? (
        <>
          {record.object_name ?? <span className="mono">{record.object_id}</span>}{' '}
          <span className="text-faint">{record.object_kind}</span>
        </>
      ) : (
        <Missing />
      ),
  }),
  make.text('actor_name', 'By', (record) => record.actor_name, {
    width: 200,
    render: (record) =>
      record.actor_kind === 'user' ? (
        record.actor_name
      ) : (
        <>
          {record.actor_name} <span className="text-faint">{ACTOR_KIND_LABELS[record.actor_kind]}</span>
        </>
      ),
  }),
  make.mono('source_address', 'From', (record) => record.source_address, { width: 140 }),
  make.number('seq', 'No.', (record) => record.seq, { width: 80 }),
  make.mono('object_id', 'Object id', (record) => record.object_id, { hidden: true, width: 290 }),
  make.mono('request_id', 'Request id', (record) => record.request_id, { hidden: true, width: 290 }),
  make.text('hash', 'Hash', (record) => record.hash, { hidden: true, width: 200 }),
];
