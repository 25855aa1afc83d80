import { describe, expect, it } from 'vitest';
import type { GuestFilter } from '../policy/plan/guest-filter';
import { buildUndoCommands } from './undo-commands';

const GUEST = { vmid: 100, kind: 'qemu', node: 'pve1' } as const;
const BEFORE: GuestFilter = {
  rules: [
    { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '22', source: '+guest/admins' },
    { pos: 1, type: 'in', action: 'DROP', enable: 0, comment: "don't; $(touch /tmp/x) `id`" },
  ],
  options: { enable: 1, policy_in: 'DROP' },
  sets: { admins: [{ cidr: '10.0.0.0/24' }, { cidr: '10.0.0.9', nomatch: 1 }], unused: [{ cidr: '10.9.0.0/24' }] },
  nics: [
    { name: 'net0', firewall: true, editable: true },
    { name: 'net1', firewall: false, editable: true },
  ],
};

describe('commands that undo a change on a node', () => {
  it('stop the filtering first, restore rules from the last to the first, and switches last', () => {
    expect(buildUndoCommands(GUEST, BEFORE)).toEqual([
      'pvesh set /nodes/pve1/qemu/100/firewall/options --enable 0',
      'while pvesh delete /nodes/pve1/qemu/100/firewall/rules/0 2>/dev/null; do :; done',
      'pvesh create /nodes/pve1/qemu/100/firewall/ipset --name admins 2>/dev/null',
      'pvesh create /nodes/pve1/qemu/100/firewall/ipset/admins --cidr 10.0.0.0/24 2>/dev/null',
      'pvesh create /nodes/pve1/qemu/100/firewall/ipset/admins --cidr 10.0.0.9 --nomatch 1 2>/dev/null',
      "pvesh create /nodes/pve1/qemu/100/firewall/rules --type in --action DROP --enable 0 --comment 'don'\\''t; $(touch /tmp/x) `id`'",
      'pvesh create /nodes/pve1/qemu/100/firewall/rules --type in --action ACCEPT --enable 1 --source +guest/admins --proto tcp --dport 22',
      `qm set 100 --net1 "$(qm config 100 | sed -n 's/^net1: //p' | sed 's/,firewall=1//')"`,
      'pvesh set /nodes/pve1/qemu/100/firewall/options --delete policy_out',
      'pvesh set /nodes/pve1/qemu/100/firewall/options --enable 1 --policy_in DROP',
    ]);
  });

  it('leave a firewall off that was off, and name a container by its own tool', () => {
    const off: GuestFilter = { ...BEFORE, rules: [], options: {}, sets: {} };
    const commands = buildUndoCommands({ ...GUEST, kind: 'lxc' }, off);
    expect(commands.at(-1)).toBe('pvesh set /nodes/pve1/lxc/100/firewall/options --delete enable,policy_in,policy_out');
    expect(commands.filter((command) => command.startsWith('pct set 100 --net1'))).toHaveLength(1);
  });
});
