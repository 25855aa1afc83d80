import { describe, expect, test } from 'vitest';
import { CONFLICT_KINDS } from '@/domain/choices';
import { RESOLUTIONS_OF } from '@/domain/ipam/conflict';
import { english } from '@/lib/i18n/translator';
import { conflictText, resolutionChoice } from './conflict-labels';

const party = (name: string) => ({ id: name, name, external_id: name });
const conflict = {
  kind: 'duplicate_address' as const,
  address: '10.0.0.5',
  mac: 'bc:24:11:00:00:01',
  network_name: 'vmbr0',
  workload: party('web-01'),
  other_workload: party('web-02'),
  other_source: 'agent',
  other_interface_name: 'net0',
  reason: null,
};

describe('text of a conflict', () => {
  test.each([
    ['duplicate_address', '10.0.0.5 is assigned to web-01, but web-02 also uses the address (source: guest agent).'],
    ['duplicate_mac', 'web-01 and web-02 have interfaces with the same MAC address bc:24:11:00:00:01.'],
    ['outside_subnet', 'web-02 uses 10.0.0.5, which is in no prefix of vmbr0 (source: guest agent).'],
    ['reserved_in_use', '10.0.0.5 is reserved for web-01, but web-02 uses it (source: guest agent).'],
    ['moved_address', '10.0.0.5 moved from web-01 to web-02 (source: guest agent).'],
    ['spoofed_address', 'web-02 sends packets from 10.0.0.5, which belongs to web-01.'],
    [
      'stale_address',
      '10.0.0.5 is assigned to web-01, which is running, but no source has seen the address for a week.',
    ],
    ['unmanaged_address', 'web-02 uses 10.0.0.5, which is not registered (source: guest agent).'],
  ] as const)('%s', (kind, text) => expect(conflictText(english, { ...conflict, kind })).toBe(text));

  test('names the IP filter where it is what forbids the address', () => {
    const filtered = { ...conflict, kind: 'spoofed_address' as const, workload: null, reason: 'ip_filter' as const };
    expect(conflictText(english, filtered)).toBe(
      'web-02 sends packets from 10.0.0.5, which the IP filter of its interface does not allow.',
    );
  });

  test('does not name what the user may not see', () => {
    const hidden = { ...conflict, workload: null, other_workload: null, other_source: null };
    expect(conflictText(english, hidden)).toBe('10.0.0.5 is unassigned, but another workload also uses the address.');
  });
});

test('each permitted decision has a name and a consequence', () => {
  for (const kind of CONFLICT_KINDS) {
    for (const resolution of RESOLUTIONS_OF[kind]) {
      const { label, consequence } = resolutionChoice(english, resolution, { ...conflict, kind });
      expect(label.length).toBeGreaterThan(5);
      expect(consequence).toMatch(/\.$/);
    }
  }
  expect(resolutionChoice(english, 'assign', conflict).label).toBe('Assign to web-02');
  expect(resolutionChoice(english, 'keep', { ...conflict, workload: null }).label).toBe('Keep reservation');
});
