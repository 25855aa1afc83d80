'use client';
import { toFailure } from '@/lib/problem';
import { ErrorState } from '@/ui/error-state';

/** In place of a page whose code failed. The digest finds the error in the server's log when it arose there. */
export function PageCrash({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const digest = typeof error === 'object' && error !== null && 'digest' in error ? String(error.digest) : undefined;
  return <ErrorState problem={{ ...toFailure(error), request_id: digest }} onRetry={onRetry} />;
}
