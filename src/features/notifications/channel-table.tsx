'use client';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { CHANNEL_KINDS, CHANNEL_SORTS } from '@/domain/choices';
import type { NotificationChannel } from '@/domain/notifications/channel';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { tenantOrNoneFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { CHANNEL_KIND_LABELS, channelColumns } from './channel-columns';
import { DeleteChannelDialog } from './channel-dialogs';
import { ChannelTestResult } from './channel-test-result';
import { useChannelTest } from './use-channel-test';

const SigningSecretDialog = loadOnOpening(() =>
  import('./signing-secret-dialog').then((module) => module.SigningSecretDialog),
);

const EndSecretDialog = loadOnOpening(() => import('./secret-dialogs').then((module) => module.EndSecretDialog));
const RotateSecretDialog = loadOnOpening(() => import('./secret-dialogs').then((module) => module.RotateSecretDialog));

const CreateChannelDrawer = loadOnOpening(() =>
  import('./channel-drawers').then((module) => module.CreateChannelDrawer),
);
const EditChannelDrawer = loadOnOpening(() => import('./channel-drawers').then((module) => module.EditChannelDrawer));

const CHANNELS = declareList({
  from: 'notificationChannels.list',
  name: 'channels',
  id: 'notification-channels',
  label: msg('Channels'),
  noun: { one: msg('channel'), many: msg('channels') },
  search: msg('Search channels'),
  sorts: CHANNEL_SORTS,
  defaultSort: 'name',
  filters: {
    kind: choice(msg('Kind'), CHANNEL_KINDS, (one) => CHANNEL_KIND_LABELS[one]),
    tenant_id: tenantOrNoneFilter('notification:read'),
  },
  columns: channelColumns,
  rowId: (channel) => channel.id,
  add: { label: msg('Add channel'), permission: 'notification:write' },
  empty: {
    icon: <Send />,
    title: msg('No channels yet'),
    text: msg('Channels send notifications to a webhook, such as a chat system, or to mailboxes.'),
  },
});

type Open =
  | { kind: 'edit' | 'delete' | 'rotate' | 'end'; channel: NotificationChannel }
  | { kind: 'secret'; channel: NotificationChannel; secret: string };

/** The channels, with how their last delivery went. A row opens its form. */
export function ChannelTable() {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const [open, setOpen] = useState<Open | null>(null);
  const [adding, setAdding] = useAdding('notification:write');
  const close = () => setOpen(null);
  const test = useChannelTest();
  const list = useList(CHANNELS);
  return (
    <>
      <ListView
        of={list}
        summary={<ChannelTestResult result={test.result} />}
        onAdd={() => setAdding(true)}
        onRowOpen={writeReason === null ? (channel) => setOpen({ kind: 'edit', channel }) : undefined}
        rowActions={(channel) => ({
          name: channel.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit channel'),
              onSelect: () => setOpen({ kind: 'edit', channel }),
              disabledReason: writeReason,
            },
            {
              id: 'test',
              label: t('Send test'),
              onSelect: () => test.send(channel),
              disabledReason: writeReason ?? (!channel.enabled && t('The channel is disabled.')),
            },
            {
              id: 'rotate',
              label: t('New signing secret'),
              onSelect: () => setOpen({ kind: 'rotate', channel }),
              disabledReason: writeReason ?? (channel.kind !== 'webhook' && t('Only webhooks are signed.')),
            },
            {
              id: 'end-secret',
              label: t('Revoke old secret'),
              onSelect: () => setOpen({ kind: 'end', channel }),
              disabledReason: writeReason ?? (channel.previous_secret_until === null && t('There is no old secret.')),
            },
            {
              id: 'delete',
              label: t('Delete channel'),
              tone: 'danger',
              onSelect: () => setOpen({ kind: 'delete', channel }),
              disabledReason:
                writeReason ??
                (channel.rules_total > 0 && t('Rules use this channel. Remove the channel from these rules first.')),
            },
          ],
        })}
      />
      {adding && (
        <CreateChannelDrawer
          onClose={() => setAdding(false)}
          onCreated={({ signing_secret: secret, ...channel }) => {
            setAdding(false);
            if (secret !== null) setOpen({ kind: 'secret', channel, secret });
          }}
        />
      )}
      {open?.kind === 'edit' && <EditChannelDrawer channel={open.channel} onClose={close} />}
      {open?.kind === 'delete' && <DeleteChannelDialog channel={open.channel} onClose={close} />}
      {open?.kind === 'end' && <EndSecretDialog channel={open.channel} onClose={close} />}
      {open?.kind === 'rotate' && (
        <RotateSecretDialog
          channel={open.channel}
          onClose={close}
          onRotated={(secret) => setOpen({ kind: 'secret', channel: open.channel, secret })}
        />
      )}
      {open?.kind === 'secret' && <SigningSecretDialog channel={open.channel} secret={open.secret} onClose={close} />}
    </>
  );
}
