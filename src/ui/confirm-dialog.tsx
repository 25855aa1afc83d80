'use client';
import type { ReactNode } from 'react';
import type { Problem } from './error-state';
import { part } from './part';
import { useOpenedPanel } from './use-opened-panel';

export type ConfirmDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The question: "Delete cluster prod-eu?" */
  title: string;
  /** What will happen, with figures: what is lost, what stays. */
  children?: ReactNode;
  /** What the button does, consequence included: "Delete cluster and 42 guests". */
  confirmLabel: string;
  tone?: 'danger' | 'primary';
  /** For what cannot be undone: the name that must be typed first. */
  typed?: string;
  pending: boolean;
  error: Problem | null;
  onConfirm: () => void;
};

const popup = part(() => import('./confirm-dialog-popup'));

/** Asks before something that is hard to undo. The focus starts on Cancel, or on the input when a name must be typed. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { module } = useOpenedPanel(popup, props);
  return module && <module.ConfirmDialogPopup {...props} />;
}
