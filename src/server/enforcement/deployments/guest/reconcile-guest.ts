import { isDeepStrictEqual } from 'node:util';
import type { DeploymentProblem, GuestChanges, StoredPlan } from '@/domain/deployments';
import { applyStep } from '@/domain/policy/plan/apply-step';
import { isSwitch } from '@/domain/policy/plan/approved-plan';
import type { GuestFilter, GuestIntent, Origin, PlanStep, WrittenSwitches } from '@/domain/policy/plan/guest-filter';
import { computeLayout } from '@/domain/policy/plan/layout';
import { leftOnNotes } from '@/domain/policy/plan/left-on';
import { nextStep } from '@/domain/policy/plan/next-step';
import { maxSteps, planGuest } from '@/domain/policy/plan/plan-guest';
import { computeRestoration } from '@/domain/policy/plan/restoration';
import { NOTHING_WRITTEN, recordStep, switchChanges } from '@/domain/policy/plan/switch-changes';
import type { OptionChange } from '@/domain/policy-preview';
import type { GuestRef, HypervisorProvider } from '../../../providers/hypervisor/types';
import { type Content, isEmptied, isMissing, readConfirmed } from '../../guest-firewall/emptied';
import { createConflictProblem, Patience, RETRY_MS } from './patience';
import { failureKind, GuestProblem, isNicProblem, performStep, readAfter, toDeploymentProblem } from './perform-step';
import { defaultsInEffect, type ReadGuest, readGuestFilter } from './read-guest-filter';
import { assertSameGuest, createLeftProblem, isProof, undoStep } from './same-guest';
import { wrongNics } from './wrong-nics';

export type GuestTask = {
  provider: HypervisorProvider;
  guest: GuestRef;
  /** Creation fingerprint of the guest in the inventory; null: not known. */
  fingerprint: string | null;
  intent: GuestIntent;
  /** What of its firewall has content as far as is known: read as empty, it is read again. */
  known?: Content | undefined;
  /** Throws when the writer has to stop: it ends, or is not the guest's writer any more. */
  mayWrite: () => void;
  /** Waits; rejects when the writer has to stop. */
  pause: (ms: number) => Promise<void>;
  /** The known state of the guest before Fabric, and Fabric's own writes to its switches. */
  origin?: Origin;
  /** Called once before the first write, with how the guest is and what is going to be written. @returns what the origin is by now */
  onPlan?: (state: ReadGuest, plan: StoredPlan) => Promise<Origin | undefined>;
  /**
   * Called with what was read right before each write; with a complete snapshot before the first one and before those that
   * turn a filter on. @throws GuestProblem when nothing more may be written, `skipped` when nothing was
   */
  approve?: (state: ReadGuest, written: boolean) => Promise<void>;
  /** Called right before each write. @throws GuestProblem when nothing may be written any more, `skipped` when nothing was */
  assertDesired?: (written: boolean) => Promise<void>;
  /** Called before a default is changed because a policy asks for dropping. */
  onDefault?: (before: { in?: 'ACCEPT' | 'REJECT'; out?: 'ACCEPT' | 'REJECT' }) => Promise<void>;
  /** Called before a switch is written, so that it can be undone later. */
  onSwitch?: (written: WrittenSwitches) => Promise<void>;
};

export type GuestOutcome = {
  status: 'ok' | 'unchanged' | 'partial' | 'failed';
  /** Writes that were sent, whatever became of them. */
  writes: number;
  changes: GuestChanges | null;
  problems: DeploymentProblem[];
  /** Switches that were written, as far as they were read afterwards. */
  switches: OptionChange[];
  /** What is to be known though nothing failed. */
  notes: DeploymentProblem[];
  /** The guest after the last write; null: not known. */
  state: GuestFilter | null;
  written: WrittenSwitches;
  /** Every guest of the cluster would meet the same. */
  broken: boolean;
};

const MAX_STORED_STEPS = 200;
/** When to check whether an unconfirmed write was carried out: a node works on for up to half a minute. */
const SETTLE_MS = [0, 500, 1_500, 4_000, 8_000, 16_000];
/** How often the final check may find that another writer has changed something. */
const MAX_ROUNDS = 5;

