import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enforcementSchema } from '@fabric/agent-contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnforcement } from './enforcement';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fabric-enforcement-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function plug(name: string, bridge?: string): void {
  mkdirSync(join(root, 'sys/class/net', name), { recursive: true });
  if (bridge) symlinkSync(`../${bridge}`, join(root, 'sys/class/net', name, 'master'));
}

describe('readEnforcement', () => {
  it('reports interfaces of guests with their bridge, also those that only rules are loaded for', () => {
    plug('tap100i0', 'fwbr100i0');
    plug('veth101i1', 'vmbr0');
    plug('tap102i0');
    plug('fwbr100i0');
    plug('eth0', 'vmbr0');
    const report = readEnforcement({ firewallHash: 'abc', attached: new Set(['tap100i0', 'tap103i0']) }, root);
    expect(enforcementSchema.parse(report)).toEqual({
      version: 1,
      ruleset_hash: 'abc',
      interfaces: [
        { interface: 'tap100i0', vmid: 100, nic: 0, present: true, bridge: 'fwbr100i0', chains: true },
        { interface: 'tap102i0', vmid: 102, nic: 0, present: true, bridge: null, chains: false },
        { interface: 'tap103i0', vmid: 103, nic: 0, present: false, bridge: null, chains: true },
        { interface: 'veth101i1', vmid: 101, nic: 1, present: true, bridge: 'vmbr0', chains: false },
      ],
    });
  });

  it('does not claim what it cannot read', () => {
    plug('tap100i0');
    writeFileSync(join(root, 'sys/class/net/tap100i0/master'), '');
    expect(readEnforcement({ firewallHash: null, attached: null }, root)).toEqual({
      version: 1,
      ruleset_hash: null,
      interfaces: [{ interface: 'tap100i0', vmid: 100, nic: 0, present: true, chains: null }],
    });
  });
});
