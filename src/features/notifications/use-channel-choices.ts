'use client';
import { useQuery } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { useTRPC } from '@/lib/trpc';
import { NO_TENANT } from '../shared/tenant-options';

const MOST = 500;

/** The channels a rule of the tenant can use (`none`: of the installation; null: of the only one there is). */
export function useChannelChoices(tenantId: string | null): NotificationChannel[] | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.notificationChannels.list.queryOptions({ sort: 'name', limit: MOST }));
  return data?.items.filter(
    (channel) => tenantId === null || channel.tenant_id === (tenantId === NO_TENANT ? null : tenantId),
  );
}
