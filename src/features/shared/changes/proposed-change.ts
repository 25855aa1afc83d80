import type { Failure } from '@/lib/problem';
import type { RouterInputs } from '@/lib/trpc';

/** A change as the service proposes it. */
export type ProposedChange = RouterInputs['changes']['create'];

const isProposed = (value: unknown): value is ProposedChange =>
  typeof value === 'object' && value !== null && 'title' in value && 'items' in value;

/**
 * The change to submit when a call was refused because it needs approval. Null for any other failure.
 */
export function findProposedChange(failure: Pick<Failure, 'extra'> | null): ProposedChange | null {
  if (failure?.extra?.reason !== 'approval_required') return null;
  const { change } = failure.extra;
  return isProposed(change) ? change : null;
}

/** A failure as a dialog shows it: not the one that the notice about a required approval shows already. */
export const withoutProposed = <F extends Pick<Failure, 'extra'>>(failure: F | null): F | null =>
  findProposedChange(failure) ? null : failure;
