import type { Flow } from '@/domain/flow/flow';
import type { FlowGrouping } from '@/domain/flow/flow-sums';
import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import { formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { ChartTone } from '@/ui/chart/chart-data';
import type { Tone } from '@/ui/status';
import { DECISION_LABELS } from '../verdict-labels';

const CHART_TONES: Record<ContextDecision, ChartTone> = {
  accept: 'ok',
  drop: 'danger',
  reject: 'warn',
  default_accept: 'ok',
  default_drop: 'danger',
  audit_accept: 'ok',
  audit_drop: 'warn',
  audit_reject: 'warn',
  observed: 'info',
};
/** Of the log alone, without rules: most traffic is not logged. */
const NOT_LOGGED = msg('Not logged');

const isDecision = (text: string): text is ContextDecision => CONTEXT_DECISIONS.some((known) => known === text);

/** How what the firewall log says is called and shown; what this version does not know keeps its name. */
export function getDecisionLabel(decision: string): { word: string; tone: Tone; chart: ChartTone } {
  if (!isDecision(decision)) return { word: decision, tone: 'unknown', chart: 'info' };
  const { label, tone } = DECISION_LABELS[decision];
  return { word: decision === 'observed' ? NOT_LOGGED : label, tone, chart: CHART_TONES[decision] };
}

/** Denied traffic at the bottom of the chart, where its height can be compared. */
export const STACK_ORDER: readonly string[] = [
  ...['drop', 'default_drop', 'reject', 'audit_drop', 'audit_reject'],
  ...['accept', 'default_accept', 'audit_accept', 'observed'],
];

export const GROUPING_LABELS: Record<FlowGrouping, string> = {
  workloads: msg('Workloads'),
  source: msg('Source address'),
  destination: msg('Destination address'),
  service: msg('Service'),
  decision: msg('Firewall log'),
  node: msg('Node'),
};

const COLLECTORS: Record<string, string> = {
  netflow9: msg('Flow exporter (NetFlow 9)'),
  ipfix: msg('Flow exporter (IPFIX)'),
  ebpf: msg('Packet capture (in the kernel)'),
  ring: msg('Packet capture (ring)'),
  conntrack: msg('Connection tracking'),
  firewall_log: msg('Hypervisor firewall log'),
  kernel_log: msg('Kernel log'),
  interface: msg('Interface counters'),
};

export const collectorText = (collector: string): string => COLLECTORS[collector] ?? collector;

/** `tcp/443`, `icmp type 8`, `udp`. */
export function serviceText(flow: Pick<Flow, 'protocol' | 'destination_port' | 'icmp_type'>): string {
  if (flow.destination_port !== null) return `${flow.protocol}/${flow.destination_port}`;
  return flow.icmp_type === null ? flow.protocol : `${flow.protocol} type ${flow.icmp_type}`;
}

/** `10.0.0.5 → 10.0.0.9, tcp/443`. */
export const conversationText = (
  flow: Pick<Flow, 'source_ip' | 'destination_ip' | 'protocol' | 'destination_port' | 'icmp_type'>,
): string => `${flow.source_ip} → ${flow.destination_ip}, ${serviceText(flow)}`;

/** An address with its port; an IPv6 address in brackets then. */
export function endText(address: string, port: number | null): string {
  if (port === null) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** `1 packet`, `2,345 packets`. */
export const packetsText = (t: Translate, n: number): string =>
  t('{n, plural, one {# packet} other {# packets}}', { n });

/** A figure that counts once for each second: `1,234 /s`, `0.5 /s`. */
export function formatPerSecond(value: number): string {
  if (value === 0) return '0 /s';
  if (value >= 100) return `${formatCount(Math.round(value))} /s`;
  return `${Number(value.toPrecision(2))} /s`;
}
