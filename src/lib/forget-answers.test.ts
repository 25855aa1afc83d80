import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import { forgetAnswers, type SessionState } from './session';

describe('forget answers', () => {
  const toUser = (id: string) => ({ id }) as CurrentUser;
  const signedIn = (id: string): SessionState => ({ status: 'signed_in', user: toUser(id) });

  /** A session in a given state. */
  function fixture(first: SessionState) {
    let listener = () => {};
    const session = {
      state: first,
      subscribe: (next: () => void) => {
        listener = next;
        return () => {
          listener = () => {};
        };
      },
    };
    const cache = new QueryClient();
    const stop = forgetAnswers(session, cache);
    return {
      stop,
      become(state: SessionState) {
        session.state = state;
        listener();
      },
      read: () => cache.setQueryData(['workloads'], ['web-01']),
      holds: () => cache.getQueryData(['workloads']) !== undefined,
    };
  }

  it.each([
    ['a user signs out', { status: 'signed_out', expired: false }],
    ['the session ends by itself', { status: 'signed_out', expired: true }],
    ['another user signs in', signedIn('bob')],
  ] as const)('forgets what was read when %s', (_when, state) => {
    const { become, read, holds } = fixture(signedIn('ada'));
    read();
    expect(holds()).toBe(true);
    become(state);
    expect(holds()).toBe(false);
  });

  it('keeps it while the same user stays signed in, and after it was stopped', () => {
    const { become, read, holds, stop } = fixture(signedIn('ada'));
    read();
    become(signedIn('ada'));
    expect(holds()).toBe(true);
    stop();
    become({ status: 'signed_out', expired: true });
    expect(holds()).toBe(true);
  });
});
