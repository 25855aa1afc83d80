'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../shared/delete-dialog';

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
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete channel {name}?', { name: channel.name })}
      confirmLabel={t('Delete channel')}
      name={channel.name}
      remove={() => client.notificationChannels.delete.mutate({ id: channel.id })}
      outdated={[trpc.notificationChannels.pathFilter()]}
      onClose={onClose}
    >
      <p>{t('Queued notifications for this channel are discarded. The delivery log is kept.')}</p>
    </DeleteDialog>
  );
}
