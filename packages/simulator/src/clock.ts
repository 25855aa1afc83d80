/** A clock whose seconds may be shorter than real ones, so that a test does not wait for a 3 s delay. */
export interface SimClock {
  /** Virtual time in milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` virtual milliseconds. */
  sleep(ms: number): Promise<void>;
  /** Calls `wake` after `ms` virtual milliseconds unless the returned function is called before. */
  schedule(ms: number, wake: () => void): () => void;
  /** Jumps forward by `ms` virtual milliseconds and wakes everything that became due, in order. */
  advance(ms: number): Promise<void>;
  /** Wakes every sleeper and stops the timer: nothing may keep a stopped simulator alive. */
  stop(): void;
}

type Sleeper = { due: number; wake: () => void };

export type SimClockOptions = {
  /** Virtual seconds per real second: 1 is real time, 100 makes 3 s last 30 ms, 0 stops the clock until `advance`. */
  timeScale?: number;
  /** Virtual start time in milliseconds since the epoch; default: the real time at creation. */
  startAt?: number;
};

/** Creates the clock of one simulator. All waits of simulated nodes go through it; socket timeouts do not. */
export function createSimClock({ timeScale = 1, startAt = Date.now() }: SimClockOptions = {}): SimClock {
  const realStart = performance.now();
  let jumped = 0;
  let sleepers: Sleeper[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const now = () => startAt + jumped + (performance.now() - realStart) * timeScale;

  const arm = () => {
    clearTimeout(timer);
    timer = undefined;
    const next = sleepers[0];
    if (!next || timeScale <= 0) return;
    // Timers have millisecond resolution and a 2^31 limit; waking early only arms the timer again.
    const real = Math.min(Math.max((next.due - now()) / timeScale, 0), 2 ** 31 - 1);
    timer = setTimeout(wakeDue, real);
  };

  const wakeDue = () => {
    const time = now();
    const due = sleepers.filter((sleeper) => sleeper.due <= time + 1e-6);
    if (due.length > 0) sleepers = sleepers.filter((sleeper) => sleeper.due > time + 1e-6);
    for (const sleeper of due) sleeper.wake();
    arm();
  };

  const schedule = (ms: number, wake: () => void) => {
    const sleeper = { due: now() + ms, wake };
    // Searched from the end: most waits that are added end after those that already run.
    let index = sleepers.length;
    while (index > 0 && (sleepers[index - 1]?.due ?? 0) > sleeper.due) index--;
    sleepers.splice(index, 0, sleeper);
    if (index === 0) arm();
    return () => {
      sleepers = sleepers.filter((other) => other !== sleeper);
    };
  };

  return {
    now,
    sleep(ms) {
      if (ms <= 0 || stopped) return Promise.resolve();
      return new Promise<void>((resolve) => {
        schedule(ms, resolve);
      });
    },
    schedule,
    async advance(ms) {
      const target = now() + ms;
      // Step from sleeper to sleeper: one that wakes may start the next wait inside the same jump.
      for (let next = sleepers[0]; next && next.due <= target; next = sleepers[0]) {
        jumped += Math.max(next.due - now(), 0);
        wakeDue();
        await new Promise((resolve) => setImmediate(resolve));
      }
      jumped += Math.max(target - now(), 0);
      wakeDue();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const sleeper of sleepers.splice(0)) sleeper.wake();
    },
  };
}
