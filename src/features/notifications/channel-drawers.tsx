'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  type CreatedNotificationChannel,
  type NotificationChannel,
  NotificationChannelInput,
  NotificationChannelUpdate,
} from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { useVersioned } from '../shared/record-cache';
import { RecordDrawer } from '../shared/record-drawer';
import { useTenantOptions } from '../shared/tenant-options';
import { VersionedDrawer } from '../shared/versioned-form';
import { ChannelFields } from './channel-fields';
import {
  channelFieldName,
  EMPTY_CHANNEL,
  toChannelInput,
  toChannelUpdate,
  toChannelValues,
} from './channel-form-values';
import { ChannelTestResult } from './channel-test-result';
import { useChannelTest } from './use-channel-test';

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
      description={t('Rules send notifications to channels.')}
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
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.notificationChannels.get.queryOptions({ id: channel.id }),
    saved: () => t('Channel saved'),
    outdated: [trpc.notificationChannels.pathFilter(), trpc.notificationRules.pathFilter()],
    onClose,
  });
  const test = useChannelTest();
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: channel.name })}
      opened={channel}
      {...stored}
      schema={NotificationChannelUpdate}
      toValues={toChannelValues}
      toInput={toChannelUpdate}
      fieldName={channelFieldName}
      save={(input) => client.notificationChannels.update.mutate({ id: channel.id, ...input })}
      submitLabel={t('Save channel')}
    >
      {({ control }) => (
        <>
          <ChannelFields control={control} urlOrigin={channel.url_origin} />
          <section aria-label={t('Test')} className="flex flex-col gap-2">
            <div>
              <Button
                size="sm"
                onClick={() => test.send(channel)}
                pending={test.pending}
                disabledReason={!channel.enabled && t('The channel is disabled.')}
              >
                {t('Send test')}
              </Button>
              <span className="pl-2 text-sm text-muted">
                {t('Sends one message to the saved address of this channel.')}
              </span>
            </div>
            <ChannelTestResult result={test.result} />
          </section>
        </>
      )}
    </VersionedDrawer>
  );
}
