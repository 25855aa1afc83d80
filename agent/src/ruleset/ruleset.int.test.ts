import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NetworkNamespaces, run } from '../../test/network-namespaces';
import { describeAsRoot } from '../../test/requirements';
import { monotonic } from '../sys/clock';
import { rulesetGeneration } from './generation';
import { RulesetReader } from './ruleset-reader';

const NFT_RULES = `
table inet filter {
  counter hits { }
  quota allowance { 10 mbytes }
  set known { type ipv4_addr; elements = { 10.0.0.1, 10.0.0.2 } }
  set seen { type ipv4_addr; size 1000; flags dynamic; }
  set recent { type ipv4_addr; flags dynamic,timeout; timeout 1h; }
  chain input {
    type filter hook input priority 0; policy accept;
    add @seen { ip saddr }
    update @recent { ip saddr }
    ip saddr @known counter accept
    meta l4proto icmp counter name hits
    meta l4proto icmp quota name allowance
    tcp dport { 22, 80 } accept
  }
  chain output { type filter hook output priority 0; policy accept; counter; }
}
table inet proxmox-firewall {
  chain guest-100-in { }
  chain guest-100-out { }
  chain host-in { }
}
table bridge proxmox-firewall-guests {
  map vm-map-in { typeof oifname : verdict; }
  map vm-map-out { typeof iifname : verdict; }
  chain guest-200-in { }
  chain guest-200-out { }
}
add element bridge proxmox-firewall-guests vm-map-in { "tap200i0" : goto guest-200-in }
add element bridge proxmox-firewall-guests vm-map-out { "tap200i0" : goto guest-200-out }
add element bridge proxmox-firewall-guests vm-map-in { "tap201i0" : goto guest-200-in }`;

