import type { Metadata } from 'next';
import { PageNotFound } from '@/features/shared/page-not-found';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">Not found</h1>
      <PageNotFound />
    </main>
  );
}
