import type { RunStatus, SyncRun } from '@/domain/sync';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

const STATES: Record<RunStatus, { tone: Tone; word: string }> = {
  queued: { tone: 'neutral', word: 'Queued' },
  running: { tone: 'info', word: 'Running' },
  ok: { tone: 'ok', word: 'Succeeded' },
  failed: { tone: 'danger', word: 'Failed' },
};

/** The state of a run. One that succeeded but could not read everything says so. */
export function RunState({ run }: { run: Pick<SyncRun, 'status' | 'errors'> }) {
  if (run.status === 'ok' && run.errors.length > 0) return <Status tone="warn">Succeeded with problems</Status>;
  const { tone, word } = STATES[run.status];
  return (
    <Status tone={tone} pulse={run.status === 'running'}>
      {word}
    </Status>
  );
}
