'use client';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, splitLink } from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { isHeavyCall, MAX_BATCH_CALLS } from '@/domain/heavy-operations';
import type { AppRouter } from '@/server/api/root';
import { browserSession } from './browser-session';
import { isTransient, retryDelay, toFailure } from './problem';
import { forgetAnswers } from './session';

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export { useTRPC, useTRPCClient };

/** What procedures answer, as it arrives in the browser: `RouterOutputs['audit']['get']`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
/** What procedures take. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** A role now requires a second factor: the session's permissions must be reloaded; the gate asks for the factor. */
function onRefusal(error: unknown): void {
  if (toFailure(error).extra?.reason !== 'second_factor_not_set_up') return;
  const { session } = browserSession();
  // A failure here shows at the next request.
  if (session.state.status === 'signed_in' && !session.state.user.must_enrol) session.reload().catch(() => undefined);
}

function makeQueryClient() {
  return new QueryClient({
    queryCache: new QueryCache({ onError: onRefusal }),
    mutationCache: new MutationCache({ onError: onRefusal }),
    defaultOptions: {
      queries: {
        // Live events invalidate what changed; this bounds how long a missed event can hide.
        staleTime: 15_000,
        retry: (failures, error) => failures < 2 && isTransient(toFailure(error)),
        retryDelay: (attempt, error) => retryDelay(attempt, toFailure(error)),
      },
      mutations: { retry: false },
    },
  });
}

const batches = () =>
  httpBatchLink<AppRouter>({
    url: '/api/trpc',
    maxURLLength: 4000,
    maxItems: MAX_BATCH_CALLS,
    fetch: (input, init) => {
      const { body, headers, method, signal } = init ?? {};
      // Bodies of procedures are JSON text; a stream or form could not be sent a second time after a 401.
      if (body != null && typeof body !== 'string') throw new TypeError('a procedure takes JSON only');
      return browserSession().authFetch(String(input), { method, headers, signal, body, cache: 'no-store' });
    },
  });

/** A batch is answered as a whole: light calls do not wait for the turn of heavy ones. */
const makeTrpcClient = () =>
  createTRPCClient<AppRouter>({
    links: [splitLink({ condition: ({ path, input }) => isHeavyCall(path, input), true: batches(), false: batches() })],
  });

/** Gives the tree its procedures and the cache of their answers; emptied when the session ends and when another user signs in. */
export function DataProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient);
  const [trpcClient] = useState(makeTrpcClient);
  useEffect(() => forgetAnswers(browserSession().session, queryClient), [queryClient]);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
