import { SYNC_STAGES, type SyncRun, type SyncStage } from '@/domain/sync';
import type { StageState } from '@/ui/stages';

export type StageView = {
  stage: SyncStage;
  state: StageState;
  counters: SyncRun['counters'][string] | null;
};

export const STAGE_TITLES: Record<SyncStage, string> = {
  connect: 'Connect',
  nodes: 'Nodes',
  guests: 'Virtual machines and containers',
  interfaces: 'Network cards',
  networks: 'Bridges',
  sdn: 'SDN networks',
  finish: 'Tidy up',
};

const ORDER: readonly (string | null)[] = SYNC_STAGES;

type Run = Pick<SyncRun, 'status' | 'stage' | 'counters'>;

/** How far each stage of an inventory run is. A failed run stopped in its stage; what comes after was not tried. */
export function stageStates(run: Run): StageView[] {
  const current = ORDER.indexOf(run.stage);
  return SYNC_STAGES.map((stage, index) => {
    const counters = run.counters[stage] ?? null;
    return { stage, state: stateOf(run, index, current, counters), counters };
  });
}

function stateOf(run: Run, index: number, current: number, counters: StageView['counters']): StageState {
  const finished = (counters?.errors ?? 0) > 0 ? 'warned' : 'done';
  if (run.status === 'queued') return 'waiting';
  if (run.status === 'ok') return finished;
  if (index < current) return finished;
  if (index === current) return run.status === 'failed' ? 'failed' : 'running';
  // Without a known stage nothing was reached.
  return run.status === 'failed' ? 'skipped' : 'waiting';
}

/** The share of a run that is done, 0 to 1: whole stages, and within the current one what it counts. */
export function runProgress(run: Run & Pick<SyncRun, 'progress_done' | 'progress_total'>): number {
  if (run.status === 'ok') return 1;
  if (run.status === 'queued') return 0;
  const current = ORDER.indexOf(run.stage);
  if (current < 0) return 0;
  const within = run.progress_total ? Math.min(1, run.progress_done / run.progress_total) : 0;
  return (current + within) / SYNC_STAGES.length;
}

/** `3 created, 1 changed`: what a stage did, or `unchanged`; null when it counted nothing. */
export function counterText(counters: StageView['counters']): string | null {
  if (!counters) return null;
  const words = [
    ['created', counters.created],
    ['changed', counters.changed],
    ['removed', counters.removed],
    ['skipped', counters.skipped],
    [counters.errors === 1 ? 'problem' : 'problems', counters.errors],
  ] as const;
  const parts = words.filter(([, count]) => count > 0).map(([word, count]) => `${count.toLocaleString('en')} ${word}`);
  if (parts.length > 0) return parts.join(', ');
  return counters.seen > 0 ? 'unchanged' : null;
}
