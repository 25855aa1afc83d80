'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Impact } from '@/domain/impact/impact';
import { msg } from '@/lib/i18n/translator';
import { useTRPC } from '@/lib/trpc';
import { SPANS, spanMs, type TimeRange } from '../time-range';

const POLL_MS = 1000;
/** One that was computed a moment ago is shown again instead of computing another one. */
const FRESH_MS = 5 * 60_000;

export type AskedTimes = { since?: string; until?: string };

/** The window of a new impact. */
export const DAY: TimeRange = { range: '24h', since: null, until: null };

/** Windows to choose from. The longest is the retention of hourly rollups. */
export const IMPACT_SPANS = [
  ...SPANS.filter(({ value }) => ['24h', '7d', '30d'].includes(value)),
  { value: '400d', label: msg('Last 400 days') },
];

/** The window as it is asked for: nothing is the last 24 hours. */
export function toRequestedTimes({ range, since, until }: TimeRange, now: number): AskedTimes {
  if (since !== null || until !== null) return { ...(since && { since }), ...(until && { until }) };
  const length = spanMs(range ?? '1h') ?? 0;
  return range === DAY.range ? {} : { since: new Date(now - length).toISOString() };
}

/** The window of an impact to be computed again: one that ended when it was asked for ends now, another one stays. */
export function toRerunTimes({ window: { since, until }, created_at }: Impact, now: number): AskedTimes {
  const length = Date.parse(until) - Date.parse(since);
  if (Date.parse(created_at) - Date.parse(until) > 2 * 60_000) return { since, until };
  return length === spanMs(DAY.range) ? {} : { since: new Date(now - length).toISOString() };
}

/** What an impact is computed of. */
export type ImpactQuestion = {
  /** What distinguishes it from others. */
  key: readonly unknown[];
  ask: (times: AskedTimes, signal: AbortSignal) => Promise<Impact>;
};

/** One impact; while it is computed, what was found so far. */
export function useImpact(id: string | null) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery({
    ...trpc.impacts.get.queryOptions({ id: id ?? '' }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
  const status = query.data?.status;
  const before = useRef(status);
  useEffect(() => {
    // Lists of what was found so far lack the rest.
    if (before.current === 'running' && status !== 'running') {
      void queryClient.invalidateQueries(trpc.impacts.conversations.pathFilter());
    }
    before.current = status;
  }, [status, queryClient, trpc]);
  return query;
}

/** Has an impact computed, and follows it. Without a question nothing is computed. */
export function useAskedImpact(question: ImpactQuestion | null, range: TimeRange) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const asked = useQuery({
    queryKey: ['impact-asked', ...(question?.key ?? []), range],
    queryFn: async ({ signal }) => {
      if (!question) throw new Error('nothing was asked');
      const impact = await question.ask(toRequestedTimes(range, Date.now()), signal);
      queryClient.setQueryData(trpc.impacts.get.queryKey({ id: impact.id }), impact);
      return impact.id;
    },
    enabled: question !== null,
    staleTime: FRESH_MS,
    gcTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  const read = useImpact(asked.data ?? null);
  const error = asked.error ?? read.error;
  return {
    impact: asked.error ? undefined : read.data,
    error,
    /** A new one is on its way. */
    asking: asked.isFetching,
    /** Computes it of what is live now. */
    again: () => void asked.refetch(),
  };
}
