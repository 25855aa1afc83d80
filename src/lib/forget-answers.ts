import type { QueryClient } from '@tanstack/react-query';
import type { Session } from './session';

/**
 * Empties the cache of answers whenever a session ends, by signing out or by itself, and when another user signs in: what one
 * person has read must not stay in the page for the next. @returns a function that stops it
 */
export function forgetAnswers(
  session: Pick<Session, 'state' | 'subscribe'>,
  queryClient: Pick<QueryClient, 'clear'>,
): () => void {
  let userId = session.state.status === 'signed_in' ? session.state.user.id : null;
  return session.subscribe(() => {
    const { state } = session;
    if (state.status === 'signed_out') queryClient.clear();
    if (state.status !== 'signed_in') return;
    if (userId !== null && userId !== state.user.id) queryClient.clear();
    userId = state.user.id;
  });
}
