/** Services that should hardly ever be reached from outside, by the port they listen at. */
export const SENSITIVE_SERVICES = ['ssh', 'smb', 'rdp', 'vnc', 'mysql', 'postgresql', 'redis'] as const;
export type SensitiveService = (typeof SENSITIVE_SERVICES)[number];

/** First and last port, and the class of a connection that gets through. RDP is the only one that also speaks UDP. */
export const SENSITIVE_PORTS: readonly {
  readonly service: SensitiveService;
  readonly from: number;
  readonly to: number;
  readonly reached: 'critical' | 'high';
  readonly udp?: true;
}[] = [
  { service: 'ssh', from: 22, to: 22, reached: 'high' },
  { service: 'smb', from: 139, to: 139, reached: 'critical' },
  { service: 'smb', from: 445, to: 445, reached: 'critical' },
  { service: 'mysql', from: 3306, to: 3306, reached: 'critical' },
  { service: 'rdp', from: 3389, to: 3389, reached: 'critical', udp: true },
  { service: 'postgresql', from: 5432, to: 5432, reached: 'critical' },
  { service: 'vnc', from: 5900, to: 5999, reached: 'high' },
  { service: 'redis', from: 6379, to: 6379, reached: 'critical' },
];

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What listens at a port; null when it is not a sensitive one. */
export const findSensitiveService = (port: number): SensitiveService | null =>
  SENSITIVE_PORTS.find(({ from, to }) => port >= from && port <= to)?.service ?? null;

/** Denied already. */
const STOPPED = new Set(['drop', 'reject', 'default_drop']);
/** Would be denied if the audited policy were enforced. */
const WOULD_BE_STOPPED = new Set(['audit_drop', 'audit_reject']);

/** Severity of an outside host reaching, or trying to reach, the port, by the outcome. */
export function computeSeverity(port: number, decision: string): Severity {
  if (STOPPED.has(decision)) return 'low';
  if (WOULD_BE_STOPPED.has(decision)) return 'medium';
  return SENSITIVE_PORTS.find(({ from, to }) => port >= from && port <= to)?.reached ?? 'high';
}
