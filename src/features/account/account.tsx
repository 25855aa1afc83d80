'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { loadTab } from '../shared/load-tab';
import { QueryView } from '../shared/query-view';
import { useUrlTab } from '../shared/use-url-state';
import { Profile } from './profile';

const OwnTokens = loadTab(() => import('./own-tokens').then((module) => module.OwnTokens));
const PasswordForm = loadTab(() => import('./password-form').then((module) => module.PasswordForm));
const SecondFactor = loadTab(() => import('./second-factor').then((module) => module.SecondFactor));
const SessionTable = loadTab(() => import('./session-table').then((module) => module.SessionTable));

const TABS = ['profile', 'security', 'tokens'] as const;

/** The user's own account: identity and permissions, the password and the sign-ins, and tokens for programs. */
export function Account() {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.account.me.queryOptions());
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.account({ tab }));
  return (
    <>
      <PageHeader title={t('Account')} />
      <Tabs
        label={t('Account sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'profile',
            label: t('Profile'),
            content: (
              <QueryView query={query} skeleton={<Skeleton className="h-64 max-w-2xl" />}>
                {(user) => <Profile user={user} />}
              </QueryView>
            ),
          },
          {
            value: 'security',
            label: t('Security'),
            content: (
              <div className="flex flex-col gap-6">
                <PasswordForm />
                <SecondFactor />
                <SessionTable />
              </div>
            ),
          },
          { value: 'tokens', label: t('API tokens'), content: <OwnTokens /> },
        ]}
      />
    </>
  );
}
