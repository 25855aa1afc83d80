'use client';
import { PageCrash } from '@/features/shared/page-crash';

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <PageCrash error={error} onRetry={retry} />
    </main>
  );
}
