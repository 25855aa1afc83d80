'use client';
import { PageCrash } from '@/features/shared/page-crash';

export default function ConsoleErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return <PageCrash error={error} onRetry={retry} />;
}
