import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pid } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOptionOn, parseFirewallOptions, readFirewallStatus } from './firewall-status';

const ruleset = { guestChains: 4, isFirewallLoaded: true };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fabric-firewall-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('parseFirewallOptions', () => {
  it('reads the options section only', () => {
    const options = parseFirewallOptions(
      '[OPTIONS]\n\nenable: 1\nlog_level_in: info\n# comment\n[RULES]\nIN ACCEPT -log: x\nenable: 0\n[IPSET a]\n',
    );
    expect(Object.fromEntries(options)).toEqual({ enable: '1', log_level_in: 'info' });
    expect(isOptionOn(options, 'enable')).toBe(true);
    expect(isOptionOn(options, 'nftables')).toBe(false);
  });
});

describe('readFirewallStatus', () => {
  it('reads a node with the firewall on', async () => {
    write('etc/pve/.version', '{}');
    write('etc/pve/firewall/cluster.fw', '[OPTIONS]\nenable: 1\n');
    write('run/pve-firewall.pid', `${pid}\n`);
    expect(await readFirewallStatus(ruleset, root)).toEqual({
      implementation: 'iptables',
      service_running: true,
      cluster_enabled: true,
      rules_loaded: true,
      guest_chains: 4,
    });
  });

  it('knows off from unknown', async () => {
    expect(await readFirewallStatus(ruleset, root)).toMatchObject({
      implementation: null,
      cluster_enabled: null,
      service_running: false,
      detail: expect.stringContaining('not mounted'),
    });
    write('etc/pve/.version', '{}');
    expect(await readFirewallStatus(ruleset, root)).toMatchObject({
      implementation: 'iptables',
      cluster_enabled: false,
    });
    mkdirSync(join(root, 'etc/pve/firewall/cluster.fw'), { recursive: true });
    expect(await readFirewallStatus(ruleset, root)).toMatchObject({ cluster_enabled: null });
  });

  it('sees the nftables firewall and its emergency switch', async () => {
    write('etc/pve/.version', '{}');
    write('etc/pve/local/host.fw', '[OPTIONS]\nnftables: 1\n');
    expect((await readFirewallStatus(ruleset, root)).implementation).toBe('nftables');
    write('run/proxmox-nftables-firewall-force-disable', '');
    expect((await readFirewallStatus(ruleset, root)).implementation).toBe('iptables');
  });

  it('does not take a dead process for a running one', async () => {
    write('etc/pve/.version', '{}');
    for (const text of ['4194304', 'x', '', '0', '-1']) {
      write('run/pve-firewall.pid', text);
      expect((await readFirewallStatus(ruleset, root)).service_running).toBe(false);
    }
  });
});
