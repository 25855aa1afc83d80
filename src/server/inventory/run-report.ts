import type { RunStage } from '@/domain/sync';
import type { RunError, StageCounters } from '../db/schema/operations';
import type { SyncRunRow } from './queries/sync-runs';

/** Errors stored with their text; all of them are counted. */
export const MAX_ERRORS = 50;

const nothing = (): StageCounters => ({ seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 });

export type RunProgress = Pick<SyncRunRow, 'stage' | 'progress_done' | 'progress_total' | 'counters' | 'errors'>;

/** What a run has done so far. `touched` is called at every change, for whoever shows it. */
export class RunReport {
  stage: RunStage = 'connect';
  done = 0;
  total: number | null = null;
  readonly counters: Record<string, StageCounters> = {};
  readonly errors: RunError[] = [];
  readonly #touched: () => void;

  constructor(touched: () => void = () => {}) {
    this.#touched = touched;
  }

  /** Begins a stage; `total` is the number of steps when it is known. */
  begin(stage: RunStage, total: number | null = null): void {
    this.stage = stage;
    this.done = 0;
    this.total = total;
    this.counters[stage] ??= nothing();
    this.#touched();
  }

  step(count = 1): void {
    this.done += count;
    this.#touched();
  }

  count(counts: Partial<StageCounters>): void {
    const counters = this.counters[this.stage] ?? nothing();
    this.counters[this.stage] = counters;
    for (const [name, value] of Object.entries(counts)) counters[name as keyof StageCounters] += value;
    this.#touched();
  }

  /** Records an error of the present stage that does not stop the run. */
  error(error: Omit<RunError, 'stage'>): void {
    this.count({ errors: 1 });
    if (this.errors.length < MAX_ERRORS) this.errors.push({ stage: this.stage, ...error });
  }

  /** The columns of the run that show it. */
  get progress(): RunProgress {
    const { stage, done, total, counters, errors } = this;
    return { stage, progress_done: done, progress_total: total, counters, errors };
  }

  /** Whether the inventory became another one. */
  get changedAnything(): boolean {
    return Object.values(this.counters).some(({ created, changed, removed }) => created + changed + removed > 0);
  }
}
