'use client';
import { useQuery } from '@tanstack/react-query';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ErrorState } from '@/ui/error-state';
import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';
import { SettingsForm } from './settings-form';

/** What runs by itself, how often, and how long flows are kept. */
export function Settings() {
  const trpc = useTRPC();
  const query = useQuery(trpc.settings.get.queryOptions());
  return (
    <>
      <PageHeader title="Settings" description="They hold for the whole installation and take effect at once." />
      {query.data ? (
        <SettingsForm key={query.data.version} settings={query.data} onReload={() => void query.refetch()} />
      ) : query.error ? (
        <ErrorState problem={failureOf(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
      ) : (
        <Skeleton className="h-96 max-w-2xl" />
      )}
    </>
  );
}
