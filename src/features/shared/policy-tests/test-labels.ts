import type { POLICY_TEST_EXPECTATIONS, POLICY_TEST_RESULTS } from '@/domain/choices';
import type { PolicyTest, TestPacket, TestUnknownReason } from '@/domain/policy-tests/definition';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

type Result = (typeof POLICY_TEST_RESULTS)[number];

export const RESULT_LABELS: Record<Result, { word: string; tone: Tone; meaning: string }> = {
  pass: { word: msg('Passes'), tone: 'ok', meaning: msg('Holds for all pairs of addresses.') },
  fail: { word: msg('Fails'), tone: 'danger', meaning: msg('A packet contradicts the test.') },
  unknown: {
    word: msg('Unknown'),
    tone: 'unknown',
    meaning: msg('Nothing contradicts the test, but it is not proven.'),
  },
};

export const EXPECTATION_LABELS: Record<(typeof POLICY_TEST_EXPECTATIONS)[number], string> = {
  allow: msg('Must be allowed'),
  deny: msg('Must be denied'),
};

export const UNKNOWN_LABELS: Record<TestUnknownReason, string> = {
  nothing_resolved: msg('An endpoint resolves to nothing.'),
  no_pair: msg('No workload or node of the test exchanges packets with the other end.'),
  workload_without_address: msg('A workload has no known address.'),
  node_without_address: msg('The addresses of a node could not be read.'),
  undecided: msg('Part of the firewall could not be read or is undecided.'),
  not_evaluated: msg('The test was not evaluated yet.'),
};

const PROTOCOLS: Readonly<Record<number, string>> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6', 132: 'sctp' };

/** `tcp/443,8000-8010`, `any protocol`: what a test is about. */
export function serviceText(t: Translate, { protocol, ports }: Pick<PolicyTest, 'protocol' | 'ports'>): string {
  if (protocol === 'any') return t('any protocol');
  return ports.length > 0 ? `${protocol}/${ports.join(',')}` : protocol;
}

const withName = (address: string, name: string | null | undefined) => (name ? `${name} (${address})` : address);

/** `web-01 (10.0.0.1) → db-01 (10.0.0.2) tcp/5432`: one packet. */
export function packetText(packet: TestPacket): string {
  const { source, destination, protocol, destination_port: port } = packet;
  const from = withName(source, packet.source_workload?.name ?? packet.source_node);
  const to = withName(destination, packet.destination_workload?.name ?? packet.destination_node);
  const service = PROTOCOLS[protocol] ?? String(protocol);
  return `${from} → ${to} ${port === null ? service : `${service}/${port}`}`;
}
