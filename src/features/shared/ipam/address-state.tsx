import type { AddressSource, AddressState as State } from '@/domain/ipam/ip-address';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status, type Tone } from '@/ui/status';

export const ADDRESS_STATE_LABELS: Record<State, { tone: Tone; word: string; meaning: string }> = {
  active: { tone: 'ok', word: msg('Active'), meaning: msg('In use.') },
  reserved: {
    tone: 'neutral',
    word: msg('Reserved'),
    meaning: msg('Kept for something; never handed out as the next free one.'),
  },
  dhcp: { tone: 'info', word: msg('DHCP'), meaning: msg('Handed out by a DHCP server.') },
  stale: { tone: 'off', word: msg('Stale'), meaning: msg('Discoveries do not see it any more.') },
  conflict: { tone: 'danger', word: msg('Conflict'), meaning: msg('Two facts about it cannot both be right.') },
};

export const ADDRESS_SOURCE_LABELS: Record<AddressSource, string> = {
  agent: msg('Guest agent'),
  sdn: msg('SDN'),
  config: msg('Configuration'),
  cloudinit: msg('Cloud-init'),
  manual: msg('By hand'),
};

/** The state of an address; what it means stands in its title. */
export function AddressState({ state }: { state: State }) {
  const t = useT();
  const { tone, word, meaning } = ADDRESS_STATE_LABELS[state];
  return (
    <span title={t(meaning)}>
      <Status tone={tone}>{t(word)}</Status>
    </span>
  );
}
