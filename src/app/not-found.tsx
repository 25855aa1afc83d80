import { FileQuestion } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={<FileQuestion />}
        title="There is no page at this address"
        action={
          <Link href={paths.home()} className={buttonClass({ variant: 'primary' })}>
            Go to the start page
          </Link>
        }
      >
        It may have been moved, or what it showed was deleted.
      </EmptyState>
    </main>
  );
}
