'use client';
import type { ReactNode } from 'react';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';

const WORDS = {
  rule: { title: msg('Delete rule {name}?'), confirm: msg('Delete rule') },
  channel: { title: msg('Delete channel {name}?'), confirm: msg('Delete channel') },
} as const;

type Props = {
  kind: 'rule' | 'channel';
  name: string;
  remove: { mutate: () => void; error: unknown; isPending: boolean };
  onClose: () => void;
  children: ReactNode;
};

/** Asks before a rule or a channel goes. */
export function DeleteDialog({ kind, name, remove, onClose, children }: Props) {
  const t = useT();
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t(WORDS[kind].title, { name })}
      confirmLabel={t(WORDS[kind].confirm)}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
