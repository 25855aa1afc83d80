'use client';
import type { ReactNode } from 'react';
import { failureOf } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';

type Props = {
  /** The question: "Delete tenant Blue?" */
  title: string;
  /** "Delete tenant" */
  confirmLabel: string;
  remove: { mutate: () => void; error: unknown; isPending: boolean };
  onClose: () => void;
  children: ReactNode;
};

/** Asks before a record of the administration goes. */
export function DeleteDialog({ title, confirmLabel, remove, onClose, children }: Props) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={title}
      confirmLabel={confirmLabel}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
