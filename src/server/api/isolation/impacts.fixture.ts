import { vi } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { runImpact } from '@/server/enforcement/impact/run-impact';
import { runSuggestion } from '@/server/enforcement/suggestions/run-suggestion';
import { impactCompute, suggestionCompute } from '@/server/jobs/definitions';
import * as jobs from '@/server/jobs/enqueue';

/**
 * Carries out what a worker would do about an impact or a suggestion while it is asked for, so that every answer is a computed one: without a
 * worker, a request that waits for it would wait until its time is over, and the contents of impacts would never be compared.
 */
export function computeImpactsInline(): void {
  const enqueue = jobs.enqueue;
  vi.spyOn(jobs, 'enqueue').mockImplementation(async (job, payload) => {
    if (job.name === suggestionCompute.name) {
      const { suggestion_id } = suggestionCompute.payload.parse(payload);
      return runSuggestion(suggestion_id, { signal: new AbortController().signal });
    }
    if (job.name !== impactCompute.name) return enqueue(job, payload);
    const { impact_id } = impactCompute.payload.parse(payload);
    await runImpact(impact_id, { signal: new AbortController().signal });
  });
}

/**
 * Deletes impacts that were asked for since a time: who asks again gets one that is computed again. Those from before stay, so that
 * what happens to one that a tenant knows is compared as well.
 */
export const deleteImpacts = async (since: number): Promise<void> => {
  await sqlClient()`delete from impacts where created_at >= ${new Date(since).toISOString()}`;
};
