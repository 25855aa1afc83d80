'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { ACTOR_KINDS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterChip } from '@/ui/facet';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { chip, choice, inUrl, named } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { TimeRangeControl } from '../shared/time-range-control';
import { auditColumns } from './audit-columns';
import { AuditExport } from './audit-export';
import { ACTION_FAMILIES, ACTOR_KIND_LABELS, actionText, OBJECT_KINDS } from './audit-labels';
import { useActorFacet } from './use-actor-facet';
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
    action: { ...chip(msg('Action'), 'text', actionText), ...named(msg('Action'), ACTION_FAMILIES, 'text') },
    actor_kind: choice(msg('By'), ACTOR_KINDS, (one) => ACTOR_KIND_LABELS[one]),
    actor_id: { ...chip(msg('By'), 'id'), useFacet: (_, value, choose) => useActorFacet(value, choose) },
    object_kind: { ...named(msg('Object'), OBJECT_KINDS, 'text'), clears: ['object_id'] },
    object_id: inUrl('text'),
    tenant_id: tenantFilter('audit:read'),
    since: inUrl('time'),
    until: inUrl('time'),
  },
  columns: auditColumns,
  exported: false,
  rowId: (record) => record.id,
  empty: { title: msg('No audit records yet'), text: msg('Changes and sign-ins appear here.') },
});

/** The audit trail: every change and sign-in, newest first. */
export function AuditList() {
  const t = useT();
  const [recordId, setRecordId] = useQueryState('record', parseAsString);
  const verification = useVerifyTrail();
  const list = useList(AUDIT);
  const { state } = list;
  const { filters } = state;
  const kind = OBJECT_KINDS.find(({ value }) => value === filters.object_kind);
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
        {filters.object_id && (
          <FilterChip
            label={t(kind?.label ?? 'Object')}
            value={filters.object_id}
            onRemove={() => state.setFilters({ object_id: null, object_kind: null })}
          />
        )}
        <TimeRangeControl
          optional
          range={null}
          since={filters.since}
          until={filters.until}
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
