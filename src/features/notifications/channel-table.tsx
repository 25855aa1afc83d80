'use client';
import { Plus, Send } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { CHANNEL_KINDS, CHANNEL_SORTS, type NotificationChannel } from '@/domain/notifications/channel';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { channelColumns, channelKindOptions } from './channel-columns';
import { DeleteChannelDialog } from './channel-dialogs';
import { CreateChannelDrawer, EditChannelDrawer } from './channel-drawers';
import { EndSecretDialog, RotateSecretDialog } from './secret-dialogs';
import { SigningSecretDialog } from './signing-secret-dialog';
import { useTenantFacet } from './tenant-facet';
import { useChannelTest } from './use-channel-test';

const LIST = {
  sorts: CHANNEL_SORTS,
  defaultSort: 'name',
  filters: { kind: CHANNEL_KINDS, tenant_id: 'id_or_none' },
} as const;

type Open =
  | { kind: 'edit' | 'delete' | 'rotate' | 'end'; channel: NotificationChannel }
  | { kind: 'secret'; channel: NotificationChannel; secret: string };

/** The channels, with how their last delivery went. A row opens its form. */
export function ChannelTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const [open, setOpen] = useState<Open | null>(null);
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const close = () => setOpen(null);
  const test = useChannelTest();
  const columns = useMemo(() => channelColumns(t), [t]);
  const list = useServerList<NotificationChannel>({
    name: 'channels',
    columns,
    state,
    pathKey: trpc.notificationChannels.list.pathKey(),
    fetchPage: (page, signal) => client.notificationChannels.list.query({ ...state.input, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => void setAdding(true)}
      disabledReason={writeReason}
    >
      {t('Add channel')}
    </Button>
  );
  const { kind } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: t('Search channels'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'kind',
            label: t('Kind'),
            single: true,
            options: channelKindOptions(t),
            value: kind === null ? [] : [kind],
            onValueChange: ([value]) => state.setFilter('kind', CHANNEL_KINDS.find((one) => one === value) ?? null),
          },
          ...tenantFacet,
        ]}
        onClear={state.clear}
      >
        {create}
      </FilterBar>
      <DataTable
        {...list}
        id="notification-channels"
        label={t('Channels')}
        noun={{ one: t('channel'), many: t('channels') }}
        rowId={(channel) => channel.id}
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
              onSelect: () => test.mutate({ id: channel.id }),
              disabledReason: writeReason ?? (!channel.enabled && t('It is switched off.')),
            },
            {
              id: 'rotate',
              label: t('New signing secret'),
              onSelect: () => setOpen({ kind: 'rotate', channel }),
              disabledReason: writeReason ?? (channel.kind !== 'webhook' && t('Only webhooks are signed.')),
            },
            {
              id: 'end-secret',
              label: t('End old secret'),
              onSelect: () => setOpen({ kind: 'end', channel }),
              disabledReason: writeReason ?? (channel.previous_secret_until === null && t('There is no old secret.')),
            },
            {
              id: 'delete',
              label: t('Delete channel'),
              tone: 'danger',
              onSelect: () => setOpen({ kind: 'delete', channel }),
              disabledReason: writeReason ?? (channel.rules_total > 0 && t('Rules use it: take it out of them first.')),
            },
          ],
        })}
        empty={
          <EmptyState icon={<Send />} title={t('No channels yet')} action={create}>
            {t('A channel leads out of this service: to a webhook, for example of a chat system, or to mailboxes.')}
          </EmptyState>
        }
      />
      {adding && writeReason === null && (
        <CreateChannelDrawer
          onClose={() => void setAdding(null)}
          onCreated={({ signing_secret: secret, ...channel }) => {
            void setAdding(null);
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
