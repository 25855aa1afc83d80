'use client';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { ClusterCheckInput, type ClusterCheckReport } from '@/domain/cluster';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { type ConnectionValues, connectionKey, toCheckInput } from './connection-values';

type Checked = { key: string; report: ClusterCheckReport };

/**
 * Tries the connection that a form describes. The report is given only while the form still describes the same connection;
 * `run` resolves to null when the form is not complete or the service could not try.
 */
export function useConnectionCheck<Out>(form: UseFormReturn<ConnectionValues, unknown, Out>, clusterId: string | null) {
  const [checked, setChecked] = useState<Checked | null>(null);
  // The newest try; an answer to an older one is about something that the form no longer says.
  const tried = useRef<string | null>(null);
  const check = useMutation(useTRPC().clusters.check.mutationOptions());
  const values = form.watch(['api_url', 'api_token', 'tls_fingerprint']);
  const key = connectionKey({ api_url: values[0], api_token: values[1], tls_fingerprint: values[2] });
  const current = checked?.key === key ? checked.report : null;

  const read = () => {
    const now = form.getValues();
    const input = ClusterCheckInput.safeParse(toCheckInput(now, clusterId));
    const tokenMissing = clusterId === null && now.api_token.trim() === '';
    return input.success && !tokenMissing ? { input: input.data, key: connectionKey(now) } : null;
  };
  const run = async (): Promise<ClusterCheckReport | null> => {
    const now = read();
    if (!now) {
      await form.trigger(['api_url', 'api_token', 'tls_fingerprint'], { shouldFocus: true });
      return null;
    }
    tried.current = now.key;
    try {
      const report = await check.mutateAsync(now.input);
      if (tried.current !== now.key) return null;
      setChecked({ key: now.key, report });
      return report;
    } catch {
      // Shown as `error`.
      return null;
    }
  };
  return {
    report: current,
    run,
    /** Whether the form is complete and describes something that was not tried yet. */
    untried: () => {
      const now = read();
      return now !== null && now.key !== tried.current;
    },
    pending: check.isPending,
    error: check.error ? toFailure(check.error) : null,
  };
}
