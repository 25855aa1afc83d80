import type { Flow } from '@/domain/flow/flow';
import { FLOW_DECISIONS } from '@/domain/flow/flow-filter';
import type { FlowGrouping } from '@/domain/flow/flow-sums';
import { CONTEXT_DECISIONS, type ContextDecision } from '@/domain/flow-context/flow-context';
import { formatCount } from '@/lib/format';
import type { ChartTone } from '@/ui/chart/chart-data';
import type { Tone } from '@/ui/tone';

const DECISIONS: Record<ContextDecision, { word: string; tone: Tone; chart: ChartTone }> = {
  accept: { word: 'Accepted', tone: 'ok', chart: 'ok' },
  drop: { word: 'Dropped', tone: 'danger', chart: 'danger' },
  reject: { word: 'Rejected', tone: 'warn', chart: 'warn' },
  default_accept: { word: 'Accepted by default', tone: 'neutral', chart: 'ok' },
  default_drop: { word: 'Dropped by default', tone: 'danger', chart: 'danger' },
  audit_accept: { word: 'Would accept', tone: 'info', chart: 'ok' },
  audit_drop: { word: 'Would drop', tone: 'warn', chart: 'warn' },
  audit_reject: { word: 'Would reject', tone: 'warn', chart: 'warn' },
  observed: { word: 'Observed', tone: 'neutral', chart: 'info' },
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
  workloads: 'Workloads',
  source: 'Source address',
  destination: 'Destination address',
  service: 'Service',
  decision: 'Decision',
  node: 'Node',
};

const COLLECTORS: Record<string, string> = {
  ebpf: 'Packet capture (in the kernel)',
  ring: 'Packet capture (ring)',
  conntrack: 'Connection tracking',
  firewall_log: 'Firewall log of the hypervisor',
  kernel_log: 'Kernel log',
  interface: 'Interface counters',
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
export const countText = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A figure that counts once for each second: `1,234 /s`, `0.5 /s`. */
export function formatPerSecond(value: number): string {
  if (value === 0) return '0 /s';
  if (value >= 100) return `${formatCount(Math.round(value))} /s`;
  return `${Number(value.toPrecision(2))} /s`;
}
