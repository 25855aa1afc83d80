'use client';
import { BellRing, Send } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useCommands } from '@/ui/command-registry';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-tab';
import { ChannelTable } from './channel-table';
import { DeliveryTable } from './delivery-table';
import { IncidentTable } from './incident-table';
import { MailSettings } from './mail-settings';
import { RuleTable } from './rule-table';

const TABS = ['incidents', 'rules', 'channels', 'deliveries', 'email'] as const;

/** What is reported, where to, and what became of it. */
export function Notifications() {
  const t = useT();
  const router = useRouter();
  const { can } = usePermissions();
  const mayWrite = can('notification:write');
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.notifications({ tab }));
  useCommands(
    useMemo(() => {
      if (!mayWrite) return [];
      const group = t('Notifications');
      const add = (where: string) => () => router.push(paths.notifications({ tab: where, add: true }));
      return [
        {
          id: 'notifications.rule',
          label: t('Create notification rule'),
          group,
          icon: <BellRing />,
          run: add('rules'),
        },
        {
          id: 'notifications.channel',
          label: t('Add notification channel'),
          group,
          icon: <Send />,
          run: add('channels'),
        },
      ];
    }, [t, mayWrite, router]),
  );
  return (
    <>
      <PageHeader
        title={t('Notifications')}
        description={t('Rules are evaluated once a minute and notify users in the bell menu, by webhook or by email.')}
      />
      <Tabs
        label={t('Notification sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'incidents', label: t('Incidents'), content: <IncidentTable /> },
          { value: 'rules', label: t('Rules'), content: <RuleTable /> },
          { value: 'channels', label: t('Channels'), content: <ChannelTable /> },
          { value: 'deliveries', label: t('Deliveries'), content: <DeliveryTable /> },
          ...(can('settings:read') ? [{ value: 'email', label: t('Email'), content: <MailSettings /> }] : []),
        ]}
      />
    </>
  );
}
