'use client';
import { ACTOR_KINDS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { choice, inUrl, named } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { TimeRangeControl } from '../shared/time-range-control';
import { auditColumns } from './audit-columns';
import { AuditExport } from './audit-export';
import { ACTOR_FILTER, OBJECT_FILTER } from './audit-filters';
import { ACTION_FAMILIES, ACTOR_KIND_LABELS, actionText, OBJECT_KINDS, objectKindText } from './audit-labels';
import { useVerifyTrail } from './use-verify-trail';

const AuditRecordDrawer = loadOnOpening(() =>
  import('./audit-record-drawer').then((module) => module.AuditRecordDrawer),
);

const AUDIT = declareList({
  from: 'audit.list',
  name: 'audit',
  title: msg('Audit'),
  label: msg('Audit records'),
  noun: { one: msg('record'), many: msg('records') },
  search: msg('Search audit records'),
  sorts: ['at'],
  defaultSort: '-at',
  filters: {
    action: named(msg('Action'), ACTION_FAMILIES, actionText),
    actor_kind: choice(msg('By'), ACTOR_KINDS, (one) => ACTOR_KIND_LABELS[one]),
    actor_id: ACTOR_FILTER,
    object_kind: { ...named(msg('Object type'), OBJECT_KINDS, objectKindText), clears: ['object_id'] },
    object_id: OBJECT_FILTER,
    tenant_id: tenantFilter('audit:read'),
    since: inUrl('time'),
    until: inUrl('time'),
  },
  common: ['action', 'actor_id'],
  columns: auditColumns,
  exported: false,
  rowId: (record) => record.id,
  empty: { title: msg('No audit records yet'), text: msg('Changes and sign-ins appear here.') },
});

/** The audit trail: every change and sign-in, newest first. */
export function AuditList() {
  const t = useT();
  const [recordId, setRecordId] = useUrlValue('record', URL_TEXT);
  const verification = useVerifyTrail();
  const list = useList(AUDIT);
  const { state } = list;
  return (
    <>
      <ListView
        of={list}
        description={t('All changes and sign-ins. Each record contains the hash of the previous record.')}
        actions={
          <>
            <AuditExport filter={state.input} />
            {verification.button}
          </>
        }
        summary={verification.outcome}
        onRowOpen={(record) => void setRecordId(record.id)}
      >
        <TimeRangeControl
          optional
          range={null}
          since={state.filters.since}
          until={state.filters.until}
          onChange={({ since, until }) => state.setFilters({ since, until })}
        />
      </ListView>
      <AuditRecordDrawer
        recordId={recordId}
        onClose={() => void setRecordId(null)}
        onFilter={(filter) => {
          void setRecordId(null);
          state.setFilters(filter);
        }}
      />
    </>
  );
}
