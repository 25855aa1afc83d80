'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** Sends a test to a channel and says where to look. */
export function useChannelTest() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.notificationChannels.test.mutationOptions({
      onSuccess: ({ channel_name }) => {
        void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter());
        showToast('ok', {
          title: t('Test queued for {channel}', { channel: channel_name }),
          description: t('See the result under Deliveries.'),
        });
      },
      onError: (error) => {
        const failure = failureOf(error);
        showToast('danger', { title: t('Could not send test'), description: failure.detail ?? failure.title });
      },
    }),
  );
}
