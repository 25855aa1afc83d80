'use client';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { loadTab } from '../shared/load-tab';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { IncidentTable } from './incident-table';

const ChannelTable = loadTab(() => import('./channel-table').then((module) => module.ChannelTable));
const DeliveryTable = loadTab(() => import('./delivery-table').then((module) => module.DeliveryTable));
const MailSettings = loadTab(() => import('./mail-settings').then((module) => module.MailSettings));
const RuleTable = loadTab(() => import('./rule-table').then((module) => module.RuleTable));

const TABS = ['incidents', 'rules', 'channels', 'deliveries', 'email'] as const;

/** What is reported, where to, and what became of it. */
export function Notifications() {
  const t = useT();
  const { can } = usePermissions();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.notifications({ tab }));
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
