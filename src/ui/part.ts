'use client';
import { useEffect, useState } from 'react';

/** Code that arrives when it is first needed, or earlier once a person is at the page. */
export type Part<M> = {
  /** The module, once it is here. */
  now: () => M | null;
  load: () => Promise<M>;
};

const early: (() => Promise<unknown>)[] = [];

/** Declares a part that `loadPartsOnArrival` loads as well. @param load `() => import('./menu-popup')` */
export function part<M>(load: () => Promise<M>): Part<M> {
  let here: M | null = null;
  let coming: Promise<M> | null = null;
  const own: Part<M> = {
    now: () => here,
    load: () => {
      coming ??= load().then(
        (module) => {
          here = module;
          return module;
        },
        (error: unknown) => {
          // The next press asks again.
          coming = null;
          throw error;
        },
      );
      return coming;
    },
  };
  early.push(own.load);
  return own;
}

/** The module as soon as it is needed and here; null before. `onFailure` is called when it cannot be loaded. */
export function usePart<M>(of: Part<M>, isRequested: boolean, onFailure?: () => void): M | null {
  const [, setArrived] = useState(false);
  const here = isRequested ? of.now() : null;
  // What this rendering saw counts: code may arrive before the effect runs, and nothing would show it then.
  const isMissing = isRequested && here === null;
  useEffect(() => {
    if (!isMissing) return;
    let isGone = false;
    of.load().then(
      () => isGone || setArrived(true),
      () => isGone || onFailure?.(),
    );
    return () => {
      isGone = true;
    };
  }, [of, isMissing, onFailure]);
  return here;
}

const ARRIVALS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const;

/**
 * Loads all parts as soon as a person is at the page: the pointer moves, a key or a finger is pressed. A page that is only looked at, or
 * left again, loads what it shows. @returns a function that stops waiting
 */
export function loadPartsOnArrival(): () => void {
  const stop = () => {
    for (const event of ARRIVALS) window.removeEventListener(event, arrive, { capture: true });
  };
  const arrive = () => {
    stop();
    void loadParts();
  };
  for (const event of ARRIVALS) window.addEventListener(event, arrive, { capture: true, passive: true });
  return stop;
}

/** All parts, one after the other, while the browser has nothing else to do. */
async function loadParts(): Promise<void> {
  for (const load of early) {
    await new Promise<void>((idle) =>
      'requestIdleCallback' in window ? requestIdleCallback(() => idle(), { timeout: 10_000 }) : setTimeout(idle, 200),
    );
    // Without a connection they are loaded when they are needed.
    await load().catch(() => undefined);
  }
}
