'use client';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { DataProvider } from '@/lib/trpc';

/** What every page depends on: URL state, and the procedures with their cache. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <NuqsAdapter>
      <DataProvider>{children}</DataProvider>
    </NuqsAdapter>
  );
}
