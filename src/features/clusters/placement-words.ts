import type { Cluster } from '@/domain/cluster';

/** Where this service's rules stand among those that others made on a guest. */
export const PLACEMENT_WORDS: Record<Cluster['rule_placement'], { label: string; description: string }> = {
  above: { label: 'Above other rules', description: 'Policies decide first; rules made elsewhere see what is left.' },
  below: { label: 'Below other rules', description: 'Rules made elsewhere decide first; policies see what is left.' },
};
