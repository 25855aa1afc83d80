import { bench } from './bench';
import { chaos } from './chaos';
import { enterprise } from './enterprise';
import type { Scenario } from './scenario';
import { smallLab } from './small-lab';

/** Scenarios that can be started by name. */
export const scenarios: Record<string, () => Scenario> = {
  'small-lab': () => smallLab,
  enterprise: () => enterprise(),
  chaos: () => chaos,
  bench: () => bench(8, 1000),
};
