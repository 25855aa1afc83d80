'use client';
import type { ReactNode } from 'react';
import { failureOf } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';

type Props = {
  noun: 'rule' | 'channel';
  name: string;
  remove: { mutate: () => void; error: unknown; isPending: boolean };
  onClose: () => void;
  children: ReactNode;
};

/** Asks before a rule or a channel goes. */
export function DeleteDialog({ noun, name, remove, onClose, children }: Props) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Delete ${noun} ${name}?`}
      confirmLabel={`Delete ${noun}`}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
