import type { DeploymentProblem } from '@/domain/deployments';
import type { GuestFilter, GuestIntent } from '@/domain/policy/plan/guest-filter';
import { computeRestoration } from '@/domain/policy/plan/restoration';

/** Interfaces whose flag is not as it should be. */
export function wrongNics(
  state: GuestFilter,
  intent: GuestIntent,
  known: readonly DeploymentProblem[],
): DeploymentProblem[] {
  // One lock holds all interfaces of the guest; it is named once.
  if (known.some(({ code }) => code === 'locked')) return [];
  const restoration = computeRestoration(state, intent);
  const named = (name: string) => known.some(({ message }) => message.startsWith(`${name}:`));
  const off = intent.switch_on ? state.nics.filter(({ firewall }) => !firewall).map(({ name }) => name) : [];
  const on = restoration.kind === 'restore' ? restoration.nics : [];
  return [
    ...off
      .filter((name) => !named(name))
      .map((name) => ({
        code: 'nic_flag_off',
        message: `${name}: the firewall flag could not be set, so no rules are enforced on this interface.`,
        remedy:
          'If a change to the interface is pending, restart the workload. Otherwise, set the flag manually. Then apply the policy again.',
      })),
    ...on
      .filter((name) => !named(name))
      .map((name) => ({
        code: 'nic_flag_on',
        message: `${name}: the firewall flag could not be cleared, so the interface does not have its state from before Fabric.`,
        remedy: 'If a change to the interface is pending, restart the workload. Then retry.',
      })),
  ];
}
