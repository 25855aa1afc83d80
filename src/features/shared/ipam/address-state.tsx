import {
  ADDRESS_SOURCES,
  ADDRESS_STATES,
  type AddressSource,
  type AddressState as State,
} from '@/domain/ipam/ip-address';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

export const ADDRESS_STATE_WORDS: Record<State, { tone: Tone; word: string; meaning: string }> = {
  active: { tone: 'ok', word: 'Active', meaning: 'In use.' },
  reserved: {
    tone: 'neutral',
    word: 'Reserved',
    meaning: 'Kept for something; never handed out as the next free one.',
  },
  dhcp: { tone: 'info', word: 'DHCP', meaning: 'Handed out by a DHCP server.' },
  stale: { tone: 'off', word: 'Stale', meaning: 'Discoveries do not see it any more.' },
  conflict: { tone: 'danger', word: 'Conflict', meaning: 'Two facts about it cannot both be right.' },
};

export const ADDRESS_SOURCE_WORDS: Record<AddressSource, string> = {
  agent: 'Guest agent',
  sdn: 'SDN',
  config: 'Configuration',
  cloudinit: 'Cloud-init',
  manual: 'By hand',
};

export const ADDRESS_STATE_OPTIONS = ADDRESS_STATES.map((value) => ({ value, label: ADDRESS_STATE_WORDS[value].word }));
export const ADDRESS_SOURCE_OPTIONS = ADDRESS_SOURCES.map((value) => ({ value, label: ADDRESS_SOURCE_WORDS[value] }));

/** The state of an address; what it means stands in its title. */
export function AddressState({ state }: { state: State }) {
  const { tone, word, meaning } = ADDRESS_STATE_WORDS[state];
  return (
    <span title={meaning}>
      <Status tone={tone}>{word}</Status>
    </span>
  );
}
