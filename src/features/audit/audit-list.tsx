'use client';
import { parseAsString, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { ACTOR_KINDS } from '@/domain/audit';
import { optionsIn } from '@/lib/i18n/options-in';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { FilterChip } from '../shared/filter-chip';
import { useListState } from '../shared/list-state';
import { NO_TENANT } from '../shared/tenant-options';
import { TimeRangeFilter } from '../shared/time-range-filter';
import { useServerList } from '../shared/use-server-list';
import { useTenantOptions } from '../shared/use-tenant-options';
import { auditColumns } from './audit-columns';
import { AuditExport } from './audit-export';
import { AuditRecordDrawer } from './audit-record-drawer';
import { ACTION_FAMILIES, ACTOR_KIND_LABELS, actionText, OBJECT_KINDS } from './audit-words';
import { useActorFacet } from './use-actor-facet';
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
    tenant_id: 'id',
    since: 'time',
    until: 'time',
  },
} as const;

const ACTOR_OPTIONS = ACTOR_KINDS.map((value) => ({ value, label: ACTOR_KIND_LABELS[value] }));

/** The audit trail: every change and sign-in, newest first. */
export function AuditList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const { filters } = state;
  const [recordId, setRecordId] = useQueryState('record', parseAsString);
  const verification = useVerifyTrail();
  const columns = useMemo(() => auditColumns(t), [t]);
  const list = useServerList({
    name: 'audit',
    columns,
    state,
    pathKey: trpc.audit.list.pathKey(),
    fetchPage: (page, signal) => client.audit.list.query({ ...state.input, ...page }, { signal }),
  });
  const { exporting: _, ...table } = list;
  const actor = useActorFacet(filters.actor_id, (actor_id) => state.setFilter('actor_id', actor_id));
  const tenants = useTenantOptions('audit:read').filter(({ value }) => value !== NO_TENANT);
  const kind = OBJECT_KINDS.find(({ value }) => value === filters.object_kind);
  const family = ACTION_FAMILIES.find(({ value }) => value === filters.action);
  return (
    <>
      <PageHeader
        title={t('Audit')}
        description={t('Every change and every sign-in. Each record carries the hash of the one before.')}
        actions={
          <>
            <AuditExport filter={state.input} />
            {verification.button}
          </>
        }
      />
      {verification.outcome}
      <FilterBar
        search={{ label: t('Search audit records'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'action',
            label: t('Action'),
            single: true,
            options: optionsIn(t, ACTION_FAMILIES),
            value: family ? [family.value] : [],
            onValueChange: ([value]) => state.setFilter('action', value ?? null),
          },
          {
            id: 'actor_kind',
            label: t('By'),
            single: true,
            options: optionsIn(t, ACTOR_OPTIONS),
            value: filters.actor_kind ? [filters.actor_kind] : [],
            onValueChange: ([value]) =>
              state.setFilter('actor_kind', ACTOR_KINDS.find((each) => each === value) ?? null),
          },
          ...(actor ? [actor] : []),
          {
            id: 'object_kind',
            label: t('Object'),
            single: true,
            options: optionsIn(t, OBJECT_KINDS),
            value: kind ? [kind.value] : [],
            onValueChange: ([value]) => state.setFilters({ object_kind: value ?? null, object_id: null }),
          },
          ...(tenants.length > 0
            ? [
                {
                  id: 'tenant_id',
                  label: t('Tenant'),
                  single: true,
                  options: tenants,
                  value: filters.tenant_id ? [filters.tenant_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('tenant_id', value ?? null),
                },
              ]
            : []),
        ]}
        onClear={state.clear}
      >
        {filters.action && !family && (
          <FilterChip
            label={t('Action')}
            value={actionText(t, filters.action)}
            onRemove={() => state.setFilter('action', null)}
          />
        )}
        {filters.object_id && (
          <FilterChip
            label={t(kind?.label ?? 'Object')}
            value={filters.object_id}
            onRemove={() => state.setFilters({ object_id: null, object_kind: null })}
          />
        )}
        {filters.actor_id && !actor && (
          <FilterChip label={t('By')} value={filters.actor_id} onRemove={() => state.setFilter('actor_id', null)} />
        )}
        <TimeRangeFilter
          since={filters.since}
          until={filters.until}
          onChange={({ since, until }) => state.setFilters({ since, until })}
        />
      </FilterBar>
      <DataTable
        {...table}
        id="audit"
        label={t('Audit records')}
        noun={{ one: t('record'), many: t('records') }}
        rowId={(record) => record.id}
        onRowOpen={(record) => void setRecordId(record.id)}
        empty={
          <EmptyState title={t('No records yet')}>{t('The first change or sign-in will appear here.')}</EmptyState>
        }
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
