/**
 * Suggested policies: 100,000 conversations of 300 workloads, from classification to the drafts of all positions.
 * Run: npx tsx packages/bench/suggestions.ts
 * Bars: all positions within 30 s, and one draft, which a slider asks for, within 1 s. Times are of the processor, garbage collection
 * included. Reading conversations from the database is not part of it.
 */

import { computeSuggestion, DEFAULT_WIDTHS, getDraftOptions, toChosen } from '@/domain/suggestion/compute';
import { draftPolicies } from '@/domain/suggestion/draft';
import { plantPolicy } from '@/domain/suggestion/planted.fixture';
import { expectBar, ms } from './stats';

async function measureCpuTime<T>(work: () => T | Promise<T>): Promise<[T, number]> {
  const started = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(started);
  return [value, (user + system) / 1_000];
}

const percent = (share: number | null) => (share === null ? 'unknown' : `${(share * 100).toFixed(2)} %`);

for (const conversations of [100_000, 10_000]) {
  const { workloads, pairs, tightness } = plantPolicy(1, { workloads: 300, groups: 20, conversations });
  const facts = {
    pairs,
    workloads,
    broadcasts: new Set<string>(),
    known_groups: [],
    taken: { groups: [], policies: [] },
  };
  const [found, allMs] = await measureCpuTime(() => computeSuggestion(facts, () => Promise.resolve()));
  const best = found.positions.find(({ position }) => position === found.recommended);
  const [drafted, draftMs] = await measureCpuTime(() =>
    draftPolicies(
      found.evidence,
      toChosen(best?.groups ?? []),
      getDraftOptions(best?.position ?? 1, DEFAULT_WIDTHS, true),
    ),
  );
  console.log(
    `${conversations} conversations of 300 workloads: ${ms(allMs)}; one draft: ${ms(draftMs)} (${drafted.groups.length} groups, ` +
      `${drafted.policies.length} policies; held out ${percent(drafted.coverage.held_out)}, tightness ${percent(drafted.tightness)}, ` +
      `of the planted policy ${percent(tightness)})`,
  );
  expectBar(`${conversations} conversations of 300 workloads within 30 s`, allMs <= 30_000);
  expectBar('one draft within 1 s', draftMs <= 1_000);
}
