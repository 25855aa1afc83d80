'use client';
import { PageProblem } from '@/ui/page-problem';

export default function RootError(props: { error: unknown; retry: () => void }) {
  return (
    <main className="flex min-h-dvh flex-col">
      <PageProblem {...props} />
    </main>
  );
}
