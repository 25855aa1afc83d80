'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { useMemo } from 'react';
import { DELIVERY_SORTS, DELIVERY_STATUSES, type NotificationDelivery } from '@/domain/notifications/delivery';
import { NOTIFICATION_EVENTS } from '@/domain/notifications/notification';
import { useT } from '@/lib/i18n/use-t';
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
import { DELIVERY_WORDS, deliveryColumns } from './delivery-columns';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: DELIVERY_SORTS,
  defaultSort: '-created_at',
  filters: { status: DELIVERY_STATUSES, event: NOTIFICATION_EVENTS, channel_id: 'id', tenant_id: 'id_or_none' },
} as const;

/** What was sent where, how it went, and what is tried again. */
export function DeliveryTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const retry = useMutation(
    trpc.notificationChannels.retryDelivery.mutationOptions({
      onSuccess: () => showToast('ok', { title: t('It is tried again') }),
      onError: (error) => {
        const failure = failureOf(error);
        showToast('danger', { title: t('It is not tried again'), description: failure.detail ?? failure.title });
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter()),
    }),
  );
  const columns = useMemo(() => deliveryColumns(t), [t]);
  const list = useServerList<NotificationDelivery>({
    name: 'deliveries',
    columns,
    state,
    pathKey: trpc.notificationChannels.deliveries.pathKey(),
    fetchPage: (page, signal) => client.notificationChannels.deliveries.query({ ...state.input, ...page }, { signal }),
  });
  const { status, event } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: t('Search deliveries'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Result'),
            single: true,
            options: DELIVERY_STATUSES.map((value) => ({ value, label: t(DELIVERY_WORDS[value].word) })),
            value: status === null ? [] : [status],
            onValueChange: ([value]) =>
              state.setFilter('status', DELIVERY_STATUSES.find((one) => one === value) ?? null),
          },
          {
            id: 'event',
            label: t('Event'),
            single: true,
            options: NOTIFICATION_EVENTS.map((value) => ({ value, label: t(EVENT_WORDS[value].word) })),
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
        label={t('Deliveries')}
        noun={{ one: t('delivery'), many: t('deliveries') }}
        rowId={(delivery) => delivery.id}
        rowActions={(delivery) => ({
          name: t('{title} to {channel}', { title: delivery.title, channel: delivery.channel_name }),
          entries: [
            {
              id: 'retry',
              label: t('Try again'),
              onSelect: () => retry.mutate({ id: delivery.id }),
              disabledReason:
                writeReason ??
                (delivery.status !== 'failed'
                  ? t('Only what failed can be tried again.')
                  : delivery.channel_id === null && t('Its channel was deleted.')),
            },
          ],
        })}
        empty={
          <EmptyState icon={<MailCheck />} title={t('Nothing was sent yet')}>
            {t('What rules send to channels stands here for 90 days, with the result of each.')}
          </EmptyState>
        }
      />
    </>
  );
}
