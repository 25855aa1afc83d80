'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { QueryView } from '../../shared/query-view';
import { ProviderForm } from './provider-form';

/** Sign-in with the accounts of an organization: the provider, and the roles that its groups assign. */
export function ProviderPage() {
  const t = useT();
  const query = useQuery(useTRPC().signInProvider.get.queryOptions());
  return (
    <>
      <PageHeader
        title={t('Sign-in provider')}
        description={t(
          "Users sign in with their organization's account (OpenID Connect). Password sign-in keeps working.",
        )}
        badge={
          query.data && (
            <Badge tone={query.data.enabled ? 'ok' : 'off'}>{query.data.enabled ? t('On') : t('Off')}</Badge>
          )
        }
      />
      <QueryView query={query} skeleton={<Skeleton className="h-96 max-w-3xl" />}>
        {(provider) => <ProviderForm key={provider.version} provider={provider} />}
      </QueryView>
    </>
  );
}
