'use client';
import { Shell } from '@/features/shell/shell';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { showToast } from '@/ui/toast';
import { LargeTable } from '../kit-table';

export function KitShell() {
  return (
    <Shell
      user={{ name: 'Ada Lovelace', email: 'ada@example.net', role: 'Security engineer' }}
      permissions={['*']}
      onSignOut={() => showToast('info', { title: 'Signed out' })}
    >
      <PageTrail crumbs={[{ label: 'Component kit', href: '/kit' }, { label: 'Shell' }]} />
      <PageHeader title="Guests" description="Rows made by arithmetic." />
      <LargeTable />
    </Shell>
  );
}
