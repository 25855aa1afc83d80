import { effectiveOptions } from '@/domain/firewall/guest-options';
import type { FilterNic, GuestFilter } from '@/domain/policy/plan/guest-filter';
import { ProviderError } from '../../../providers/hypervisor/errors';
import type { GuestNic, GuestRef, HypervisorProvider } from '../../../providers/hypervisor/types';
import { GuestProblem } from './guest-problem';

/** What is configured at a guest, with what guards writes: digests, and where it runs. */
export type ReadGuest = GuestFilter & {
  readonly ref: GuestRef;
  readonly digests: {
    readonly rules: string;
    readonly options: string;
    readonly sets: Readonly<Record<string, string>>;
  };
};

const nicOf = ({ name, firewall, bridge, mac, pending }: GuestNic): FilterNic => ({
  name,
  firewall,
  editable: bridge !== null && mac !== null && !pending,
});

/**
 * Reads everything that decides what is to be written, or fails: nothing is planned on half a picture. A guest that
 * moved is found.
 * @throws GuestProblem when another guest has got the number, ProviderError
 */
export async function readGuestFilter(
  provider: HypervisorProvider,
  guest: GuestRef,
  fingerprint: string | null,
): Promise<ReadGuest> {
  const config = await provider.inventory.readGuestConfig(guest);
  if (fingerprint !== null && config.creation_fingerprint !== null && config.creation_fingerprint !== fingerprint) {
    throw new GuestProblem({
      code: 'another_guest',
      message: `The number ${guest.vmid} belongs to another guest than the one in the inventory.`,
      remedy: 'Sync the cluster, check the policy, and apply again.',
    });
  }
  const ref: GuestRef = { ...guest, node: config.node };
  const fact = await provider.firewallReader.readGuestFirewall(ref);
  const { rules, options, ipsets, unreadable } = fact;
  if (!rules || !options || !ipsets) {
    const [reason] = unreadable;
    throw new ProviderError(
      reason?.code ?? 'bad_answer',
      reason
        ? `The ${reason.part} of the firewall could not be read: ${reason.message}`
        : 'The firewall could not be read',
      reason?.remedy ?? 'Apply again.',
    );
  }
  const sets = Object.entries(ipsets);
  return {
    ref,
    rules: rules.items,
    options: options.value,
    sets: Object.fromEntries(sets.map(([name, { entries }]) => [name, entries])),
    nics: [
      ...config.nics.map(nicOf),
      // What cannot be understood cannot be switched on, and must not look like an interface less.
      ...config.unreadable.map(({ name }) => ({ name, firewall: false, editable: false })),
    ],
    digests: {
      rules: rules.digest,
      options: options.digest,
      sets: Object.fromEntries(sets.map(([name, { digest }]) => [name, digest])),
    },
  };
}

/** What the defaults are in effect before anything is switched on: off means that everything passes. */
export function defaultsInEffect({ options }: GuestFilter): {
  in: 'ACCEPT' | 'DROP' | 'REJECT';
  out: 'ACCEPT' | 'DROP' | 'REJECT';
} {
  const { enable, policy_in, policy_out } = effectiveOptions(options);
  return enable ? { in: policy_in, out: policy_out } : { in: 'ACCEPT', out: 'ACCEPT' };
}
