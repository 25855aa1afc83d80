'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { DELIVERY_SORTS, DELIVERY_STATUSES, type NotificationDelivery } from '@/domain/notifications/delivery';
import { NOTIFICATION_EVENTS } from '@/domain/notifications/notification';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { showToast } from '@/ui/toast';
import { useListState } from '../shared/list-state';
import { EVENT_WORDS } from '../shared/notification-words';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { DELIVERY_COLUMNS, DELIVERY_WORDS } from './delivery-columns';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: DELIVERY_SORTS,
  defaultSort: '-created_at',
  filters: { status: DELIVERY_STATUSES, event: NOTIFICATION_EVENTS, channel_id: 'id', tenant_id: 'id_or_none' },
} as const;
const STATUS_OPTIONS = DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_WORDS[value].word }));
const EVENT_OPTIONS = NOTIFICATION_EVENTS.map((value) => ({ value, label: EVENT_WORDS[value].word }));

/** What was sent where, how it went, and what is tried again. */
export function DeliveryTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const retry = useMutation(
    trpc.notificationChannels.retryDelivery.mutationOptions({
      onSuccess: () => showToast('ok', { title: 'It is tried again' }),
      onError: (error) => {
        const failure = failureOf(error);
        showToast('danger', { title: 'It is not tried again', description: failure.detail ?? failure.title });
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter()),
    }),
  );
  const list = useServerList<NotificationDelivery>({
    name: 'deliveries',
    columns: DELIVERY_COLUMNS,
    state,
    pathKey: trpc.notificationChannels.deliveries.pathKey(),
    fetchPage: (page, signal) => client.notificationChannels.deliveries.query({ ...state.input, ...page }, { signal }),
  });
  const { status, event } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: 'Search deliveries', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: 'Result',
            single: true,
            options: STATUS_OPTIONS,
            value: status === null ? [] : [status],
            onValueChange: ([value]) =>
              state.setFilter('status', DELIVERY_STATUSES.find((one) => one === value) ?? null),
          },
          {
            id: 'event',
            label: 'Event',
            single: true,
            options: EVENT_OPTIONS,
            value: event === null ? [] : [event],
            onValueChange: ([value]) =>
              state.setFilter('event', NOTIFICATION_EVENTS.find((one) => one === value) ?? null),
          },
          ...tenantFacet,
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="notification-deliveries"
        label="Deliveries"
        noun={{ one: 'delivery', many: 'deliveries' }}
        rowId={(delivery) => delivery.id}
        rowActions={(delivery) => ({
          name: `${delivery.title} to ${delivery.channel_name}`,
          entries: [
            {
              id: 'retry',
              label: 'Try again',
              onSelect: () => retry.mutate({ id: delivery.id }),
              disabledReason:
                writeReason ??
                (delivery.status !== 'failed'
                  ? 'Only what failed can be tried again.'
                  : delivery.channel_id === null && 'Its channel was deleted.'),
            },
          ],
        })}
        empty={
          <EmptyState icon={<MailCheck />} title="Nothing was sent yet">
            What rules send to channels stands here for 90 days, with the result of each.
          </EmptyState>
        }
      />
    </>
  );
}
