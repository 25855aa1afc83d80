'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  type CreatedNotificationChannel,
  type NotificationChannel,
  NotificationChannelInput,
  NotificationChannelUpdate,
} from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { RecordDrawer } from '../shared/record-drawer';
import { useTenantOptions } from '../shared/use-tenant-options';
import { ChannelFields } from './channel-fields';
import {
  channelFieldName,
  EMPTY_CHANNEL,
  toChannelInput,
  toChannelUpdate,
  toChannelValues,
} from './channel-form-values';

type CreateProps = { onClose: () => void; onCreated: (channel: CreatedNotificationChannel) => void };

/** Makes a channel. Mount it when it opens. */
export function CreateChannelDrawer({ onClose, onCreated }: CreateProps) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const tenants = useTenantOptions('notification:write');
  const save = useMutation(
    trpc.notificationChannels.create.mutationOptions({
      onSuccess: (channel) => {
        void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter());
        onCreated(channel);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Add channel')}
      description={t('Rules send their notices to channels.')}
      defaultValues={{ ...EMPTY_CHANNEL, tenant_id: tenants[0]?.value ?? null }}
      schema={NotificationChannelInput}
      toInput={toChannelInput}
      fieldName={channelFieldName}
      save={save}
      submitLabel={t('Add channel')}
      onClose={onClose}
    >
      {(control) => <ChannelFields control={control} tenants={tenants} />}
    </RecordDrawer>
  );
}

/** Changes a channel. Mount it when it opens. */
export function EditChannelDrawer({ channel, onClose }: { channel: NotificationChannel; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.notificationChannels.update.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.notificationChannels.pathFilter());
        void queryClient.invalidateQueries(trpc.notificationRules.pathFilter());
        showToast('ok', { title: t('Channel saved') });
        onClose();
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Edit {name}', { name: channel.name })}
      defaultValues={toChannelValues(channel)}
      schema={NotificationChannelUpdate}
      toInput={toChannelUpdate}
      fieldName={channelFieldName}
      save={{ ...save, mutate: (input) => save.mutate({ id: channel.id, ...input }) }}
      submitLabel={t('Save channel')}
      reload={async () => {
        const options = trpc.notificationChannels.get.queryOptions({ id: channel.id });
        return toChannelValues(await queryClient.fetchQuery({ ...options, staleTime: 0 }));
      }}
      onClose={onClose}
    >
      {(control) => <ChannelFields control={control} urlOrigin={channel.url_origin} />}
    </RecordDrawer>
  );
}