/** The part of the state that steps of this kind change. */
const getChangedState = (state: ReadGuest, step: PlanStep): unknown => {
  if (step.kind.endsWith('_rule')) return state.rules;
  if ('name' in step) return state.sets[step.name];
  return step.kind === 'set_options' ? state.options : state.nics;
};

class Reconciliation {
  writes = 0;
  /** Of these, how many the cluster refused because something else had been written in between. */
  refused = 0;
  readonly problems: DeploymentProblem[] = [];
  /** The guest as it was read first and last. */
  first: ReadGuest | null = null;
  latest: ReadGuest | null = null;
  readonly #patience = new Patience();
  /** Interfaces that are left alone for this time. */
  readonly #deferred = new Set<string>();
  /** What the next read should find, if no one else writes. */
  #expected: GuestFilter | null = null;
  /** Whether what was read last proves that the number was still the guest's at the last write. */
  #proven = false;
  /** The last write, as long as it may have reached the number after the guest was gone. */
  #open: { state: ReadGuest; step: PlanStep } | null = null;

  origin: Origin;

  constructor(readonly task: GuestTask) {
    this.origin = task.origin ?? task.intent.restore ?? { baseline: null, written: NOTHING_WRITTEN };
  }

  /** The desired state, including what has been written so far. */
  get intent(): GuestIntent {
    const { intent } = this.task;
    return intent.restore ? { ...intent, restore: this.origin } : intent;
  }

