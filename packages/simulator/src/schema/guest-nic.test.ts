import { describe, expect, it } from 'vitest';
import vectors from '../vectors/guest-nic.json';
import { nicFormat, parseNic, printNic } from './guest-nic';

describe('NIC options of a virtual machine', () => {
  it.each(vectors.stored)('stores %j as %j', (sent, stored) => {
    const values = parseNic('qemu', sent ?? '');
    expect(values).toBeDefined();
    if (stored === null) expect(values?.macaddr).toBeUndefined();
    else expect(printNic('qemu', values ?? {})).toBe(stored);
  });

  it.each(vectors.rejected)('rejects %j', (text) => {
    expect(nicFormat('qemu', 0)(text)).toBeTypeOf('string');
  });

  it('names the NIC and the key in the error', () => {
    expect(nicFormat('qemu', 3)('virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=2')).toBe(
      "format error\nnet3.firewall: type check ('boolean') failed - got '2'",
    );
  });
});

describe('NIC options of a container', () => {
  it('prints the name first and the rest in order', () => {
    const text = 'bridge=vmbr0,tag=5,ip=dhcp,name=eth0,hwaddr=BC:24:11:00:00:01,type=veth';
    expect(printNic('lxc', parseNic('lxc', text) ?? {})).toBe(
      'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=dhcp,tag=5,type=veth',
    );
  });

  it('needs a name', () => {
    expect(nicFormat('lxc', 0)('bridge=vmbr0')).toContain('net0.name: property is missing and it is not optional');
  });
});
