'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { loadTab } from '../../shared/load-tab';
import { QueryView } from '../../shared/query-view';
import { useUrlTab } from '../../shared/use-url-state';

const ProviderForm = loadTab(() => import('./provider-form').then((module) => module.ProviderForm));
const DirectoryForm = loadTab(() => import('./directory-form').then((module) => module.DirectoryForm));

const TABS = ['oidc', 'directory'] as const;

/** Sign-in with the accounts of an organization: OpenID Connect or a directory, and the roles that groups assign. */
export function ProviderPage() {
  const t = useT();
  const trpc = useTRPC();
  const provider = useQuery(trpc.signInProvider.get.queryOptions());
  const directory = useQuery(trpc.directory.get.queryOptions());
  const [tab, openTab] = useUrlTab(TABS, (next) => paths.signInProvider({ tab: next }));
  const shown = tab === 'directory' ? directory.data : provider.data;
  return (
    <>
      <PageHeader
        title={t('Sign-in provider')}
        description={t("Users sign in with their organization's account. Password sign-in keeps working.")}
        badge={shown && <Badge tone={shown.enabled ? 'ok' : 'off'}>{shown.enabled ? t('On') : t('Off')}</Badge>}
      />
      <Tabs
        label={t('Kinds of sign-in')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'oidc',
            label: t('OpenID Connect'),
            content: (
              <QueryView query={provider} skeleton={<Skeleton className="h-96 max-w-3xl" />}>
                {(stored) => <ProviderForm provider={stored} />}
              </QueryView>
            ),
          },
          {
            value: 'directory',
            label: t('Directory (LDAP)'),
            content: (
              <QueryView query={directory} skeleton={<Skeleton className="h-96 max-w-3xl" />}>
                {(stored) => <DirectoryForm directory={stored} />}
              </QueryView>
            ),
          },
        ]}
      />
    </>
  );
}