  async #noteSwitch(state: ReadGuest, step: PlanStep): Promise<void> {
    const written = recordStep(this.origin.written, this.origin.baseline, state, step);
    if (isDeepStrictEqual(written, this.origin.written)) return;
    await this.task.onSwitch?.(written);
    this.origin = { ...this.origin, written };
  }

  /** Repeats a read that may pass. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      this.task.mayWrite();
      try {
        return await read();
      } catch (error) {
        const pause = RETRY_MS[tries];
        if (failureKind(error) !== 'again' || pause === undefined) throw error;
        await this.task.pause(pause);
      }
    }
  }

  async read(): Promise<ReadGuest> {
    const { provider, guest, intent, known, pause } = this.task;
    const fingerprint = this.first?.fingerprint ?? this.task.fingerprint;
    const needsAliases = Boolean(intent.restore?.baseline);
    const read = () => this.#patiently(() => readGuestFilter(provider, guest, fingerprint, needsAliases));
    const isDoubtful = (now: ReadGuest) =>
      this.#expected ? isMissing(this.#expected, now) : isEmptied(known, { ...now, ipsets: now.sets });
    return this.#seen(await readConfirmed(read, isDoubtful, pause));
  }

  #seen(read: ReadGuest): ReadGuest {
    const state = this.#defer(read);
    this.first ??= state;
    this.latest = state;
    this.#expected = state;
    return state;
  }

  #defer(state: ReadGuest): ReadGuest {
    if (this.#deferred.size === 0) return state;
    const nics = state.nics.map((nic) => (this.#deferred.has(nic.name) ? { ...nic, editable: false } : nic));
    return { ...state, nics };
  }

  async #after(state: ReadGuest, step: PlanStep, done = false): Promise<ReadGuest> {
    const now = await this.#patiently(() => readAfter(this.task.provider, state, step));
    this.#expected = done || step.kind.startsWith('delete') ? applyStep(state, step) : state;
    if (isMissing(this.#expected, now)) return this.read();
    if (done && isProof(state, step)) {
      this.#proven = true;
      this.#open = null;
    }
    return this.#seen(now);
  }

  /** The state to write to, unless the number is no longer the guest's. A flag is set only where this was checked. */
  async #assertSame(state: ReadGuest, step: PlanStep): Promise<ReadGuest> {
    if (this.#proven || step.kind === 'set_nic_flag') return state;
    const config = await this.task.provider.inventory.readGuestConfig(state.ref);
    assertSameGuest(config, state.fingerprint, state.ref);
    return { ...state, ref: { ...state.ref, node: config.node } };
  }

  /** Notes what a default was, before it becomes DROP for the sake of a policy. */
  async #noteDefaults(state: ReadGuest, step: PlanStep): Promise<void> {
    if (step.kind !== 'set_options') return;
    const { default_in, default_out } = this.task.intent;
    const before = defaultsInEffect(state);
    const changes = (goal: unknown, policy: string | null | undefined) =>
      goal === 'drop' && (policy === 'DROP' || step.changes.enable === 1);
    const note = {
      ...(changes(default_in, step.changes.policy_in) && before.in !== 'DROP' && { in: before.in }),
      ...(changes(default_out, step.changes.policy_out) && before.out !== 'DROP' && { out: before.out }),
    };
    if (note.in ?? note.out) await this.task.onDefault?.(note);
  }

  /** One write, and the state that is read afterwards. */
  async step(read: ReadGuest, step: PlanStep): Promise<ReadGuest> {
    await this.task.assertDesired?.(this.writes > 0);
    await this.#noteDefaults(read, step);
    await this.#noteSwitch(read, step);
    let state = read;
    try {
      state = await this.#assertSame(read, step);
    } catch (error) {
      return this.#recover(read, step, error);
    }
    this.task.mayWrite();
    this.#proven = false;
    const open = step.kind === 'set_nic_flag' ? this.#open : { state, step };
    this.#open = open;
    try {
      this.writes += 1;
      await performStep(this.task.provider, state, step);
    } catch (error) {
      if (open?.step === step && failureKind(error) !== 'unknown') this.#open = null;
      return this.#recover(state, step, error);
    }
    this.#patience.success();
    return this.#after(state, step, true);
  }

  /** Undoes a write that came too late, when the number is no longer the guest's. @returns what could not be undone */
  async takeBack(error: unknown): Promise<DeploymentProblem[]> {
    const { code } = toDeploymentProblem(error);
    if (!this.#open || (code !== 'not_found' && code !== 'another_guest')) return [];
    const { provider } = this.task;
    const { state, step } = this.#open;
    try {
      if (code === 'not_found' && (await provider.inventory.guestPresence(state.ref)) !== 'absent') return [];
      await this.#patiently(async () => {
        this.writes += Number(await undoStep(provider, state, step));
      });
      return [];
    } catch (failure) {
      this.task.mayWrite();
      return [createLeftProblem(state.ref, failure)];
    }
  }

  async #recover(state: ReadGuest, step: PlanStep, error: unknown): Promise<ReadGuest> {
    // A writer that has to stop does not learn this from a broken connection.
    this.task.mayWrite();
    if (step.kind === 'set_nic_flag' && (error instanceof GuestProblem || isNicProblem(error))) {
      // The rules are enforced on the other interfaces; the failed one is reported.
      const problem = toDeploymentProblem(error);
      const named = problem.message.startsWith(`${step.nic}:`) ? problem.message : `${step.nic}: ${problem.message}`;
      this.problems.push({ ...problem, message: named });
      if (failureKind(error) === 'guest_locked') for (const nic of state.nics) this.#deferred.add(nic.name);
      this.#deferred.add(step.nic);
      return this.#after(state, step);
    }
    const kind = failureKind(error);
    if (kind === 'unknown') {
      this.#patience.unknown(error);
      return this.#settle(state, step);
    }
    if ((error as { code?: string }).code === 'conflict') {
      this.#patience.conflict();
      this.refused += 1;
      return this.read();
    }
    // What was refused because it is there already, or gone already, is no failure once it has been looked at.
    if (
      kind === 'fatal' &&
      (step.kind === 'create_set' || step.kind === 'add_set_entry' || step.kind === 'delete_set')
    ) {
      const now = await this.#after(state, step);
      if (!isDeepStrictEqual(getChangedState(now, step), getChangedState(state, step))) return now;
    }
    // A guest that moved is found by reading again; one that is gone is not.
    const moved = (error as { code?: string }).code === 'not_found';
    if (kind !== 'again' && !moved) {
      // What the write refers to may be gone with the guest.
      await this.#assertSame(state, step);
      throw error;
    }
    await this.task.pause(this.#patience.another(error));
    return this.read();
  }

  /** Reads until an unconfirmed write shows, or until it is too late for it to happen. */
  async #settle(state: ReadGuest, step: PlanStep): Promise<ReadGuest> {
    for (const [at, pause] of SETTLE_MS.entries()) {
      if (pause > 0) await this.task.pause(pause);
      const now = await this.#after(state, step);
      const last = at === SETTLE_MS.length - 1;
      if (last || !isDeepStrictEqual(getChangedState(now, step), getChangedState(state, step))) break;
    }
    return this.read();
  }
}

