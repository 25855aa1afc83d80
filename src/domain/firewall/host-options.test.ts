import { describe, expect, it } from 'vitest';
import { HOST_SCOPES, hostOptions, hostSwitch } from './host-options';
import { effectiveNodeOptions } from './node-options';

describe('hostOptions', () => {
  it('marks each option as stored or default', () => {
    const options = hostOptions('vnet', { policy_forward: 'DROP' });
    expect(options).toEqual([
      { name: 'enable', value: false, origin: 'default' },
      { name: 'policy_forward', value: 'DROP', origin: 'stored' },
      { name: 'log_level_forward', value: 'nolog', origin: 'default' },
    ]);
  });

  it.each(HOST_SCOPES)('names every option of a %s as unknown when the options could not be read', (scope) => {
    const options = hostOptions(scope, null);
    expect(options.length).toBeGreaterThan(0);
    expect(options.map(({ name }) => name)).toEqual(hostOptions(scope, {}).map(({ name }) => name));
    for (const option of options) expect(option).toMatchObject({ value: null, origin: 'unknown' });
    expect(hostSwitch(scope, null)).toBeNull();
  });

  it('keeps a stored option that it does not know', () => {
    expect(hostOptions('node', { new_option: 'x' }).at(-1)).toEqual({
      name: 'new_option',
      value: 'x',
      origin: 'stored',
    });
  });

  it('takes a switch above 1 for on, which is a trial that filters', () => {
    expect(hostSwitch('data_center', { enable: 1_700_000_000 })).toBe(true);
    expect(hostSwitch('data_center', {})).toBe(false);
    expect(hostSwitch('node', {})).toBe(true);
  });

  it('agrees with the evaluator about what holds on a node', () => {
    const names = { enable: 'enable', nftables: 'nftables', nosmurfs: 'nosmurfs', tcpflags: 'tcpflags', ndp: 'ndp' };
    for (const value of [undefined, 0, 1]) {
      for (const [name, evaluated] of Object.entries({ ...names, nf_conntrack_allow_invalid: 'allow_invalid' })) {
        const stored = value === undefined ? {} : { [name]: value };
        const shown = hostOptions('node', stored).find((option) => option.name === name)?.value;
        expect(shown, `${name} ${value}`).toBe(
          Object.entries(effectiveNodeOptions(stored)).find(([key]) => key === evaluated)?.[1],
        );
      }
    }
  });
});
