'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { GRACE_HOURS } from '@/domain/choices';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Select } from '@/ui/select';
import { showToast } from '@/ui/toast';
import { useChannelRefresh } from './channel-dialogs';

type Props = { channel: NotificationChannel; onClose: () => void };

/** Asks how long the old secret of a webhook stays valid before it is replaced. */
export function RotateSecretDialog({ channel, onClose, onRotated }: Props & { onRotated: (secret: string) => void }) {
  const t = useT();
  const trpc = useTRPC();
  const refresh = useChannelRefresh();
  const [hours, setHours] = useState(String(GRACE_HOURS.default));
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
      error={rotate.error ? toFailure(rotate.error) : null}
      onConfirm={() => rotate.mutate({ id: channel.id, grace_hours: Number(hours) })}
    >
      <div className="flex flex-col gap-3">
        <span className="text-sm font-medium">{t('Old secret validity')}</span>
        <Select
          aria-label={t('Old secret validity')}
          value={hours}
          onValueChange={setHours}
          options={[
            { value: '0', label: t('Not valid') },
            { value: '1', label: t('1 hour') },
            { value: '24', label: t('24 hours') },
            { value: '72', label: t('3 days') },
            { value: '168', label: t('7 days') },
          ]}
        />
        <p>
          {hours === '0'
            ? t('Receivers that verify signatures reject notifications until they have the new secret.')
            : t('Until then, each request has two signature headers, one for each secret.')}
        </p>
        {channel.previous_secret_until !== null && (
          <p>{t('The secret from before the last rotation is revoked now.')}</p>
        )}
      </div>
    </ConfirmDialog>
  );
}

/** Asks before the secret from before a rotation ends early. */
export function EndSecretDialog({ channel, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const refresh = useChannelRefresh();
  const end = useMutation(
    trpc.notificationChannels.endPreviousSecret.mutationOptions({
      onSuccess: () => {
        refresh();
        showToast('ok', { title: t('Old secret revoked') });
        onClose();
      },
    }),
  );
  const until = channel.previous_secret_until;
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Revoke the old secret of {name}?', { name: channel.name })}
      confirmLabel={t('Revoke old secret')}
      pending={end.isPending}
      error={end.error ? toFailure(end.error) : null}
      onConfirm={() => end.mutate({ id: channel.id })}
    >
      <p>
        {t(
          'The old secret is valid until {time}. Receivers that have only the old secret will reject notifications after you revoke it.',
          {
            time: until === null ? '' : formatDateTime(until),
          },
        )}
      </p>
    </ConfirmDialog>
  );
}
