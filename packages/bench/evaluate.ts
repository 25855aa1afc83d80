/**
 * Verdicts per second and core: `evaluate` with 200 rules on a guest, against a floor measured in the same run: a loop
 * over the same packets and rules that compares nothing but protocol and one port.
 * Run: npx tsx packages/bench/evaluate.ts
 */
import { compileRule } from '@/domain/firewall/compile-rule';
import { evaluate } from '@/domain/firewall/evaluate';
import type { LiveRule, LiveState } from '@/domain/firewall/live-state';
import type { Packet } from '@/domain/firewall/packet';
import { prepareGuest } from '@/domain/firewall/prepare-guest';
import { parseIp } from '@/domain/net/ip-address';

const RULES = 200;
const ROUNDS = 15;
const PACKETS = 4096;
const REPEATS = 25;

const NIC = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' };
const rules = Array.from({ length: RULES }, (_, pos): LiveRule => {
  const sources = [
    `10.${pos % 250}.0.0/16`,
    `10.1.${pos}.7,10.2.0.0/20`,
    `192.168.${pos}.1-192.168.${pos}.90`,
    '+clients',
  ];
  const six = `fd00:${(pos % 250).toString(16)}::/32`;
  return {
    pos,
    type: 'in',
    action: pos % 5 === 0 ? 'DROP' : 'ACCEPT',
    enable: 1,
    proto: pos % 3 === 0 ? 'udp' : 'tcp',
    dport: pos % 7 === 0 ? '8000:8100,443,22' : String(1000 + pos),
    source: pos % 2 === 0 ? (sources[pos % 4] ?? six) : six,
  };
});
const state: LiveState = {
  cluster: {
    firewall_enabled: true,
    groups: {},
    aliases: {},
    ipsets: { clients: Array.from({ length: 500 }, (_, i) => ({ cidr: `172.16.${i >> 3}.${(i & 7) * 32}/27` })) },
  },
  guest: { options: { enable: 1 }, rules, ipsets: {}, aliases: {} },
  node: { options: {}, networks: ['10.0.0.2/24'], rules: [] },
};

const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const buildPackets = (family: 4 | 6): Packet[] =>
  Array.from({ length: PACKETS }, (_, i) => ({
    direction: 'in',
    source: ip(family === 4 ? `10.${i % 256}.${(i * 7) % 256}.7` : `fd00:${(i % 256).toString(16)}::${(i % 999) + 1}`),
    destination: ip(family === 4 ? '10.0.0.9' : 'fd00::9'),
    protocol: i % 4 === 0 ? 17 : 6,
    source_port: 40000 + (i % 1000),
    destination_port: i % 9 === 0 ? 8050 : 1000 + ((i * 13) % 400),
  }));

const cpuMicroseconds = (start: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(start);
  return user + system;
};

function perSecond(run: (packet: Packet) => number, packets: readonly Packet[]): number {
  let sum = 0;
  const rates = Array.from({ length: ROUNDS }, () => {
    // Processor time, not wall time: it leaves out other work on the machine.
    const start = process.cpuUsage();
    for (let repeat = 0; repeat < REPEATS; repeat++) for (const packet of packets) sum += run(packet);
    return (packets.length * REPEATS * 1e6) / cpuMicroseconds(start);
  });
  if (sum < 0) throw new Error('The result must be used, or the loop is optimised away.');
  return rates.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}

const formatRate = (rate: number) => `${(rate / 1e6).toFixed(2)} M/s`;
const prepared = prepareGuest(state, NIC);
let slowest = Number.POSITIVE_INFINITY;
for (const family of [4, 6] as const) {
  const packets = buildPackets(family);
  const scopes = { cluster: state.cluster, guest: state.guest };
  const plain = rules.flatMap((rule) => compileRule(rule, { position: rule.pos }, family, scopes));
  const floor = perSecond((packet) => {
    for (const rule of plain) {
      const [range] = rule.destination_ports?.ranges ?? [];
      if (rule.protocol === packet.protocol && range?.first === packet.destination_port) return 1;
    }
    return 0;
  }, packets);
  const rate = perSecond((packet) => (evaluate(prepared, packet).verdict === 'accept' ? 1 : 0), packets);
  slowest = Math.min(slowest, rate);
  console.log(
    `IPv${family}, ${RULES} rules: median ${formatRate(rate)}; floor (linear scan of two fields) ${formatRate(floor)}; ratio ${(rate / floor).toFixed(2)}`,
  );
}
console.log(slowest >= 1e6 ? 'at least 1 M verdicts per second and core' : 'below 1 M verdicts per second and core');
process.exitCode = slowest >= 1e6 ? 0 : 1;
