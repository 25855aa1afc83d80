import type { Node, Workload, WorkloadEnforcement } from '@/domain/inventory';
import { Badge } from '@/ui/badge';
import { RelativeTime } from '@/ui/relative-time';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

type State = { tone: Tone; word: string };

export const NODE_STATES: Record<Node['status'], State> = {
  online: { tone: 'ok', word: 'Online' },
  offline: { tone: 'danger', word: 'Offline' },
  unknown: { tone: 'unknown', word: 'Unknown' },
};

export const WORKLOAD_STATES: Record<Workload['status'], State> = {
  running: { tone: 'ok', word: 'Running' },
  stopped: { tone: 'off', word: 'Stopped' },
  paused: { tone: 'warn', word: 'Paused' },
  suspended: { tone: 'warn', word: 'Suspended' },
  unknown: { tone: 'unknown', word: 'Unknown' },
};

export const KIND_LABELS: Record<Workload['kind'], string> = { qemu: 'Virtual machine', lxc: 'Container' };

/** Whether a workload's packets are filtered, as last read. */
export const ENFORCEMENT_LABELS: Record<WorkloadEnforcement, string> = {
  enforced: 'On every interface',
  unenforced: 'Not on every interface',
  unknown: 'Unknown',
  without_interface: 'No interface',
};

/** The kind, short enough for a column. */
export const SHORT_KIND_LABELS: Record<Workload['kind'], string> = { qemu: 'VM', lxc: 'Container' };

export function NodeState({ status }: { status: Node['status'] }) {
  const { tone, word } = NODE_STATES[status];
  return <Status tone={tone}>{word}</Status>;
}

export function WorkloadState({ status }: { status: Workload['status'] }) {
  const { tone, word } = WORKLOAD_STATES[status];
  return <Status tone={tone}>{word}</Status>;
}

/** Yes, no, or nobody could read it, which is neither. */
export function KnownFlag({
  value,
  yes = 'On',
  no = 'Off',
  noTone = 'off',
}: {
  value: boolean | null;
  yes?: string;
  no?: string;
  noTone?: Tone;
}) {
  if (value === null) return <Status tone="unknown">Unknown</Status>;
  return <Status tone={value ? 'ok' : noTone}>{value ? yes : no}</Status>;
}

/** For what the cluster no longer lists without proof that it is gone. */
export function MissingSince({ at }: { at: string | null }) {
  if (!at) return null;
  return (
    <Badge tone="warn">
      Missing since <RelativeTime at={at} />
    </Badge>
  );
}