/** What was written, whatever ended it. */
const toOutcome = (work: Reconciliation) => ({
  writes: work.writes,
  changes: computeGuestChanges(work),
  switches: work.first && work.latest ? switchChanges(work.first, work.latest) : [],
  notes: work.latest ? leftOnNotes(computeRestoration(work.latest, work.intent)) : [],
  state: work.latest,
  written: work.origin.written,
});

/** Numbers of rules that were really changed, by the first and the last state read. */
function computeGuestChanges({ first, latest, intent }: Reconciliation): GuestChanges | null {
  if (!first || !latest) return null;
  const count = ({ rules }: GuestFilter) => {
    const { slots, stale } = computeLayout(rules, intent);
    const desired = slots.filter((slot) => slot.kind === 'desired');
    const live = desired.filter((slot) => slot.live !== null);
    const moved = live.filter((slot) => !slot.in_place).length;
    return { live: live.length, moved, kept: live.length - moved, stale: stale.length };
  };
  const [before, after] = [count(first), count(latest)];
  // Changes by other writers in between are not claimed.
  return {
    added: Math.max(0, after.live - before.live),
    removed: Math.max(0, before.stale - after.stale),
    moved: Math.max(0, before.moved - after.moved),
    kept: before.kept,
  };
}

/** A guest at which nothing was done, for the reason that was thrown. */
export const failedOutcome = (error: unknown): GuestOutcome => ({
  status: 'failed',
  writes: 0,
  changes: null,
  switches: [],
  problems: [toDeploymentProblem(error)],
  notes: [],
  state: null,
  written: NOTHING_WRITTEN,
  broken: false,
});

/**
 * Brings the firewall of one guest to the desired state, one write at a time: each is planned from what was read after
 * the previous one, so concurrent changes by others are taken into account, and a restart continues where this ends.
 * A failure is an outcome. @throws what `mayWrite` and `pause` throw, errors of the callbacks, and GuestProblem when
 * `approve` refuses before anything was written
 */
export async function reconcileGuest(task: GuestTask): Promise<GuestOutcome> {
  const work = new Reconciliation(task);
  try {
    let state = await work.read();
    if (nextStep(state, work.intent)) {
      await task.approve?.(state, false);
      const { steps } = planGuest(state, work.intent);
      const origin = await task.onPlan?.(state, { steps: steps.slice(0, MAX_STORED_STEPS), total: steps.length });
      work.origin = origin ?? work.origin;
    }
    // Others may add to the work, but not for ever.
    const most = 3 * maxSteps(state, work.intent) + 50;
    for (let rounds = 0; ; ) {
      let step = nextStep(state, work.intent);
      if (step && task.approve) {
        // What is stored takes effect with a switch, so all of it is read once more.
        const again = work.writes > 0 && isSwitch(step);
        if (again) state = await work.read();
        await task.approve(state, work.writes > work.refused);
        if (again) step = nextStep(state, work.intent);
      }
      if (step) {
        if (work.writes >= most) throw createConflictProblem();
        state = await work.step(state, step);
        continue;
      }
      if (work.writes === 0) break;
      // Everything once more: what was not looked at since may have changed.
      state = await work.read();
      if (nextStep(state, work.intent) === null) break;
      rounds += 1;
      if (rounds >= MAX_ROUNDS) throw createConflictProblem();
    }
    const problems = [...work.problems, ...wrongNics(state, work.intent, work.problems)];
    const done = work.writes === 0 ? 'unchanged' : 'ok';
    return { ...toOutcome(work), status: problems.length > 0 ? 'partial' : done, problems, broken: false };
  } catch (error) {
    task.mayWrite();
    if (error instanceof GuestProblem && error.skipped) throw error;
    const kind = failureKind(error);
    if (kind === 'fatal' && !(error instanceof GuestProblem) && toDeploymentProblem(error).code === 'internal')
      throw error;
    const problems = [...work.problems, toDeploymentProblem(error), ...(await work.takeBack(error))];
    return { ...toOutcome(work), status: 'failed', problems, notes: [], broken: kind === 'broken' };
  }
}
