'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from './delete-dialog';

type Props = { channel: NotificationChannel; onClose: () => void };

/** Reads channels again. */
export function useChannelRefresh() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter());
}

/** Asks before a channel goes. One that rules use does not go. */
export function DeleteChannelDialog({ channel, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const refresh = useChannelRefresh();
  const remove = useMutation(
    trpc.notificationChannels.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: channel.name }) });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      kind="channel"
      name={channel.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: channel.id }) }}
      onClose={onClose}
    >
      <p>{t('Queued notifications for this channel are discarded. The delivery log is kept.')}</p>
    </DeleteDialog>
  );
}
