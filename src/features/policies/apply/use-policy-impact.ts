'use client';
import { useState } from 'react';
import type { Policy } from '@/domain/policies';
import { useTRPCClient } from '@/lib/trpc';
import { useApplyImpact } from '../../shared/impact/apply-impact';

/**
 * The impact of applying a policy, computed once the preview was read: reading may find that what is live differs from what was
 * known.
 * @param round another one for each preview
 * @param isRead whether the preview was read
 */
export function usePolicyImpact({ id, version }: Pick<Policy, 'id' | 'version'>, round: number, isRead: boolean) {
  const client = useTRPCClient();
  // Each dialog asks for its own.
  const [opened] = useState(() => Date.now());
  return useApplyImpact(
    isRead
      ? {
          key: ['apply', id, version, opened, round],
          ask: (times, signal) => client.impacts.ofPolicy.mutate({ id, ...times }, { signal }),
        }
      : null,
  );
}
