'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { ACTOR_KINDS } from '@/domain/audit';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { FilterChip } from '../shared/filter-chip';
import { useListState } from '../shared/list-state';
import { TimeRangeFilter } from '../shared/time-range-filter';
import { useServerList } from '../shared/use-server-list';
import { AUDIT_COLUMNS } from './audit-columns';
import { AuditRecordDrawer } from './audit-record-drawer';
import { ACTION_FAMILIES, ACTOR_KIND_LABELS, actionText } from './audit-words';
import { useVerifyTrail } from './use-verify-trail';

const LIST = {
  sorts: ['at'],
  defaultSort: '-at',
  filters: {
    actor_kind: ACTOR_KINDS,
    actor_id: 'id',
    action: 'text',
    object_kind: 'text',
    object_id: 'text',
    since: 'time',
    until: 'time',
  },
} as const;

const ACTOR_OPTIONS = ACTOR_KINDS.map((value) => ({ value, label: ACTOR_KIND_LABELS[value] }));

/** The audit trail: every change and sign-in, newest first. */
export function AuditList() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const { filters } = state;
  const [recordId, setRecordId] = useQueryState('record', parseAsString);
  const verification = useVerifyTrail();
  const list = useServerList({
    name: 'audit',
    columns: AUDIT_COLUMNS,
    state,
    pathKey: trpc.audit.list.pathKey(),
    fetchPage: (page, signal) => client.audit.list.query({ ...state.input, ...page }, { signal }),
  });
  const family = ACTION_FAMILIES.find(({ value }) => value === filters.action);
  return (
    <>
      <PageHeader
        title="Audit"
        description="Every change and every sign-in. Each record carries the hash of the one before."
        actions={verification.button}
      />
      {verification.outcome}
      <FilterBar
        search={{ label: 'Search audit records', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'action',
            label: 'Action',
            single: true,
            options: ACTION_FAMILIES,
            value: family ? [family.value] : [],
            onValueChange: ([value]) => state.setFilter('action', value ?? null),
          },
          {
            id: 'actor_kind',
            label: 'By',
            single: true,
            options: ACTOR_OPTIONS,
            value: filters.actor_kind ? [filters.actor_kind] : [],
            onValueChange: ([value]) =>
              state.setFilter('actor_kind', ACTOR_KINDS.find((kind) => kind === value) ?? null),
          },
        ]}
        onClear={state.clear}
      >
        {filters.action && !family && (
          <FilterChip
            label="Action"
            value={actionText(filters.action)}
            onRemove={() => state.setFilter('action', null)}
          />
        )}
        {filters.object_id && (
          <FilterChip
            label={filters.object_kind ?? 'Object'}
            value={filters.object_id}
            onRemove={() => state.setFilters({ object_id: null, object_kind: null })}
          />
        )}
        {filters.actor_id && (
          <FilterChip label="By" value={filters.actor_id} onRemove={() => state.setFilter('actor_id', null)} />
        )}
        <TimeRangeFilter
          since={filters.since}
          until={filters.until}
          onChange={({ since, until }) => state.setFilters({ since, until })}
        />
      </FilterBar>
      <DataTable
        {...list}
        id="audit"
        label="Audit records"
        noun={{ one: 'record', many: 'records' }}
        rowId={(record) => record.id}
        onRowOpen={(record) => void setRecordId(record.id)}
        empty={<EmptyState title="No records yet">The first change or sign-in will appear here.</EmptyState>}
      />
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