describeAsRoot(
  'ip',
  'nft',
  'iptables',
  'ipset',
  'ping',
)('ruleset hash', () => {
  let namespaces: NetworkNamespaces;
  let reader: RulesetReader;

  beforeAll(() => {
    namespaces = new NetworkNamespaces();
    namespaces.enter(namespaces.add('rules'));
    reader = new RulesetReader();
    execFileSync('nft', ['-f', '-'], { input: NFT_RULES });
    run('iptables-nft -A FORWARD -m string --string evil --algo bm -j DROP');
    run('iptables-nft -N tap100i0-IN');
    run('iptables-nft -A tap100i0-IN -m addrtype --dst-type BROADCAST -j DROP');
    run('ipset create office hash:net');
    run('ipset add office 192.0.2.0/24');
    run('ipset create guests hash:ip timeout 300');
  });
  afterAll(() => namespaces.destroy());

  it('returns the same hash when the ruleset is read again, also after traffic', async () => {
    const before = await reader.read();
    const generation = rulesetGeneration();
    expect(before).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      guestChains: 5,
      isFirewallLoaded: true,
    });
    run('ping -q -c 20 -i 0.01 127.0.0.1');
    run('ipset add guests 10.0.0.9');
    expect(rulesetGeneration()).toBe(generation);
    expect(await reader.read()).toEqual(before);
    expect(await new RulesetReader().read()).toEqual(before);
  });

  it('does not depend on the order in which things were made, nor on handles', async () => {
    const before = await new RulesetReader().read();
    run('nft add table ip extra');
    expect((await new RulesetReader().read()).hash).not.toBe(before.hash);
    run('nft delete table ip extra');
    run('nft delete element inet filter known { 10.0.0.1 }'.replace('{ 10.0.0.1 }', '{10.0.0.1}'));
    run('nft add element inet filter known {10.0.0.1}');
    expect((await new RulesetReader().read()).hash).toBe(before.hash);
  });

  it('does not change when the ruleset is only listed', async () => {
    const before = await new RulesetReader().read();
    run('iptables-legacy -t mangle -L');
    run('ip6tables-legacy -t raw -L');
    expect(await new RulesetReader().read()).toEqual(before);
  });

  it('lists the rules only when their generation moved', async () => {
    let asked = 0;
    let listings = 0;
    const counting = new RulesetReader(monotonic, () => {
      asked += 1;
      return rulesetGeneration();
    });
    await counting.read();
    listings = asked;
    await counting.read();
    expect(asked - listings).toBe(1);
    run('nft add rule inet filter input counter');
    const before = asked;
    await counting.read();
    expect(asked - before).toBe(2);
  });

  it('finds the interfaces that the tools attached rules to, and hashes only the own rules of the hypervisor', async () => {
    expect((await reader.read()).attached).toEqual(new Set(['tap200i0']));
    for (const save of ['iptables-nft', 'ip6tables-nft']) {
      for (const chain of ['PVEFW-FORWARD', 'PVEFW-FWBR-IN', 'PVEFW-FWBR-OUT', 'tap300i0-IN', 'tap300i0-OUT']) {
        run(`${save} -N ${chain}`);
      }
      run(`${save} -A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-in fwln+ -j PVEFW-FWBR-IN`);
      run(`${save} -A PVEFW-FORWARD -m physdev --physdev-is-bridged --physdev-out fwln+ -j PVEFW-FWBR-OUT`);
      run(`${save} -A PVEFW-FWBR-IN -m physdev --physdev-is-bridged --physdev-out tap300i0 -j tap300i0-IN`);
      run(`${save} -A PVEFW-FWBR-OUT -m physdev --physdev-is-bridged --physdev-in tap300i0 -j tap300i0-OUT`);
      expect((await reader.read()).attached).toEqual(new Set(['tap200i0']));
      run(`${save} -A FORWARD -j PVEFW-FORWARD`);
    }
    const { attached, firewallHash } = await reader.read();
    expect(attached).toEqual(new Set(['tap200i0', 'tap300i0']));
    run('nft add rule inet filter input tcp dport 8443 accept');
    expect((await reader.read()).firewallHash).toBe(firewallHash);
    run('iptables-nft -A tap300i0-IN -j DROP');
    expect((await reader.read()).firewallHash).not.toBe(firewallHash);
  });

  describe('changes with every edit', () => {
    const edits: [string, string][] = [
      ['a rule', 'nft add rule inet filter input tcp dport 443 accept'],
      ['a rule inserted elsewhere', 'nft insert rule inet filter input tcp dport 443 accept'],
      ['a policy', 'nft chain inet filter input {policy drop;}'],
      ['an element of a set', 'nft add element inet filter known {10.0.0.3}'],
      ['a named quota', 'nft add quota inet filter other {20 mbytes}'],
      ['a chain', 'nft add chain inet filter empty'],
      ['the argument of an iptables match', 'iptables-nft -R FORWARD 1 -m string --string good --algo bm -j DROP'],
      ['an argument nft does not show', 'iptables-nft -R tap100i0-IN 1 -m addrtype --dst-type MULTICAST -j DROP'],
      ['a member of an ipset', 'ipset add office 198.51.100.0/24'],
      ['an ipset', 'ipset create another hash:ip'],
      ['a rule of the old backend', 'iptables-legacy -A FORWARD -p tcp --dport 25 -j DROP'],
      ['an argument in the old backend', 'iptables-legacy -R FORWARD 1 -p tcp --dport 26 -j DROP'],
      ['an IPv6 rule of the old backend', 'ip6tables-legacy -A INPUT -p tcp --dport 22 -j DROP'],
      ['an IPv6 rule', 'ip6tables-nft -A INPUT -p tcp --dport 22 -j DROP'],
      ['a bridge rule', 'ebtables-nft -A FORWARD -p ARP -j ACCEPT'],
    ];
    it.each(edits)('%s', async (_, command) => {
      const before = (await reader.read()).hash;
      run(command);
      const after = (await reader.read()).hash;
      expect(after).toMatch(/^[0-9a-f]{64}$/);
      expect(after).not.toBe(before);
    });
  });
});
