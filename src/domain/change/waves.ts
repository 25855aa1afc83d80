import { z } from 'zod';

/** What happens when some workloads fail: stop and ask, go on with the next wave, or roll everything back. */
export const ON_FAILURE = ['stop', 'continue', 'rollback'] as const;
export const MAX_CANARIES = 200;
export const MAX_CONFIRM_SECONDS = 24 * 3600;

/** The first wave. Without canaries every workload is in one wave. */
export const Canaries = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('count'), count: z.int().min(1).max(MAX_CANARIES) }),
  z.strictObject({ by: z.literal('tag'), tag: z.string().trim().min(1).max(64) }),
  z.strictObject({ by: z.literal('workloads'), workload_ids: z.array(z.uuid()).min(1).max(MAX_CANARIES) }),
]);
export type Canaries = z.output<typeof Canaries>;

export const Waves = z.strictObject({
  canaries: Canaries.nullable().default(null),
  /** How long to wait after the canaries; null: until someone continues. */
  pause_seconds: z.int().min(0).max(MAX_CONFIRM_SECONDS).nullable().default(null),
});
export type Waves = z.output<typeof Waves>;

/** A workload that a change writes to. */
export type Rollout = {
  readonly id: string;
  readonly vmid: number;
  readonly tags: readonly string[];
  /** Observed conversations: where a fault shows first. */
  readonly evidence: number;
  /** It runs Fabric itself, or is on Fabric's way to the hypervisors. */
  readonly own: boolean;
};

export const WAVE_KINDS = ['canary', 'rest', 'own'] as const;
export type WaveKind = (typeof WAVE_KINDS)[number];
export type Wave = { readonly kind: WaveKind; readonly workload_ids: readonly string[] };

const byEvidence = (a: Rollout, b: Rollout) => b.evidence - a.evidence || a.vmid - b.vmid || (a.id < b.id ? -1 : 1);

function chooseCanaries(rollouts: readonly Rollout[], canaries: Canaries): readonly Rollout[] {
  switch (canaries.by) {
    case 'count':
      return [...rollouts].sort(byEvidence).slice(0, canaries.count);
    case 'tag':
      return rollouts.filter(({ tags }) => tags.includes(canaries.tag));
    case 'workloads':
      return rollouts.filter(({ id }) => canaries.workload_ids.includes(id));
  }
}

/**
 * The order in which workloads are written: canaries, the rest, and last those that Fabric itself needs, which are never canaries.
 * Every workload is in exactly one wave; a wave without workloads is left out.
 */
export function planWaves(rollouts: readonly Rollout[], { canaries }: Waves): Wave[] {
  const others = rollouts.filter(({ own }) => !own);
  const first = new Set(canaries ? chooseCanaries(others, canaries) : []);
  const waves: [WaveKind, readonly Rollout[]][] = [
    ['canary', others.filter((one) => first.has(one))],
    ['rest', others.filter((one) => !first.has(one))],
    ['own', rollouts.filter(({ own }) => own)],
  ];
  return waves.flatMap(([kind, members]) =>
    members.length > 0
      ? [{ kind, workload_ids: [...members].sort((a, b) => a.vmid - b.vmid).map(({ id }) => id) }]
      : [],
  );
}
