import type { Flow } from '@/domain/flow/flow';
import { FLOW_DECISIONS } from '@/domain/flow/flow-filter';
import type { FlowGrouping } from '@/domain/flow/flow-sums';
import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import { formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { ChartTone } from '@/ui/chart/chart-data';
import type { Tone } from '@/ui/tone';

const DECISIONS: Record<ContextDecision, { word: string; tone: Tone; chart: ChartTone }> = {
  accept: { word: msg('Accepted'), tone: 'ok', chart: 'ok' },
  drop: { word: msg('Dropped'), tone: 'danger', chart: 'danger' },
  reject: { word: msg('Rejected'), tone: 'warn', chart: 'warn' },
  default_accept: { word: msg('Accepted by default'), tone: 'neutral', chart: 'ok' },
  default_drop: { word: msg('Dropped by default'), tone: 'danger', chart: 'danger' },
  audit_accept: { word: msg('Would accept'), tone: 'info', chart: 'ok' },
  audit_drop: { word: msg('Would drop'), tone: 'warn', chart: 'warn' },
  audit_reject: { word: msg('Would reject'), tone: 'warn', chart: 'warn' },
  observed: { word: msg('Observed'), tone: 'neutral', chart: 'info' },
};

const isDecision = (text: string): text is ContextDecision => CONTEXT_DECISIONS.some((known) => known === text);

/** How a verdict is called and shown; one that this version does not know keeps its name. */
export const decisionOf = (decision: string): { word: string; tone: Tone; chart: ChartTone } =>
  isDecision(decision) ? DECISIONS[decision] : { word: decision, tone: 'unknown', chart: 'info' };

export const DECISION_OPTIONS = FLOW_DECISIONS.map((value) => ({ value, label: DECISIONS[value].word }));

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
  decision: msg('Decision'),
  node: msg('Node'),
};

const COLLECTORS: Record<string, string> = {
  ebpf: msg('Packet capture (in the kernel)'),
  ring: msg('Packet capture (ring)'),
  conntrack: msg('Connection tracking'),
  firewall_log: msg('Firewall log of the hypervisor'),
  kernel_log: msg('Kernel log'),
  interface: msg('Interface counters'),
};

export const collectorText = (collector: string): string => COLLECTORS[collector] ?? collector;

/** `tcp/443`, `icmp type 8`, `udp`. */
export function serviceText(flow: Pick<Flow, 'protocol' | 'destination_port' | 'icmp_type'>): string {
  if (flow.destination_port !== null) return `${flow.protocol}/${flow.destination_port}`;
  return flow.icmp_type === null ? flow.protocol : `${flow.protocol} type ${flow.icmp_type}`;
}

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
