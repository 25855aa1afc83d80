'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
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
        actions={
          <Link className={buttonClass()} href={paths.forwarding()}>
            {t('Log forwarding')}
          </Link>
        }
      />
      <QueryView query={query} skeleton={<Skeleton className="h-96 max-w-2xl" />}>
        {(settings) => <SettingsForm settings={settings} />}
      </QueryView>
    </>
  );
}
