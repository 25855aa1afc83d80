import { effectiveOptions } from '@/domain/firewall/guest-options';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { FilterNic, GuestFilter } from '@/domain/policy/plan/guest-filter';
import { ProviderError } from '../../../providers/hypervisor/errors';
import type { GuestNic, GuestRef, HypervisorProvider } from '../../../providers/hypervisor/types';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { toGuestSnapshot } from '../../guest-firewall/read-guest-snapshot';
import { assertSameGuest } from './same-guest';

/** What is configured at a guest, with what guards writes: digests, and where it runs. */
export type ReadGuest = GuestFilter & {
  readonly ref: GuestRef;
  /** Creation fingerprint; null: not known. */
  readonly fingerprint: string | null;
  /** Everything of the last complete snapshot, as a preview sees it. Single steps do not renew it. */
  readonly snapshot: GuestSnapshot;
  readonly digests: {
    readonly rules: string;
    readonly options: string;
    readonly sets: Readonly<Record<string, string>>;
  };
};

/** Without a bridge there is nothing to filter at and no flag to set; previews leave such an interface out. */
const unbridged = ({ name, firewall }: GuestNic): FilterNic => ({ name, firewall, editable: false, unbridged: true });

/**
 * Reads everything that decides what is to be written, or fails: nothing is planned on half a picture. A guest that
 * moved is found.
 * @param needsAliases whether aliases count, because switches are restored; else they may be unreadable
 * @throws GuestProblem when another guest has got the number, ProviderError
 */
export async function readGuestFilter(
  provider: HypervisorProvider,
  guest: GuestRef,
  fingerprint: string | null,
  needsAliases = false,
): Promise<ReadGuest> {
  const config = await provider.inventory.readGuestConfig(guest);
  assertSameGuest(config, fingerprint, guest);
  const ref: GuestRef = { ...guest, node: config.node };
  const fact = await provider.firewallReader.readGuestFirewall(ref);
  const { rules, options, ipsets, aliases, unreadable } = fact;
  if (!rules || !options || !ipsets || (needsAliases && !aliases)) {
    const [reason] = unreadable;
    throw new ProviderError(
      reason?.code ?? 'bad_answer',
      reason
        ? `The ${reason.part} of the firewall could not be read: ${reason.message}`
        : 'The firewall could not be read',
      reason?.remedy ?? 'Apply the policy again.',
    );
  }
  const snapshot = toGuestSnapshot(fact, config, guest.kind);
  const filter = toGuestFilter(snapshot);
  if (!filter) throw new Error(`guest ${guest.vmid}: expected a complete snapshot to have a filter`);
  const sets = Object.entries(ipsets);
  return {
    ...filter,
    ref,
    fingerprint: fingerprint ?? config.creation_fingerprint,
    snapshot,
    nics: [...filter.nics, ...config.nics.filter(({ bridge }) => bridge === null).map(unbridged)],
    ...(aliases && { aliases }),
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
