'use client';
import { UserRoundX } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { Dashboard } from '@/features/dashboard/dashboard';
import { visibleNavigation } from '@/features/shell/navigation';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { EmptyState } from '@/ui/empty-state';
import { PageHeader } from '@/ui/page-header';

/** The first page: the dashboard, or for those who may not see it the first section that they may see. */
export function Home() {
  const t = useT();
  const router = useRouter();
  const state = useSession();
  const permissions = state.status === 'signed_in' ? state.user.permissions : [];
  const first = visibleNavigation(permissions)[0]?.entries[0];
  const elsewhere = first && first.id !== 'dashboard' ? first.href : null;
  useEffect(() => {
    if (elsewhere) router.replace(elsewhere);
  }, [elsewhere, router]);
  if (first?.id === 'dashboard') return <Dashboard />;
  if (first) return null;
  return (
    <>
      <PageHeader title={t('Welcome')} />
      <EmptyState icon={<UserRoundX />} title={t('You have no role yet')}>
        {t('Ask an administrator for a role. This page then shows what you may view.')}
      </EmptyState>
    </>
  );
}
