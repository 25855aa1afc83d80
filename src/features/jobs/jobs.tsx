'use client';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { useUrlTab } from '../shared/use-url-state';
import { Queues } from './queues';

const TABS = ['runs', 'queues'] as const;

/** What the service does in the background. `runs` is the table of syncs and discoveries, made by another feature. */
export function Jobs({ runs }: { runs: ReactNode }) {
  const t = useT();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.jobs({ tab }));
  return (
    <>
      <PageHeader title={t('Jobs')} description={t('Running, completed and failed background jobs.')} />
      <Tabs
        label={t('Job views')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          { value: 'runs', label: t('Syncs and discoveries'), content: runs },
          { value: 'queues', label: t('Queues'), content: <Queues /> },
        ]}
      />
    </>
  );
}
