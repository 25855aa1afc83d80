'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { type Failure, toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';

const POLL_MS = 1000;

export type ChannelTest = {
  send: (channel: { id: string; name: string }) => void;
  pending: boolean;
  /** Of the last test: its delivery as far as it is, or why none began. */
  result: { channel_name: string; delivery: NotificationDelivery | null; failure: Failure | null } | null;
};

/** Whether the first attempt of a delivery has ended. */
export const hasEnded = ({ status, attempts, error }: NotificationDelivery): boolean =>
  status === 'sent' || status === 'failed' || (status === 'queued' && attempts > 0 && error !== null);

/** Sends a test to one channel and follows its delivery until its first attempt has ended. */
export function useChannelTest(): ChannelTest {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [tested, setTested] = useState<{ id: string; name: string } | null>(null);
  const send = useMutation(
    trpc.notificationChannels.test.mutationOptions({
      onSettled: () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter()),
    }),
  );
  const started = send.data;
  const query = useQuery({
    ...trpc.notificationChannels.delivery.queryOptions({ id: started?.id ?? '' }),
    enabled: started !== undefined,
    refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? false : POLL_MS),
  });
  const delivery = started ? (query.data ?? started) : null;
  const failure = send.error ? toFailure(send.error) : query.error ? toFailure(query.error) : null;
  return {
    send: (channel) => {
      setTested(channel);
      send.reset();
      send.mutate({ id: channel.id });
    },
    pending: send.isPending || (delivery !== null && failure === null && !hasEnded(delivery)),
    result: tested && { channel_name: tested.name, delivery, failure },
  };
}
