import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';

/** Where this service's rules stand among those that others made on a guest. */
export const PLACEMENT_WORDS: Record<Cluster['rule_placement'], { label: string; description: string }> = {
  above: {
    label: msg('Above other rules'),
    description: msg('Policies decide first; rules made elsewhere see what is left.'),
  },
  below: {
    label: msg('Below other rules'),
    description: msg('Rules made elsewhere decide first; policies see what is left.'),
  },
};
