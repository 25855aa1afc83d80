'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { DELIVERY_SORTS, DELIVERY_STATUSES, NOTIFICATION_EVENTS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { declareList } from '../shared/list/declare-list';
import { choice, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { CHANNEL } from '../shared/list/sources';
import { tenantOrNoneFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { EVENT_LABELS } from '../shared/notification-labels';
import { usePermissions } from '../shared/use-permissions';
import { DELIVERY_LABELS, deliveryColumns } from './delivery-columns';

const DELIVERIES = declareList({
  from: 'notificationChannels.deliveries',
  name: 'deliveries',
  id: 'notification-deliveries',
  label: msg('Deliveries'),
  noun: { one: msg('delivery'), many: msg('deliveries') },
  search: msg('Search deliveries'),
  sorts: DELIVERY_SORTS,
  defaultSort: '-created_at',
  filters: {
    status: choice(msg('Result'), DELIVERY_STATUSES, (one) => DELIVERY_LABELS[one].word),
    event: choice(msg('Event'), NOTIFICATION_EVENTS, (one) => EVENT_LABELS[one].word),
    channel_id: searched(msg('Channel'), 'id', CHANNEL),
    tenant_id: tenantOrNoneFilter('notification:read'),
  },
  common: ['status'],
  columns: deliveryColumns,
  rowId: (delivery) => delivery.id,
  empty: {
    icon: <MailCheck />,
    title: msg('No deliveries yet'),
    text: msg('Notifications sent to channels appear here for 90 days, with their results.'),
  },
});

/** What was sent where, how it went, and what is tried again. */
export function DeliveryTable() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const retry = useMutation(
    trpc.notificationChannels.retryDelivery.mutationOptions({
      onSuccess: () => showToast('ok', { title: t('Delivery queued for retry') }),
      onError: (error) => {
        const failure = toFailure(error);
        showToast('danger', { title: t('Could not retry delivery'), description: failure.detail ?? failure.title });
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter()),
    }),
  );
  const list = useList(DELIVERIES);
  return (
    <ListView
      of={list}
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
                ? t('Only failed deliveries can be retried.')
                : delivery.channel_id === null && t('The channel was deleted.')),
          },
        ],
      })}
    />
  );
}
