import type { RunStatus, SyncRun } from '@/domain/sync';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';

const STATES: Record<RunStatus, { tone: Tone; word: string }> = {
  queued: { tone: 'neutral', word: msg('Queued') },
  running: { tone: 'info', word: msg('Running') },
  ok: { tone: 'ok', word: msg('Succeeded') },
  failed: { tone: 'danger', word: msg('Failed') },
};

/** The state of a run. One that succeeded but could not read everything says so. */
export function RunState({ run }: { run: Pick<SyncRun, 'status' | 'errors'> }) {
  const t = useT();
  if (run.status === 'ok' && run.errors.length > 0) return <Status tone="warn">{t('Succeeded with problems')}</Status>;
  const { tone, word } = STATES[run.status];
  return (
    <Status tone={tone} pulse={run.status === 'running'}>
      {t(word)}
    </Status>
  );
}
