'use client';
import { ErrorState } from './error-state';

type Props = { error: unknown; retry: () => void };

/** In place of a page that failed while it was drawn. Shows no message of the exception: it is not written for people. */
export function PageProblem({ error, retry }: Props) {
  return (
    <div className="flex flex-1 items-center justify-center">
      <ErrorState
        problem={{
          title: 'This page could not be shown',
          detail: 'Try again. If it happens again, reload the page and tell an administrator what you did.',
          request_id: digestOf(error),
        }}
        onRetry={retry}
      />
    </div>
  );
}

/** The id under which the server logged it, when it happened there. */
function digestOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return undefined;
  return typeof error.digest === 'string' ? error.digest : undefined;
}
