import type { SightingSource } from '@/domain/ipam/findings/address-evidence';
import type { AddressSource, AddressState as State } from '@/domain/ipam/ip-address';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status, type Tone } from '@/ui/status';

export const ADDRESS_STATE_LABELS: Record<State, { tone: Tone; word: string; meaning: string }> = {
  active: { tone: 'ok', word: msg('Active'), meaning: msg('In use.') },
  reserved: {
    tone: 'neutral',
    word: msg('Reserved'),
    meaning: msg('Reserved for a purpose; never assigned as the next free address.'),
  },
  dhcp: { tone: 'info', word: msg('DHCP'), meaning: msg('Assigned by a DHCP server.') },
  stale: { tone: 'off', word: msg('Stale'), meaning: msg('No longer seen by address discovery.') },
  conflict: {
    tone: 'danger',
    word: msg('Conflict'),
    meaning: msg('Fabric has contradictory data about this address.'),
  },
};

export const ADDRESS_SOURCE_LABELS: Record<AddressSource, string> = {
  agent: msg('Guest agent'),
  sdn: msg('SDN'),
  config: msg('Configuration'),
  cloudinit: msg('Cloud-init'),
  manual: msg('Manual'),
};

/** Sources of sightings as well: packets are no source of a stored address. */
const SIGHTING_SOURCE_LABELS: Record<SightingSource, string> = { ...ADDRESS_SOURCE_LABELS, traffic: msg('Traffic') };

/** The label of a source of addresses or sightings; null for any other text. */
export const findSourceLabel = (source: string): string | null =>
  Object.hasOwn(SIGHTING_SOURCE_LABELS, source) ? SIGHTING_SOURCE_LABELS[source as SightingSource] : null;

/** The state of an address; its title explains it. */
export function AddressState({ state }: { state: State }) {
  const t = useT();
  const { tone, word, meaning } = ADDRESS_STATE_LABELS[state];
  return (
    <span title={t(meaning)}>
      <Status tone={tone}>{t(word)}</Status>
    </span>
  );
}
