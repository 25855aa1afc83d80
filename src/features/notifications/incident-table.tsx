'use client';
import { CircleCheck } from 'lucide-react';
import { CONDITIONS } from '@/domain/notifications/condition';
import { INCIDENT_SORTS, INCIDENT_STATUSES, type NotificationIncident } from '@/domain/notifications/incident';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { CONDITION_WORDS } from '../shared/notification-words';
import { useServerList } from '../shared/use-server-list';
import { INCIDENT_COLUMNS, INCIDENT_WORDS } from './incident-columns';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: INCIDENT_SORTS,
  defaultSort: '-first_seen_at',
  filters: { status: INCIDENT_STATUSES, condition: CONDITIONS, rule_id: 'id', tenant_id: 'id_or_none' },
} as const;
const STATUS_OPTIONS = INCIDENT_STATUSES.map((value) => ({ value, label: INCIDENT_WORDS[value].word }));
const CONDITION_OPTIONS = CONDITIONS.map((value) => ({ value, label: CONDITION_WORDS[value].label }));

/** What rules found: watched, open and over. */
export function IncidentTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const list = useServerList<NotificationIncident>({
    name: 'incidents',
    columns: INCIDENT_COLUMNS,
    state,
    pathKey: trpc.notificationRules.incidents.pathKey(),
    fetchPage: (page, signal) => client.notificationRules.incidents.query({ ...state.input, ...page }, { signal }),
  });
  const { status, condition } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: 'Search incidents', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: 'State',
            single: true,
            options: STATUS_OPTIONS,
            value: status === null ? [] : [status],
            onValueChange: ([value]) =>
              state.setFilter('status', INCIDENT_STATUSES.find((one) => one === value) ?? null),
          },
          {
            id: 'condition',
            label: 'Condition',
            single: true,
            options: CONDITION_OPTIONS,
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
        label="Incidents"
        noun={{ one: 'incident', many: 'incidents' }}
        rowId={(incident) => incident.id}
        empty={
          <EmptyState icon={<CircleCheck />} title="No incidents">
            What rules find stands here, and for 90 days after it is over. Rules look once a minute.
          </EmptyState>
        }
      />
    </>
  );
}
