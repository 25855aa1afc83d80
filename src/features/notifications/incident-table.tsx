'use client';
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { CONDITIONS } from '@/domain/notifications/condition';
import { INCIDENT_SORTS, INCIDENT_STATUSES, type NotificationIncident } from '@/domain/notifications/incident';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { CONDITION_WORDS } from '../shared/notification-words';
import { useServerList } from '../shared/use-server-list';
import { INCIDENT_WORDS, incidentColumns } from './incident-columns';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: INCIDENT_SORTS,
  defaultSort: '-first_seen_at',
  filters: { status: INCIDENT_STATUSES, condition: CONDITIONS, rule_id: 'id', tenant_id: 'id_or_none' },
} as const;

/** What rules found: watched, open and over. */
export function IncidentTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const columns = useMemo(() => incidentColumns(t), [t]);
  const list = useServerList<NotificationIncident>({
    name: 'incidents',
    columns,
    state,
    pathKey: trpc.notificationRules.incidents.pathKey(),
    fetchPage: (page, signal) => client.notificationRules.incidents.query({ ...state.input, ...page }, { signal }),
  });
  const { status, condition } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: t('Search incidents'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('State'),
            single: true,
            options: INCIDENT_STATUSES.map((value) => ({ value, label: t(INCIDENT_WORDS[value].word) })),
            value: status === null ? [] : [status],
            onValueChange: ([value]) =>
              state.setFilter('status', INCIDENT_STATUSES.find((one) => one === value) ?? null),
          },
          {
            id: 'condition',
            label: t('Condition'),
            single: true,
            options: CONDITIONS.map((value) => ({ value, label: t(CONDITION_WORDS[value].label) })),
            value: condition === null ? [] : [condition],
            onValueChange: ([value]) => state.setFilter('condition', CONDITIONS.find((one) => one === value) ?? null),
          },
          ...tenantFacet,
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="notification-incidents"
        label={t('Incidents')}
        noun={{ one: t('incident'), many: t('incidents') }}
        rowId={(incident) => incident.id}
        empty={
          <EmptyState icon={<CircleCheck />} title={t('No incidents')}>
            {t('What rules find stands here, and for 90 days after it is over. Rules look once a minute.')}
          </EmptyState>
        }
      />
    </>
  );
}
