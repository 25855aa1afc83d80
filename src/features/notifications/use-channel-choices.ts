'use client';
import { useQuery } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { useTRPC } from '@/lib/trpc';
import { NO_TENANT } from '../shared/tenant-options';

const MOST = 500;

type ChannelChoice = NotificationChannel & { usable: boolean };

/**
 * The channels a rule of the tenant can use (`none`: of the installation; null: of the only one there is), and those that
 * are `chosen` already although it cannot: they have to be taken out.
 */
export function useChannelChoices(tenantId: string | null, chosen: readonly string[]): ChannelChoice[] | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.notificationChannels.list.queryOptions({ sort: 'name', limit: MOST }));
  return data?.items
    .map((channel) => ({
      ...channel,
      usable: tenantId === null || channel.tenant_id === (tenantId === NO_TENANT ? null : tenantId),
    }))
    .filter(({ id, usable }) => usable || chosen.includes(id));
}
