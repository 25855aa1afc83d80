import { describe, expect, it } from 'vitest';
import type { OptionChange } from '@/domain/policy-preview';
import { english } from '@/lib/i18n/translator';
import { listSwitches } from './switches';

const option = (kind: OptionChange['kind'], name: string, after: string): OptionChange => ({
  kind,
  name,
  before: null,
  after,
});
const guest = (vmid: number, ...option_changes: OptionChange[]) => ({ name: 'web', vmid, option_changes });
const NOWHERE = { guests: [], total: 0 };
describe('listSwitches', () => {
  it('lists switches by kind and value, each with its workloads', () => {
    const on = option('guest_option', 'enable', '1');
    const listed = listSwitches(
      english,
      [
        guest(100, on, option('nic_flag', 'net0', '1'), option('guest_option', 'policy_in', 'DROP')),
        guest(101, on, option('nic_flag', 'net1', '1')),
        guest(102, option('guest_option', 'enable', '0')),
        guest(103),
      ],
      NOWHERE,
    );
    expect(listed.map(({ label, places }) => [label, ...places])).toEqual([
      ['Guest firewall: on', 'web (100)', 'web (101)'],
      ['Interface firewall: on', 'web (100) net0', 'web (101) net1'],
      ['Inbound default policy: DROP', 'web (100)'],
      ['Guest firewall: off', 'web (102)'],
    ]);
  });

  it('lists the MAC filter that takes effect, with the number of unnamed workloads', () => {
    const [first, ...others] = listSwitches(english, [], { guests: [guest(100)], total: 3 });
    expect(first?.label).toContain('MAC filter');
    expect(first?.places).toEqual(['web (100)', 'and 2 more']);
    expect(others).toEqual([]);
  });

  it('returns nothing where nothing is switched', () => {
    expect(listSwitches(english, [guest(100)], NOWHERE)).toEqual([]);
  });
});
