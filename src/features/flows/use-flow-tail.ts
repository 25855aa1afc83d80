'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { EvaluatedFlow } from '@/domain/flow/flow';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import type { FlowView } from './use-flow-view';

const POLL_MS = 2_000;
const PER_POLL = 300;

type Tail = { rows: EvaluatedFlow[]; next_after: string; more: boolean };

/** Flows as they are stored, the newest first, while `enabled`; `paused` keeps what is shown and asks for nothing. */
export function useFlowTail(
  filter: FlowView['flowFilter'],
  { enabled, paused }: { enabled: boolean; paused: boolean },
) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const queryKey = [...trpc.flows.tail.queryKey(), filter];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Tail> => {
      const known = queryClient.getQueryData<Tail>(queryKey);
      const answer = await client.flows.tail.query(
        { ...filter, limit: PER_POLL, after: known?.next_after },
        { signal },
      );
      return {
        rows: mergeTail(known?.rows ?? [], answer.items),
        next_after: answer.next_after,
        more: answer.more,
      };
    },
    enabled,
    refetchInterval: paused ? false : POLL_MS,
    refetchOnWindowFocus: !paused,
    // A tail that was left starts again.
    gcTime: 0,
    staleTime: 0,
  });
}

/** More than anyone reads as it arrives. */
export const TAIL_ROWS = 500;

/** What is shown while flows are followed: known ones give way to their newer selves; the newest first, at most `TAIL_ROWS`. */
export function mergeTail(shown: readonly EvaluatedFlow[], arrived: readonly EvaluatedFlow[]): EvaluatedFlow[] {
  const byId = new Map(shown.map((flow) => [flow.id, flow]));
  for (const flow of arrived) byId.set(flow.id, flow);
  return [...byId.values()]
    .sort((a, b) => (a.observed_at === b.observed_at ? (a.id < b.id ? 1 : -1) : a.observed_at < b.observed_at ? 1 : -1))
    .slice(0, TAIL_ROWS);
}
