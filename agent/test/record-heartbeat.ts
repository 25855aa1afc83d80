import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { heartbeatSchema } from '@fabric/agent-contract';
import { HypervisorNode } from './hypervisor-node';
import { run } from './network-namespaces';

/*
 * Prints a heartbeat of the agent as it is shipped, on a node with three guests that exchange packets. One of them also sends from an
 * address that it does not have. A release keeps it, so that servers are tested with what its agents send (as root):
 *   npx tsx agent/test/record-heartbeat.ts > agent/contract/fixtures/heartbeat-<version>.json
 */
const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PAUSE_MS = 200;

/** As the hypervisor attaches its rules to guests. */
const RULES = `
table inet proxmox-firewall { }
table bridge proxmox-firewall-guests {
  map vm-map-in { typeof iifname : verdict; }
  map vm-map-out { typeof oifname : verdict; }
  chain guest-100-in { tcp dport 22 accept; drop; }
  chain guest-100-out { accept; }
}
add element bridge proxmox-firewall-guests vm-map-in { "tap100i0" : goto guest-100-in }
add element bridge proxmox-firewall-guests vm-map-out { "tap100i0" : goto guest-100-out }
`;

const directory = mkdtempSync(join(tmpdir(), 'fabric-agent-'));
const node = new HypervisorNode();
try {
  const web = node.addGuest({ vmid: 100, nic: 0, kind: 'tap', address: '10.0.0.100', isFirewalled: true });
  const database = node.addGuest({ vmid: 101, nic: 0, kind: 'veth', address: '10.0.0.101', isFirewalled: true });
  const cache = node.addGuest({ vmid: 102, nic: 1, kind: 'tap', address: '10.0.0.102', isFirewalled: false });
  run(`${process.execPath} ${join(AGENT, 'build.mjs')} ${join(directory, 'dist')}`);
  writeFileSync(join(directory, 'rules.nft'), RULES);
  run(`ip netns exec ${node.name} nft -f ${join(directory, 'rules.nft')}`);
  writeFileSync(
    join(directory, 'agent.conf'),
    `server_url = https://fabric.example.org\nnode_name = pve1\nstate_directory = ${directory}/state\nruntime_directory = ${directory}/run\n`,
  );
  // With `ip netns exec` the process also sees the interfaces of the node in /sys.
  const agent = spawn(
    'ip',
    [
      'netns',
      'exec',
      node.name,
      process.execPath,
      join(directory, 'dist/fabric-agent.cjs'),
      '--once',
      '--print',
    ].concat('--config', join(directory, 'agent.conf')),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const printed = text(agent.stdout);
  run(`ip -n ${cache.namespace} addr add 10.0.0.99/24 dev eth0`);
  const closed = once(agent, 'close');
  const ping = (from: string, words: string) => run(`ip netns exec ${from} ping -q -c 3 -i 0.01 ${words}`);
  while (agent.exitCode === null) {
    ping(web.namespace, database.address);
    ping(database.namespace, cache.address);
    ping(cache.namespace, `-I 10.0.0.99 ${web.address}`);
    await sleep(PAUSE_MS);
  }
  await closed;
  process.stdout.write(`${JSON.stringify(heartbeatSchema.parse(JSON.parse(await printed)), null, 2)}\n`);
} finally {
  node.destroy();
  rmSync(directory, { recursive: true, force: true });
}
