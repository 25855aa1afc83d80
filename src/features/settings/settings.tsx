'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { QueryView } from '../shared/query-view';
import { SettingsForm } from './settings-form';

/** What runs by itself, how often, and how long flows are kept. */
export function Settings() {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.settings.get.queryOptions());
  return (
    <>
      <PageHeader
        title={t('Settings')}
        description={t('Settings apply to the whole installation and take effect immediately.')}
      />
      <QueryView query={query} skeleton={<Skeleton className="h-96 max-w-2xl" />}>
        {(settings) => <SettingsForm key={settings.version} settings={settings} />}
      </QueryView>
    </>
  );
}
