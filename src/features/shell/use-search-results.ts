'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import type { Command } from '@/ui/command-registry';
import type { Problem } from '@/ui/error-state';
import { useDebounced } from '../shared/use-timers';
import { readRecent } from './recent-things';
import { resultCommand } from './result-commands';

/** Results of each kind at most. */
const LIMIT = 6;
const NONE: readonly Command[] = [];

/** What the service finds for a text, as commands; for none, the things that were opened last. */
export function useSearchResults(text: string, open: (href: string) => void) {
  const t = useT();
  const trpc = useTRPC();
  const session = useSession();
  const userId = session.status === 'signed_in' ? session.user.id : null;
  // The open page needs no link to itself.
  const [recent] = useState(() => readRecent(userId ?? '').filter((id) => !window.location.pathname.includes(id)));
  const requested = text.trim().slice(0, 200);
  const q = useDebounced(requested, 100);
  const results = useQuery({
    ...trpc.search.find.queryOptions({ q, limit: LIMIT }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const last = useQuery({
    ...trpc.search.find.queryOptions({ recent_ids: recent }),
    enabled: recent.length > 0,
  });
  const commands = useMemo<readonly Command[]>(() => {
    const context = { t, userId, open, query: requested };
    if (requested === '') {
      return last.data?.items.map((item) => resultCommand(item, { ...context, similar: false }, t('Recent'))) ?? NONE;
    }
    const { items = [], similar = false } = results.data ?? {};
    return items.map((item) => resultCommand(item, { ...context, similar }));
  }, [t, userId, open, requested, last.data, results.data]);
  const problem: Problem | null = requested !== '' && results.error ? toFailure(results.error) : null;
  return { commands, problem, searching: requested !== '' && (results.isFetching || q !== requested) };
}
