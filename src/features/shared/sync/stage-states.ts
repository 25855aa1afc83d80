import { IPAM_STAGES, SYNC_STAGES } from '@/domain/choices';
import type { RunStage, SyncRun } from '@/domain/sync';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { StageState } from '@/ui/stages';

export type StageView = {
  stage: RunStage;
  state: StageState;
  counters: SyncRun['counters'][string] | null;
};

export const STAGE_TITLES: Record<RunStage, string> = {
  connect: msg('Connect'),
  nodes: msg('Nodes'),
  guests: msg('Virtual machines and containers'),
  interfaces: msg('Interfaces'),
  networks: msg('Bridges'),
  sdn: msg('SDN networks'),
  leases: msg('SDN network leases'),
  addresses: msg('Addresses'),
  conflicts: msg('Conflicts'),
  finish: msg('Cleanup'),
};

/** The stages of each kind of run, in their order. */
const STAGES: Record<SyncRun['kind'], readonly RunStage[]> = { inventory: SYNC_STAGES, ipam: IPAM_STAGES };

const getStageIndex = ({ kind, stage }: Pick<SyncRun, 'kind' | 'stage'>) =>
  (STAGES[kind] as readonly (string | null)[]).indexOf(stage);

type Run = Pick<SyncRun, 'kind' | 'status' | 'stage' | 'counters'>;

/** How far each stage of a run is. A failed run stopped in its stage; what comes after was not tried. */
export function stageStates(run: Run): StageView[] {
  const current = getStageIndex(run);
  return STAGES[run.kind].map((stage, index) => {
    const counters = run.counters[stage] ?? null;
    return { stage, state: getStageState(run, index, current, counters), counters };
  });
}

function getStageState(run: Run, index: number, current: number, counters: StageView['counters']): StageState {
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
  const current = getStageIndex(run);
  if (current < 0) return 0;
  const within = run.progress_total ? Math.min(1, run.progress_done / run.progress_total) : 0;
  return (current + within) / STAGES[run.kind].length;
}

const COUNTS = [
  ['created', msg('{n, number} created')],
  ['changed', msg('{n, number} changed')],
  ['removed', msg('{n, number} removed')],
  ['skipped', msg('{n, number} skipped')],
  ['errors', msg('{n, plural, one {# problem} other {# problems}}')],
] as const;

/** `3 created, 1 changed`: what a stage did, or `unchanged`; null when it counted nothing. */
export function counterText(t: Translate, counters: StageView['counters']): string | null {
  if (!counters) return null;
  const parts = COUNTS.filter(([name]) => counters[name] > 0).map(([name, text]) => t(text, { n: counters[name] }));
  if (parts.length > 0) return parts.join(', ');
  return counters.seen > 0 ? t('unchanged') : null;
}
