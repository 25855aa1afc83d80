'use client';
import { PageHeader } from '@/ui/page-header';
import { KitActions } from './kit-actions';
import { KitDisplay } from './kit-display';
import { KitForm } from './kit-form';
import { KitOverlays } from './kit-overlays';
import { KitStates } from './kit-states';
import { KitTable } from './kit-table';
import { KitTheme } from './kit-theme';

export function KitPage() {
  return (
    <main className="mx-auto flex max-w-6xl flex-col px-4 py-6">
      <PageHeader title="Component kit" description="Every component in every state. No data." actions={<KitTheme />} />
      <KitActions />
      <KitStates />
      <KitDisplay />
      <KitForm />
      <KitOverlays />
      <KitTable />
    </main>
  );
}
