import { clock } from '@/server/lib/clock';

/** Replaces the services' clock with one that advances only when the test moves it. Undo with `restore`. */
export function fakeClock(start = new Date()) {
  const real = clock.now;
  let now = start.getTime();
  clock.now = () => new Date(now);
  return {
    advance(seconds: number): void {
      now += seconds * 1000;
    },
    restore(): void {
      clock.now = real;
    },
  };
}
