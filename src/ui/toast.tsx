'use client';
import { useSyncExternalStore } from 'react';
import { part, usePart } from './part';

export type ToastType = 'info' | 'ok' | 'warn' | 'danger';

export type ToastOptions = {
  title: string;
  description?: string;
  /** One thing to do about it: "Show run". */
  action?: { label: string; onClick: () => void };
  /** A toast with the same id is replaced instead of stacked. */
  id?: string;
};

type Add = (type: ToastType, options: ToastOptions) => void;

const layer = part(() => import('./toast-layer'));
const waiting: Parameters<Add>[] = [];
const listeners = new Set<() => void>();
let add: Add | null = null;
let isNeeded = false;

/**
 * Reports the result of an action after the action left the screen. Failures stay until they are dismissed and are
 * announced immediately; a message that the user must read to continue belongs on the page, not here.
 */
export function showToast(type: ToastType, options: ToastOptions): void {
  if (add) {
    add(type, options);
    return;
  }
  waiting.push([type, options]);
  isNeeded = true;
  for (const listener of listeners) listener();
}

/** Hands over the toasts that wait, and all others until the returned function is called. */
function subscribeToToasts(taker: Add): () => void {
  add = taker;
  for (const toast of waiting.splice(0)) taker(...toast);
  return () => {
    add = null;
  };
}

/** Mounts the toasts once per application, when there is the first one. */
export function Toaster() {
  const needed = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isNeeded,
    () => false,
  );
  const Layer = usePart(layer, needed)?.ToastLayer;
  return Layer ? <Layer take={subscribeToToasts} /> : null;
}
