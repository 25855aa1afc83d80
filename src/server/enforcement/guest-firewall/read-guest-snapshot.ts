import { setTimeout as delay } from 'node:timers/promises';
import type { LiveNic } from '@/domain/firewall/live-state';
import { isNicModelReadable } from '@/domain/firewall/nftables-compile-failure';
import type { GuestSnapshot, UnreadableNote } from '@/domain/firewall/snapshot';
import { isSameFingerprintKind } from '../../inventory/reconcile/interfaces';
import { ProviderError } from '../../providers/hypervisor/errors';
import type { GuestFirewallFact } from '../../providers/hypervisor/firewall-types';
import type { GuestConfig, GuestNic, GuestRef, HypervisorProvider } from '../../providers/hypervisor/types';
import { type Content, isEmptied, readConfirmed } from './emptied';

/** A guest as it is asked for; the fingerprint tells it from a later one with the same number. */
export type LiveTarget = GuestRef & { readonly creation_fingerprint: string | null };

/** Longer than a slow node takes, shorter than a user waits for a page. */
const GUEST_TIMEOUT_MS = 20_000;

/** Nothing is known about the guest, for this reason. */
export function unreadableGuest(note: Omit<UnreadableNote, 'part'>, presence: GuestSnapshot['presence'] = 'unknown') {
  const unreadable: UnreadableNote[] = [{ part: 'guest', ...note }];
  return {
    presence,
    options: null,
    rules: null,
    ipsets: null,
    aliases: null,
    nics: null,
    pending_nics: [],
    unreadable,
  } satisfies GuestSnapshot;
}

const toUnreadableNote = (error: ProviderError): Omit<UnreadableNote, 'part'> => ({
  code: error.code,
  message: error.message.slice(0, 500),
  remedy: error.remedy.slice(0, 500),
});

/** The addresses that a container's card has by configuration. */
function staticAddresses(nic: GuestNic, kind: GuestRef['kind']): string[] {
  if (kind !== 'lxc' || !nic.ip_config) return [];
  return [nic.ip_config.ip, nic.ip_config.ip6].filter(
    (text): text is string => text !== undefined && /^[0-9a-f.:]+(\/\d+)?$/i.test(text),
  );
}

/** Cards that can filter: those on a bridge. A card that could not be understood may or may not. */
function liveNics(config: GuestConfig, kind: GuestRef['kind']): LiveNic[] {
  const known = config.nics
    .filter(({ bridge }) => bridge !== null)
    .map((nic): LiveNic => {
      const addresses = staticAddresses(nic, kind);
      const { name, firewall, mac, bridge, model } = nic;
      return {
        name,
        firewall,
        mac,
        ...(bridge !== null && { bridge }),
        ...(addresses.length > 0 && { static_addresses: addresses }),
        ...(kind === 'qemu' && model !== null && !isNicModelReadable(model) && { unreadable_model: model }),
      };
    });
  return [...known, ...config.unreadable.map(({ name }) => ({ name, firewall: null, mac: null }))];
}

/** Both snapshots of a guest as one. What failed is null and named. */
export function toGuestSnapshot(
  fact: GuestFirewallFact,
  config: GuestConfig | ProviderError,
  kind: GuestRef['kind'],
): GuestSnapshot {
  const failed = config instanceof ProviderError;
  const unreadable: UnreadableNote[] = [...fact.unreadable];
  if (failed) unreadable.push({ part: 'interfaces', ...toUnreadableNote(config) });
  else {
    for (const { name, reason } of config.unreadable) {
      unreadable.push({ part: 'interfaces', code: 'bad_answer', message: `${name} ${reason}` });
    }
  }
  const ipsets =
    fact.ipsets && Object.fromEntries(Object.entries(fact.ipsets).map(([name, { entries }]) => [name, entries]));
  return {
    presence: failed ? 'unknown' : 'present',
    options: fact.options?.value ?? null,
    rules: fact.rules?.items ?? null,
    ipsets,
    aliases: fact.aliases,
    nics: failed ? null : liveNics(config, kind),
    pending_nics: failed ? [] : config.nics.filter(({ pending }) => pending).map(({ name }) => name),
    unreadable,
  };
}

const absentGuest = (message: string, code: string) => unreadableGuest({ code, message }, 'absent');

async function read(provider: HypervisorProvider, target: LiveTarget): Promise<GuestSnapshot> {
  const [fact, config] = await Promise.all([
    provider.firewallReader.readGuestFirewall(target),
    provider.inventory.readGuestConfig(target).catch((error: unknown) => {
      if (error instanceof ProviderError) return error;
      throw error;
    }),
  ]);
  if (config instanceof ProviderError && config.code === 'not_found') {
    // Files of guests that are gone read as empty: without proof nothing may be concluded from that.
    const presence = await provider.inventory.guestPresence(target);
    if (presence === 'absent') return absentGuest('The workload no longer exists.', 'not_found');
    return unreadableGuest(toUnreadableNote(config));
  }
  const { creation_fingerprint: known } = target;
  const found = config instanceof ProviderError ? null : config.creation_fingerprint;
  if (known !== null && found !== null && known !== found) {
    if (isSameFingerprintKind(known, found))
      return absentGuest('The VMID belongs to another workload now. Sync the cluster.', 'replaced');
    // The rules of another tenant's workload would be shown as its own.
    return unreadableGuest({
      code: 'replaced',
      message: 'The VMID may belong to another workload now. Sync the cluster.',
    });
  }
  return toGuestSnapshot(fact, config, target.kind);
}

/**
 * Reads everything that affects a guest's packets. Parts that cannot be read are null and named; a guest is `absent`
 * only with proof, and what had content is read again before it counts as empty.
 * @throws ProviderError when the cluster as a whole cannot be queried
 */
export async function readGuestSnapshot(
  provider: HypervisorProvider,
  target: LiveTarget,
  known?: Content,
  pause: (ms: number) => Promise<void> = delay,
): Promise<GuestSnapshot> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<GuestSnapshot>((resolve) => {
    const message = `No complete response within ${GUEST_TIMEOUT_MS / 1000} s.`;
    timer = setTimeout(() => resolve(unreadableGuest({ code: 'timeout', message })), GUEST_TIMEOUT_MS);
  });
  try {
    const confirmed = readConfirmed(
      () => read(provider, target),
      (state) => isEmptied(known, state),
      pause,
    );
    return await Promise.race([confirmed, late]);
  } finally {
    clearTimeout(timer);
  }
}
