'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationChannel } from '@/domain/notifications/channel';
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
  const trpc = useTRPC();
  const refresh = useRefresh();
  const remove = useMutation(
    trpc.notificationChannels.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${channel.name} deleted` });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      noun="channel"
      name={channel.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: channel.id }) }}
      onClose={onClose}
    >
      <p>What waits to be sent there is given up. The log of its deliveries stays.</p>
    </DeleteDialog>
  );
}

/** Asks before the secret of a webhook is replaced. */
export function RotateSecretDialog({ channel, onClose, onRotated }: Props & { onRotated: (secret: string) => void }) {
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
      title={`New signing secret for ${channel.name}?`}
      confirmLabel="Replace secret"
      tone="primary"
      pending={rotate.isPending}
      error={rotate.error ? failureOf(rotate.error) : null}
      onConfirm={() => rotate.mutate({ id: channel.id })}
    >
      <p>The old one stops at once: a receiver that checks signatures refuses notices until it knows the new one.</p>
    </ConfirmDialog>
  );
}
