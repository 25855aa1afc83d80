'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from './delete-dialog';

type Props = { channel: NotificationChannel; onClose: () => void };

function useRefresh() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return () => void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter());
}

/** Asks before a channel goes. One that rules use does not go. */
export function DeleteChannelDialog({ channel, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const refresh = useRefresh();
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
      <p>{t('What waits to be sent there is given up. The log of its deliveries stays.')}</p>
    </DeleteDialog>
  );
}

/** Asks before the secret of a webhook is replaced. */
export function RotateSecretDialog({ channel, onClose, onRotated }: Props & { onRotated: (secret: string) => void }) {
  const t = useT();
  const trpc = useTRPC();
  const refresh = useRefresh();
  const rotate = useMutation(
    trpc.notificationChannels.rotateSecret.mutationOptions({
      onSuccess: ({ signing_secret }) => {
        refresh();
        if (signing_secret !== null) onRotated(signing_secret);
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('New signing secret for {name}?', { name: channel.name })}
      confirmLabel={t('Replace secret')}
      tone="primary"
      pending={rotate.isPending}
      error={rotate.error ? failureOf(rotate.error) : null}
      onConfirm={() => rotate.mutate({ id: channel.id })}
    >
      <p>
        {t('The old one stops at once: a receiver that checks signatures refuses notices until it knows the new one.')}
      </p>
    </ConfirmDialog>
  );
}
